"""The line that a message of WhatsApp begins with, and in which order its date has day, month and year."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

from ragpp_infra.importing.reading import UnreadableExport

Order: TypeAlias = Literal["dmy", "mdy", "ymd"]
ORDERS: Final[tuple[Order, ...]] = get_args(Order)
IN_WORDS: Final[dict[Order, str]] = {"dmy": "day, month, year", "mdy": "month, day, year", "ymd": "year, month, day"}
_AT: Final = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}
"""Where year, month and day stand among the three numbers."""
MARKS: Final = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
"""Marks of the direction of writing, which show nothing."""
_HEADER: Final = re.compile(
    rf"[{MARKS}]*(?P<open>\[?)"
    r"(?P<first>\d{1,4})(?P<sep>[./-])\s?(?P<second>\d{1,2})(?P=sep)\s?(?P<third>\d{1,4})\.?,?\s+"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<seconds>\d{2}))?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?"
    r"(?:(?P<close>\])\s?|\s-\s)(?P<rest>.*)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Header:
    """The first line of a message: three numbers of a date, the time of day, and what stands behind them."""

    style: tuple[bool, str]
    """In brackets or not, and what parts the numbers: the same through one file."""
    numbers: tuple[int, int, int]
    time: tuple[int, int, int]
    rest: str

    def moment(self, order: Order) -> datetime | None:
        """The local time that it tells in `order`; None where there is no such day or time."""
        year, month, day = (self.numbers[at] for at in _AT[order])
        if 99 < year < 1000:
            return None
        try:
            return datetime(year if year > 99 else 2000 + year, month, day, *self.time)  # noqa: DTZ001 - local
        except ValueError:
            return None


def header_of(line: str) -> Header | None:
    """The header that `line` is; None for a line that goes on with a message, or that tells no day in any order."""
    found = _HEADER.fullmatch(line)
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"] in "Pp" else 0)
    header = Header(
        style=(bool(found["open"]), found["sep"]),
        numbers=(int(found["first"]), int(found["second"]), int(found["third"])),
        time=(hour, int(found["minute"]), int(found["seconds"] or 0)),
        rest=found["rest"],
    )
    return header if any(header.moment(order) for order in ORDERS) else None


def order_of(headers: Sequence[Header]) -> Order:
    """The one order in which every date of a file is a day. Raises UnreadableExport where there are several that tell
    different days, or none: it is asked for then, never guessed."""
    possible = [order for order in _likely(headers) if all(header.moment(order) for header in headers)]
    if not possible:
        raise UnreadableExport(
            "the dates of the chat are in no order that fits all of them", suggestions=_asks(ORDERS, headers)
        )
    told = {tuple(header.moment(order) for header in headers) for order in possible}
    if len(told) > 1:
        raise UnreadableExport(
            "the dates of the chat can be read in several orders, and no number over 12 tells day from month",
            suggestions=_asks(possible, headers),
        )
    return possible[0]


def _likely(headers: Iterable[Header]) -> tuple[Order, ...]:
    """The orders to try: a year stands last, unless it has four digits in front, or neither day nor month can be."""
    fronts = [header.numbers[0] > 31 for header in headers]
    if any(fronts):
        return ("ymd",)
    if any(header.moment("dmy") is None for header in headers) and any(
        header.moment("mdy") is None for header in headers
    ):
        return ("ymd",)
    return ("dmy", "mdy")


def _asks(orders: Iterable[Order], headers: Sequence[Header]) -> tuple[str, ...]:
    numbers = headers[0].style[1].join(map(str, headers[0].numbers))
    first = ((order, headers[0].moment(order)) for order in orders)
    shown = ", ".join(f"--dates {order} ({moment:%d %B %Y})" for order, moment in first if moment is not None)
    return (f"Name the order. Its first date, {numbers}, would be: {shown}.", "Nothing was stored.")
