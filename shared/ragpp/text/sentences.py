"""Cuts a message into sentences, and says which of them ask or mock; what the others assert, `ragpp.extraction.gate`
says.

Every rewrite keeps the length, so an offset in a cleaned text is the offset in the message.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ragpp.text.unspaced import LETTERS

MAX_SENTENCE: Final = 600
"""Characters; what is longer is cut at white space, which bounds the work of every pattern."""

SAVED_CHARS: Final = 48
"""Characters, some twelve tokens, that a part of a text leaves out at least: the whole of it is as good else."""
_STRAIGHT: Final = str.maketrans(
    {"’": "'", "‘": "'", "´": "'", "\u00a0": " ", "\t": " ", "\r": "\n"}  # same length: one character each
    | {chr(point): "?" for point in (*range(0xE000, 0xF900),)}  # the private-use area is ours to mask with
)
_QUOTED: Final = re.compile(
    r'(?<![A-Za-z\d])"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|```[^`]{0,5000}```|'
    r"(?<![A-Za-z\d])`[^`\n]{1,300}`|"
    r"(?<![\w'])'(?=[A-Z])[^\n']{1,200}(?:'(?=\w)[^\n']{1,200}){0,4}'(?!\w)|"
    r"(?m:^>[^\n]*$)|https?://\S{1,2000}"
)
_TITLE: Final = re.compile(
    r"[\"“'](?!I\b|I'|We\b|You\b|He\b|She\b|My\b|It\b)(?:[A-Z][\w'’-]*[,:]?|\d+)"
    r"(?: (?:[A-Z][\w'’-]*[,:]?|\d+|&|of|the|and|a|an|in|on|to|for|with|from|at|by)){0,7}[\"”']"
)
"""The name of a book, a film, a song: nobody's words."""
_END: Final = re.compile(
    r"(?<=[.!?…؟۔।])[\"')\]”]{0,3}\s+|"
    rf"(?<=[。！？｡])(?![。！？｡])[\"')\]”’」』）]{{0,3}}\s*|(?<=[!?])(?=[{LETTERS}])|"
    r"\n+|(?<=\S)\s*(?=[•▪])|\s[–—]\s|;\s"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|vs|etc|e\.g|i\.e|jr|sr|no|approx|mt|rev)|(?<![a-z0-9'/])[a-z])\.$", re.IGNORECASE
)
_TAG_QUESTION: Final = re.compile(
    r",?\s(?:and\s)?(?:you|yourself|(?:how|what) about you|how are you|right|okay|ok|you know|remember|huh|eh|"
    r"can you believe (?:it|that|this))\?+$",
    re.IGNORECASE,
)
_INVERTED: Final = re.compile(
    r"(?:and |but |so )?(?:do|does|did|are|is|am|was|were|can|could|would|will|have|has|had|should|shall|don't|didn't|"
    r"doesn't|aren't|isn't|won't|wouldn't|can't|couldn't|haven't|hasn't) (?:you|i|we|he|she|they|it)\b",
    re.IGNORECASE,
)
_MOCKING: Final = re.compile(
    r"^(?:oh|ah|yeah|yep|yes|sure|wow|well|right)?[,.!\s]*(?:(?:oh|yeah|wow),? (?:great|right|sure|joy|yay|good|"
    r"wonderful|lovely|"
    r"brilliant|perfect|fantastic|because)\b|(?:great|fantastic|brilliant|wonderful|lovely|perfect|super|"
    r"awesome), (?:another|yet|"
    r"just what)\b|yeah,? right\b|as if\b|because (?:who|obviously|clearly))|"
    r"\bsaid no ?(?:one|body)\b|\b(?:just|exactly) what (?:i|we) (?:needed|wanted)\b|"
    r"\b(?:what a|such a) (?:joy|treat|delight|pleasure) (?:it is|to be)\b|\bcan't wait to (?:sit|be stuck|"
    r"stand) in\b|\blucky me[!.]*$|\bnot!$|"
    r"\bliving the dream\b",
    re.IGNORECASE,
)
"""Sarcasm that its words give away; the rest cannot be told."""
_MARKED: Final = re.compile(r"(?<!\S)/s(?!\S)|[(\[*#]sarcas\w+|🙄|</sarcasm>", re.IGNORECASE)
"""The whole message is marked as sarcasm."""
_FOND: Final = re.compile(
    r"(?<![\w'])(?:i|we)(?:'m| am| just| really| so| absolutely| totally| truly| do| simply){1,3} (?:love|adore|"
    r"enjoy|like|a fan|thrilled)",
    re.IGNORECASE,
)
"""A sentence that goes on in the tone of a mocking one before it."""
_ELLIPSIS: Final = re.compile(
    r"(?:(?:just|finally|recently|officially|currently|still|now|already|totally|absolutely|really|actually|"
    r"also)\s)?(?:"
    r"(?:moved|relocated|settled|quit|left|resigned|started|joined|visited|adopted|bought|sold|graduated|retired|"
    r"grew up|got|"
    r"love|hate|prefer|loathe|adore|dislike|live|work|study|switched|can't stand|don't (?:like|eat|drink|enjoy)|"
    r"used to)\b|"
    r"(?P<being>(?:not )?(?:living|based|working|studying|teaching|dating|engaged|married|allergic|vegan|vegetarian|"
    r"obsessed|addicted|"
    r"keen|crazy about|sick of|tired of|into)\b|(?:not |no )?a (?:big |huge )?fan of|no fan of|partial to|fond of|"
    r"(?P<fan>(?:big |huge )fan of))|(?P<been>been)\b|(?P<was>born|raised|laid off|hired)\b)"
    r"(?=\s)(?!\s(?:you|me|from me|for me)\b)",
    re.IGNORECASE,
)
_ASKED_BEHIND: Final = re.compile(
    r"(?:,|\s[-–—])\s(?:(?:so|but|and|then)\s)?(?=(?:what|which|where|who|whom|how|when|why|any|can|could|do|does|did|is|"
    r"are|will|would|should|shall|may)\b)",
    re.IGNORECASE,
)
_STATED_BEFORE: Final = re.compile(
    r"(?:(?:so|but|and|well|ok|okay|hi|hey|hello|also|since|because)[, ]+)?"
    r"(?:i|i'm|i've|im|ive|we|we're|we've|my|our)\s",
    re.IGNORECASE,
)
"""A statement of the speaker, behind which a sentence goes on to ask: "I don't drink alcohol, so what could go in"."""
_REPEATED: Final = re.compile(r"(?P<mark>[^\w\s])(?P=mark){3,}+")
_UNBROKEN: Final = re.compile(rf"[^\s{LETTERS}]{{200,}}+")
_LETTER: Final = re.compile(r"[^\W_]")
_BLANK: Final = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` is the message's cleaned text from `start`; `asks` when it is a question or marked as sarcasm: as a whole
    it asserts nothing."""

    text: str
    start: int
    asks: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def clean(text: str, *, titles: bool = False) -> str:
    """`text` at its length, with straight apostrophes, and quotations, code and addresses blanked: what somebody
    else said, or wrote in another language, is no statement of the speaker. With `titles` the names of books, films
    and songs keep their words. Blanked as well are repetitions of a mark and whatever goes on for 200 characters
    without white space, in a script that has it: no words, and slow to cut into words."""
    text = _REPEATED.sub(lambda match: match["mark"] + " " * (len(match.group()) - 1), text.translate(_STRAIGHT))
    text = _QUOTED.sub(lambda match: _without_quotes(match.group(), titles=titles), text)
    return _UNBROKEN.sub(lambda match: " " * len(match.group()), text)


def _without_quotes(quoted: str, *, titles: bool) -> str:
    """A title without its quotation marks, anything else blank."""
    if titles and _TITLE.fullmatch(quoted):
        return f" {quoted[1:-1]} "
    return _BLANK.sub(" ", quoted)


def split(cleaned: str) -> Iterator[Sentence]:
    """The sentences of a cleaned text in order, stripped, at most MAX_SENTENCE long, none without a letter or digit;
    in linear time."""
    mocking, marked = False, _MARKED.search(cleaned) is not None
    for start, end in pieces(cleaned):
        text = cleaned[start:end]
        mocks = _MOCKING.search(text) is not None or (mocking and _FOND.match(text) is not None)
        mocking = mocks
        yield Sentence(text, start, asks=mocks or marked or _is_question(text))


def pieces(cleaned: str) -> Iterator[tuple[int, int]]:
    """Where the sentences that `split` gives begin and end, without looking at what they say."""
    for begin, end in _cuts(cleaned):
        start = begin
        while start < end:
            stop = end
            if end - start > MAX_SENTENCE:
                gap = cleaned.rfind(" ", start + 1, start + MAX_SENTENCE)
                stop = gap if gap > start else start + MAX_SENTENCE
            piece = cleaned[start:stop]
            stripped = piece.strip()
            if _LETTER.search(stripped):
                first = start + len(piece) - len(piece.lstrip())
                yield first, first + len(stripped)
            start = stop


def stated_before(sentence: Sentence) -> Iterator[Sentence]:
    """A question without what the speaker states before it, and that: "I don't drink alcohol" and "what could go into
    this". Any other sentence as it is."""
    text = sentence.text
    asked = _ASKED_BEHIND.search(text) if sentence.asks and text.rstrip("\"')]}”!」』）！ ").endswith("?") else None
    if asked is None or not _STATED_BEFORE.match(text):
        yield sentence
        return
    yield Sentence(text[: asked.start()], sentence.start, asks=False)
    yield Sentence(text[asked.end() :], sentence.start + asked.end(), asks=True)


def _cuts(cleaned: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for match in _END.finditer(cleaned):
        head = cleaned[max(begin, match.start() - 12) : match.start()]
        if "\n" not in match.group() and _ABBREVIATION.search(head):
            continue
        yield begin, match.start()
        begin = match.end()
    yield begin, len(cleaned)


def between(boundary: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Where the parts of `text` that the boundaries divide begin and end."""
    begin = 0
    for match in boundary.finditer(text):
        yield begin, match.start()
        begin = match.end()
    yield begin, len(text)


def spelled_out(text: str) -> str | None:
    """A sentence without a subject with the one it means: "Moved to Porto" → "I moved to Porto". None where the
    sentence does not begin so. Offsets are no longer those of `text`."""
    match = _ELLIPSIS.match(text)
    if match is None:
        return None
    subject = "I'm" if match["being"] else "I've" if match["been"] else "I was" if match["was"] else "I"
    article = " a" if match["fan"] else ""
    return f"{subject}{article} {text[0].lower()}{text[1:]}"


def with_capital(text: str) -> str:
    """`text` as a sentence begins, the rest of it as it is."""
    return text[:1].upper() + text[1:]


def _is_question(text: str) -> bool:
    if _TAG_QUESTION.search(text[-40:]):  # "I live in Porto, and you?" still says where I live
        return False
    return text.rstrip("\"')]”!」』）！").endswith(("?", "？", "؟")) or _INVERTED.match(text) is not None
