"""Addresses of machines on the internet."""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address
from typing import Final

from ragpp.finders import Finder, Span
from ragpp.personal.kinds import DIGITS, FORMED

_V4: Final = re.compile(
    r"(?<![\w.])(?<!\d[-/])(?:\d{1,3}\.){3}\d{1,3}(?P<more>(?:/\d{1,2}(?!\d))?(?::\d{1,5}(?!\d))?)(?!\.?\w)"
)
_VERSION: Final = re.compile(
    r"(?:\bv\.?\s?$|\bver\.?\s?$|versi[oóã]|wersj|\bbuild|release|firmware|section|§|chapter|kapitel|abschnitt|"
    r"chapitre|cap[íi]tulo|"
    r"capitolo|hoofdstuk|rozdzia[łl]|sektion|secci[óo]n|sezione|sectie|punkt|update\w*|paragraph|ziffer|clause|"
    r"upgrade\w*|driver|treiber|patch)[^\n.:;]{0,25}$",
    re.IGNORECASE,
)
_OF_MACHINES: Final = re.compile(
    r"\bip\b|ipv4|\bip-|address|adres|server|\bhost|\bping|\bssh|\bdns|router|subnet|gateway|login|logged|client|"
    r"remote|"
    r"direcci[óo]n|indirizzo|endereço|request|connect|verbind",
    re.IGNORECASE,
)
_NOBODYS: Final = re.compile(r"127\.|0\.|255\.255\.|22[4-9]\.|23\d\.|2(?:4\d|5[0-5])\.")
"""Loopback, "this network", masks of networks, multicast and reserved (RFC 6890): no machine of anybody."""
_WINDOW: Final = 30
_V6: Final = re.compile(
    r"(?<![\w:.])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:(?:\.\d{1,3}){3})?(?P<more>(?:%[\w-]{1,15})?(?:/\d{1,3}(?!\d))?)(?![\w:])",
    re.IGNORECASE,
)
_LEAST_GROUPS: Final = 3
"""Groups of a shortened address of version 6 below which it may be a name in a program, such as `ad::be`."""


def _v4(text: str) -> Iterator[Span]:
    """Each dotted address of four bytes that is no version and no number of a section."""
    for match in _V4.finditer(text):
        address = text[match.start() : match.start("more")]
        parts = address.split(".")
        if any(int(part) > 255 or (part[0] == "0" and part != "0") for part in parts) or _NOBODYS.match(address):
            continue
        before = text[max(0, match.start() - _WINDOW) : match.start()]
        if _VERSION.search(before):
            continue
        if all(len(part) == 1 for part in parts) and not match["more"] and not _OF_MACHINES.search(before):
            continue
        yield Span(match.start(), match.end(), "ip_address", FORMED)


def _v6(text: str) -> Iterator[Span]:
    for match in _V6.finditer(text):
        address = text[match.start() : match.start("more")]
        groups = [group for group in address.split(":") if group]
        if len(groups) < _LEAST_GROUPS and not (groups and groups[0].lower().startswith(("20", "fe80", "fd", "fc"))):
            continue
        try:
            known = IPv6Address(address)
        except AddressValueError:
            continue
        if len(groups) > 1 and not known.is_loopback and not known.is_multicast:
            yield Span(match.start(), match.end(), "ip_address", FORMED)


IP_ADDRESSES: Final = (Finder(_v4, marks=DIGITS), Finder(_v6, marks=(":",)))
