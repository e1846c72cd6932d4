"""Lines that head what somebody else wrote: of mails, of chats, of roles, of forms and dialogues. Pure, and linear.

A header is told by its form and not by its language: what it has of a date, a time, an address and a name, and that it
has nothing else.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from ragpp.text.english import ANY_WEEKDAY, MONTH_ABBREVIATIONS, word_set
from ragpp.text.spans import Span

_FLAGS: Final = re.IGNORECASE | re.MULTILINE
_TO_THE_END: Final = r"[\s\S]*"
_HEADER: Final = re.compile(
    r"^[ \t*]*(?:(?:from|to|cc|bcc|subject|sent|date|reply-to|re|fwd?|betreff|von|an|de|da|van|fra|från|od|objet|"
    r"asunto|oggetto|assunto|onderwerp|ämne|emne|temat|тема|от|发件人|寄件者|差出人|件名|主题)[ \t]*:|"
    r"-{2,} ?(?:original|forwarded|begin|start)\b|begin forwarded message|on [^\n]{4,}wrote:[ \t]*$|"
    r"(?:system|assistant|user|human|ai|bot|agent|model|instructions?|prompt|developer)(?: (?:prompt|message|note))?"
    r"[ \t]*[:>\]]|#{1,6}[ \t]|\[/?(?:inst|system|assistant|user)\b|<\|)" + _TO_THE_END,
    _FLAGS,
)
_LABELLED: Final = re.compile(
    r"(?:^[ \t]*(?:[\[(]?\d[\d/.:, -]{3,25}(?:[ap]m)?[\])]?[ \t,–-]*)?(?:[-*][ \t]+)?"
    r"(?:[\w@][\w .'()@-]{0,40}[:>][ \t]+|[A-Z][A-Z-]{2,30}:)\S[^\n]*(?:\n\s*|\Z)){2,}",
    re.MULTILINE,
)
"""Lines of a log, a form or a dialogue."""
_TURN: Final = re.compile(
    r"^[ \t]*[\[(]?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?[ \t]+)?\d{1,2}:\d\d(?::\d\d)?(?:[ \t]?[ap]\.?m\.?)?[\])]?"
    r"[ \t,–-]+[A-Z][\w.'’-]{0,30}(?:[ \t][\w.'’()-]{1,30}){0,3}:[ \t]"
    r"[^\n]*(?:\n[ \t]*+[^\s][^\n]*)*+",
    re.MULTILINE,
)
"""A message of a chat as it is exported: a time, a name, and what was said, until a blank line."""

_CLOCK: Final = r"\d{1,2}(?:[:h]\d\d(?::\d\d)?(?:[ \t]?[ap]\.?m\b\.?)?|[ \t]?[ap]m\b)"
MONTH: Final = rf"(?:{'|'.join(MONTH_ABBREVIATIONS).lower()})[a-z]{{0,6}}\.?"
"""Also of other languages that begin theirs so, where case is ignored."""
_DAY: Final = (
    rf"(?:today|yesterday|{ANY_WEEKDAY}\.?|"
    rf"\d{{1,4}}[./-]\d{{1,2}}(?:[./-]\d{{2,4}})?\.?|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|"
    rf"\d{{1,2}}\.? {MONTH}(?:,? \d{{4}})?)"
)
_UNIT: Final = r"(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|months?|y|yrs?|years?)"
_AGO: Final = rf"(?:(?:\d{{1,3}}|an?|one) ?{_UNIT} ago|just now)"
_AGE: Final = re.compile(r"\d{1,3}[smhdwy]")
_EDITED: Final = r"(?:[ \t]*(?:\(?edited\)?|[✓✔]+|uhr|\|[^\n]*))*[ \t]*"
_STAMP: Final = re.compile(
    rf"(?:(?<![\w/])(?:{_DAY}[,.]?[ \t]+(?:at[ \t]+)?)*{_CLOCK}|\b{_AGO})[\])]?{_EDITED}\Z", re.IGNORECASE
)
"""A time of day, with or without a date, or an age, at the end of a line."""
_DATED: Final = re.compile(rf"[·•|][ \t]*(?:{_DAY}|\d{{1,3}} ?{_UNIT})[\])]?{_EDITED}\Z", re.IGNORECASE)
"""A date or an age behind a mark that parts it from a name."""
_STAMP_FIRST: Final = re.compile(
    rf"(?P<bracket>[\[(])?(?:{_DAY}[,.]?[ \t]+(?:at[ \t]+)?)?{_CLOCK}[\])]?[ \t,–—-]*", re.IGNORECASE
)
_PARTED: Final = re.compile(r"[—–·•|\[(](?:[ \t]*[^\W\d_]{1,12}\.?){0,3}[ \t]*\Z")
"""A mark between a name and a time, with "heute um" or the like behind it."""
_SAYS: Final = re.compile(
    r"[ \t](?:commented|replied|wrote|said|posted|answered|asked|edited|sent(?: a message)?)(?: on)?\Z", re.IGNORECASE
)
_ASIDE: Final = re.compile(r"[ \t]*(?:\([^()]{1,30}\)|\[[^\[\]]{1,30}\]|\bAPP|\bBOT|[^\w\s@()\[\]]+)[ \t]*\Z")
"""The things that may follow a name: pronouns, a badge, a picture."""
_PARTS: Final = frozenset("·•|")
"""Lines that part a name from a date."""
_HANDLE: Final = re.compile(r"(?:@|u/|r/)[\w.-]{1,40}")
_PARTICLES: Final = frozenset(
    {"von", "van", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "bin", "y"}
)
"""Words of a name without a capital."""
_NO_NAMES: Final = word_set(
    """
    i i'm we you he she it they my at on in by from until till before after about around the a an and or no yes ok
    wake call remind tell meet book set is was
    """
)
"""Words that begin no name."""
_DAY_ALONE: Final = re.compile(_DAY, re.IGNORECASE)
_WORD: Final = re.compile(r"@?[^\W\d_][\w.'’-]*")
_LONGEST_HEAD: Final = 100
_MOST_WORDS: Final = 5

_HEADS: Final = re.compile(r"^(?P<line>[^\n]*\S)[ \t]*:[ \t*_]*$", re.MULTILINE)
_BROKEN: Final = re.compile(r"^(?P<line>[^\n]*[^\s.!?:])[ \t]*\n[ \t]*[^\W\d_][^\n:.!?]{0,40}:[ \t]*$", re.MULTILINE)
"""A header that was broken at the width of a mail: its last words are on a line of their own."""
_ADDRESS: Final = re.compile(r"(?<![\w.+-])[\w.+-]++@\w[\w-]*\.\w")
_CLOCK_IN: Final = re.compile(rf"(?<![\d:]){_CLOCK}(?![\d:])", re.IGNORECASE)
_OWN: Final = re.compile(r"\b(?:i|i'm|i've|i'd|my|me|you|your|we|our)\b|\brules? (?:for|of)\b", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"\w{3}[.!?] +(?=[A-Z])")
_VISIBLE: Final = re.compile(r"\S")


def headed(text: str) -> Iterator[Span]:
    """The text that headers head, to the end of `text`: nothing in it can give the word back; lines of dialogues."""
    for pattern in (_HEADER, _LABELLED, _TURN):
        for match in pattern.finditer(text):
            yield Span(*match.span())
    for pattern in (_HEADS, _BROKEN):
        heads = (match.start() for match in pattern.finditer(text) if _heads_mail(match["line"]))
        if (start := next(heads, None)) is not None:
            yield Span(start, len(text))
    if (start := _first_of_chat(text)) is not None:
        yield Span(start, len(text))


def _heads_mail(line: str) -> bool:
    """True where a line that a colon ends has an address, or a date and a time of day, and is not the author's own."""
    own = line
    for end in _SENTENCE_END.finditer(line):
        own = line[end.end() :]
    if _OWN.search(own):
        return False
    if _ADDRESS.search(own):
        return True
    clock = _CLOCK_IN.search(own)
    return clock is not None and any(map(str.isdigit, own[: clock.start()] + own[clock.end() :]))


