"""Reads lasting requests about how to be answered and reached: "use metric units", "text me instead of calling".

Only what names the form of answers or a means of contact is taken to last; "use the blue one" is asked for once.
"""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.extraction.phrases import key_of, leading_phrase
from ragpp.extraction.port import PreferenceMention
from ragpp.extraction.preferences import wish_rules as rules
from ragpp.extraction.preferences.mentions import Readers, mention
from ragpp.text.manner import FORM


def _manner(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """A lasting request about the form of answers, known by its words: "Use metric units"."""
    phrase = leading_phrase(match["how"], max_words=9)
    if phrase is None or not FORM.search(phrase):
        return
    refused = match["no"] is not None
    verb = match["verb"].lower()
    key = (
        f"how to {verb}"
        if verb in {"answer", "reply", "respond", "write", "speak", "talk", "explain"}
        else f"{verb} {phrase}".lower()
    )
    if key.startswith("how to"):
        yield from mention(
            "communication", key, f"not {phrase}" if refused else phrase, 0.7, "negative" if refused else "positive"
        )
    else:
        yield from mention(
            "communication", key, "never" if refused else "always", 0.8, "negative" if refused else "positive"
        )


def _no_form(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "No emojis, please"."""
    if FORM.search(match["what"]):
        yield from mention("communication", f"use {key_of(match['what'])}", "never", 0.8, "negative")


def _form_of(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I want all my reports in PDF"."""
    how = leading_phrase(match["how"].removeprefix("to be "), max_words=6)
    if how:
        yield from mention("communication", f"form of {key_of(match['what'])}", how, 0.8)


def _contact(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "Text me instead of calling"."""
    yield from mention("communication", "means of contact", (match["how"] or match["by"]).lower(), 0.9)


def _unwanted(match: re.Match[str]) -> Iterator[PreferenceMention]:
    yield from mention("communication", match["what"].strip().lower(), "never", 0.8, "negative")


def _brief(match: re.Match[str]) -> Iterator[PreferenceMention]:
    yield from mention("communication", "manner of answers", match["how"].lower(), 0.8)


def _ordered(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "Short answers, please"."""
    if FORM.search(match["what"]) and not match["what"].lower().startswith("no "):
        yield from mention("communication", f"use {key_of(match['what'])}", "always", 0.8)


OWN_WISHES: Final[Readers] = ((rules.FORM_OF, _form_of), (rules.UNWANTED, _unwanted))
"""Tried where "I" or "we" occurs; patterns and what reads them."""
CONTACTS: Final[Readers] = ((rules.CONTACT, _contact),)
"""Tried where "me" occurs."""
REQUESTS: Final[Readers] = (
    (rules.MANNER, _manner),
    (rules.NO_FORM, _no_form),
    (rules.BRIEF, _brief),
    (rules.ORDERED, _ordered),
)
"""Tried in every sentence."""
