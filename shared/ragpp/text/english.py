"""English: its calendar, its numbers, and the words that say little of what a text is about.

Words are in lower case, names of months and days as they are written. The calendar is not the standard library's, which
speaks the language of the process's locale. Word lists that serve one purpose of extraction alone are in
`ragpp.extraction.lexicon`.
"""

from datetime import datetime
from typing import Final


def word_set(text: str) -> frozenset[str]:
    """The words of a text that white space divides."""
    return frozenset(text.split())


MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
MONTH_ABBREVIATIONS: Final = tuple(name[:3] for name in MONTHS)
ANY_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
"""A pattern for the name of a month or its abbreviation without a full stop, where case is ignored."""
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ANY_WEEKDAY: Final = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
)
"""The same for the days of the week."""
CALENDAR: Final = word_set(
    " ".join((*MONTHS, *MONTH_ABBREVIATIONS, *WEEKDAYS, *(f"{day}s" for day in WEEKDAYS))).lower()
    + " sept mon tue tues wed thu thur thurs fri sat sun"
)
"""Every form of a month or a day of the week."""

NUMBERS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
"""Numbers that are more often spelt out than written in digits."""


def month_number(name: str) -> int:
    """1 to 12, of a month or its abbreviation in any case. ValueError for any other word."""
    return MONTH_ABBREVIATIONS.index(name[:3].capitalize()) + 1


def day_in_words(moment: datetime) -> str:
    """The moment's day as it is spoken of: `8 May 2023`."""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


FUNCTION_WORDS: Final = word_set(
    """
    what when where who whom whose which why how do does did is are was were am be been being has have had having would
    can could shall should might must the a an of to in on at for with from by as and or it its that this these those
    there i me my mine you your yours we us our ours
    """
)
"""Words that make a question one and say nothing of its subject. They are rare in statements, so their inverse document
frequency would take them for the rarest words of all. `may` and `will` are also a month and a name."""