def _first_of_chat(text: str) -> int | None:
    """Where the first line begins that is nothing but a name and a time, on one line or on two next to each other, or a
    name below which a time stands by itself."""
    named: int | None = None
    parted = False
    lines = list(_lines(text))
    for (start, line), (_, further) in pairwise([*lines, (len(text), "")]):
        if _names_and_dates(line) and further:
            return start
        if _is_stamp(line) or (parted and _DATED.match(f"·{line}")):
            if named is not None:
                return named
        elif named is None and _is_name(line) and further:
            named = start
        parted = line in _PARTS
    return None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are not blank and where they begin, without a colon behind them or marks of emphasis; what is long
    is no header and comes as "…"."""
    start = 0
    for line in text.split("\n"):
        if found := _VISIBLE.search(line):
            yield start + found.start(), line.replace("*", "").strip(" \t:") if len(line) <= _LONGEST_HEAD else "…"
        start += len(line) + 1


def _names_and_dates(line: str) -> bool:
    first = _STAMP_FIRST.match(line)
    if first and first.end() < len(line):
        name = line[first.end() :]
        return _is_name(name) and (first["bracket"] is not None or " " in name.strip())
    stamp = _STAMP.search(line) or _DATED.search(line)
    if stamp is None or stamp.start() == 0:
        return False
    head = line[: stamp.start()].rstrip(" \t")
    parted = _PARTED.search(head if not stamp.group().startswith(("·", "•", "|")) else f"{head}·")
    head = head[: parted.start()] if parted and parted.start() < len(head) else head
    head = _SAYS.sub("", head.rstrip(" \t,–—-·•|[(")).rstrip()
    if (parted or " ago" in stamp.group()) and re.fullmatch(r"[\w.-]{2,40}", head):
        return head.lower() not in _NO_NAMES
    return _is_name(head)


def _is_stamp(line: str) -> bool:
    bare = line.lstrip("·•|[( \t")
    return _STAMP.match(bare) is not None or _AGE.fullmatch(bare) is not None


def _is_name(line: str) -> bool:
    """True where a line is a name and nothing else: a few words with capitals, or a handle."""
    name = line
    while aside := _ASIDE.search(name):
        name = name[: aside.start()]
    if _HANDLE.fullmatch(name):
        return True
    words = name.split()
    if not 0 < len(words) <= _MOST_WORDS or words[0].lower() in _NO_NAMES or _DAY_ALONE.fullmatch(name):
        return False
    return all(
        _HANDLE.fullmatch(word) or (_WORD.fullmatch(word) and (not word[0].islower() or word in _PARTICLES))
        for word in words
    )
