"""The normal form of a value: one spelling for all notations that mean the same. Pure."""

import re
from ipaddress import ip_address
from typing import Final

from ragpp.personal.kinds import PersonalKind
from ragpp.personal.mail import AT, DOT
from ragpp.personal.phones import national_number
from ragpp.text.folding import folded

_NO_SIGN: Final = re.compile(r"[\W_]+")
_ADDRESS: Final = re.compile(r"[0-9a-f.:]*[0-9a-f]")
_AT: Final = re.compile(AT, re.IGNORECASE)
_DOT: Final = re.compile(DOT, re.IGNORECASE)


def normal_form(kind: PersonalKind, value: str) -> str:
    """One spelling of a value of `kind`: of an address of mail in any case and with `(at)`, of a telephone's number
    with and without its country's code, of an IP address with and without a port. Of any other kind its letters and
    digits in lower case."""
    text = folded(value)
    if kind == "email":
        return "".join(_DOT.sub(".", _AT.sub("@", text)).split())
    if kind == "phone":
        return national_number(text)
    if kind == "ip_address":
        return _address(text)
    return _NO_SIGN.sub("", text)


def _address(text: str) -> str:
    found = _ADDRESS.match(text)
    address = found.group() if found else text
    if address.count(".") == 3 and ":" in address and "::" not in address:  # a port behind four bytes
        address = address.partition(":")[0]
    try:
        return ip_address(address).compressed
    except ValueError:  # stretched to the word it stands in
        return address
