"""Chat spellings as a parser knows them: "n" is "and", "w" is "with", and a name after "my cousin" has a capital.

A parser that was trained on edited English takes "my cousin fenna is in one n i go 2 every concert" for noise. The
words are changed one by one, and each keeps its place in the message (`start_of`).
"""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from ragpp.text.english import word_set
from ragpp.text.kinship import CANONICAL

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_STARTS: Final = "ragpp_starts"
_LENGTHS: Final = "ragpp_lengths"
_SPELLED: Final[Mapping[str, str]] = {
    "i": "I", "n": "and", "nd": "and", "w": "with", "w/": "with", "wi": "with", "u": "you", "ur": "your", "r": "are",
    "ya": "you", "yr": "year", "yrs": "years", "wk": "week", "wks": "weeks", "abt": "about", "b4": "before",
    "frm": "from", "bc": "because", "cuz": "because", "cos": "because", "coz": "because", "pls": "please",
    "plz": "please", "thx": "thanks", "rly": "really", "bf": "boyfriend", "gf": "girlfriend", "sis": "sister",
    "bro": "brother", "ppl": "people", "gon": "going", "na": "to", "ta": "to", "tho": "though", "thru": "through",
    "nite": "night",
    "tmrw": "tomorrow", "tmr": "tomorrow", "bday": "birthday", "xmas": "Christmas", "fave": "favorite", "luv": "love",
    "gettin": "getting", "goin": "going", "doin": "doing", "workin": "working", "wt": "with", "evry": "every",
    "hubby": "husband", "thurs": "Thursday", "prob": "probably", "probs": "probably", "def": "definitely", "v": "very",
}  # fmt: skip
_ASIDES: Final = word_set(
    "lol lmao omg tbh ngl btw imo imho haha hahaha lmfao rn smh fyi idk ikr wow ugh yay xd lolol jk afaik tho bruh"
)
"""Words that say nothing of what happened and stand where a comma may."""
_CLIPPED: Final[Mapping[str, frozenset[str]]] = {
    "s": word_set("he she it that there here what who where"),
    "m": word_set("i"),
    "re": word_set("you we they"),
    "ve": word_set("i you we they"),
    "ll": word_set("i you we they he she it"),
    "d": word_set("i you we they he she it"),
    "nt": word_set("do does did is are was were have has had ca wo would could should"),
}
"""The rest of a word without its apostrophe, and the words it stands behind: "im", "hes", "dont"."""
_NUMERALS: Final[Mapping[str, str]] = {"2": "to", "4": "for"}
_BEFORE_A_NUMERAL: Final = word_set(
    "went go goes going back over get got off need want have made built cooked thanks ready"
)
_BEHIND_A_NUMERAL: Final = word_set("my the me our his her their ur your us all u him them")
_UNITS: Final = word_set(
    "h hrs hours days weeks wks months years yrs pm am times kids cats dogs pages km miles of more"
)
_KIN: Final = "|".join(
    re.escape(word) for word in sorted({*CANONICAL, "bf", "gf", "hubby", "ex"}, key=len, reverse=True)
)
_NAMED: Final = re.compile(
    rf"\b(?:(?:my|our|his|her|their|your|ur)\s(?:\w+\s)?(?:{_KIN})|(?:called|named)|"
    rf"(?:{_KIN}) (?:is )?(?:called|named))(?P<name>\s(?P<word>[a-z][a-z'-]+))\b"
)
_SOMEWHERE: Final = re.compile(
    r"\b(?:at|in|to|2|from|frm|near|joined|visited|of)\s(?P<word>[a-z]{4,})\b(?P<more>(?:\s(?:academy|college|university|"
    r"hospital|clinic|museum|school|cafe|bakery|books|fest|festival|club))?)"
)
_INFLECTED: Final = re.compile(r"(?:s|es|ed|d|ing|ly|er|ers|est|in)$")


def start_of(word: "Token") -> int:
    """Where the word begins in the sentence as it was written."""
    starts: list[int] | None = word.doc.user_data.get(_STARTS)
    return word.idx if starts is None else starts[word.i]


def length_of(word: "Token") -> int:
    """How many characters the word has as it was written."""
    lengths: list[int] | None = word.doc.user_data.get(_LENGTHS)
    return len(word.text) if lengths is None else lengths[word.i]


def spelled_out(pipeline: "Language", text: str) -> "Doc":
    """The sentence cut into words, each as it is spelled in edited English; not parsed yet."""
    from spacy.tokens import Doc  # noqa: PLC0415 -- spaCy is loaded by whoever has a pipeline

    cut = pipeline.make_doc(text)
    words = [_spelled(cut, at) for at in range(len(cut))]
    if all(word == token.text for word, token in zip(words, cut, strict=True)):
        return cut
    spaces = [bool(token.whitespace_) for token in cut]
    doc = Doc(cut.vocab, words=words, spaces=spaces)
    doc.user_data[_STARTS] = [token.idx for token in cut]
    doc.user_data[_LENGTHS] = [len(token.text) for token in cut]
    return doc


def _spelled(cut: "Doc", at: int) -> str:
    text = cut[at].text
    low = text.lower()
    after = cut[at + 1].lower_ if at + 1 < len(cut) else ""
    before = cut[at - 1].lower_ if at else ""
    if low in _ASIDES and at:
        return ","
    if low == "got" and after == "ta":
        return "have"
    if low in _NUMERALS:
        told = before in _BEFORE_A_NUMERAL or after in _BEHIND_A_NUMERAL
        return _NUMERALS[low] if told and after.isalpha() and after not in _UNITS else text
    if low in _CLIPPED and not cut[at - 1].whitespace_ and before in _CLIPPED[low]:
        return f"'{low}" if low != "nt" else "n't"
    if (
        text.islower()
        and low in _SPELLED
        and not (low in {"v", "r", "n", "w"} and not (before.isalnum() and after.isalnum()))
    ):
        return _SPELLED[low]
    return text


def with_capitals(text: str, is_word: Callable[[str], bool]) -> str:
    """`text` at its length, with the capitals of names that a hasty writer left out, where the words before tell that
    a name stands there, and it is no word of the language."""

    def restored(match: re.Match[str]) -> str:
        word = match["word"]
        if _is_ordinary(word, is_word):
            return match.group()
        at = match.start("word") - match.start()
        whole = match.group()
        return whole[:at] + whole[at].upper() + whole[at + 1 :]

    text = _NAMED.sub(restored, text)
    return _SOMEWHERE.sub(restored, text)


def _is_ordinary(word: str, is_word: Callable[[str], bool]) -> bool:
    if word in _SPELLED or word in _ASIDES or is_word(word):
        return True
    stem = _INFLECTED.sub("", word)
    return stem != word and any(
        is_word(form) for form in (stem, f"{stem}e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem)
    )


def words_of(pipeline: "Language") -> Callable[[str], bool]:
    """The test whether something is a word of English, by the dictionary of the pipeline's lemmatizer; of a pipeline
    without one everything is, so that no capital is added."""
    if "lemmatizer" not in pipeline.pipe_names:
        return lambda _word: True
    lookups = pipeline.get_pipe("lemmatizer").lookups  # type: ignore[attr-defined]  # spaCy types every pipe as a callable
    if not (lookups.has_table("lemma_index") and lookups.has_table("lemma_exc")):
        return lambda _word: True
    index = lookups.get_table("lemma_index")
    irregular = lookups.get_table("lemma_exc")
    known = frozenset().union(*index.values(), *irregular.values()) | pipeline.Defaults.stop_words
    return known.__contains__
