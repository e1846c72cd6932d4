"""Names as they may stand in a line: who said something, and keys, so that no reader takes them for more. Pure."""

import re
import unicodedata
from typing import Final

INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000110bd"
    "\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]+"
)
"""Runs of characters that do not show."""
COLONS: Final = ":\u02d0\u02d1\u02f8\u0589\u05c3\u0703\u0704\u16ec\u205a\u2236\u2982\ua789\ufe13\ufe30\ufe55\uff1a"
"""Characters that read as a colon."""
EMOJI: Final = 0x1F000
"""Characters from here on are pictures, for the most part."""

SPEAKER: Final = "user"
"""The name that stands for the speaker of a message where the caller gave none, and in the graph for who that is."""

ROLES: Final = frozenset({"user", "assistant", "system", "tool", "developer", "human", "function", "model"})
"""Words that no name may read as but its speaker's role."""
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9]+(?:[ .'_-][A-Za-z0-9]+)*")
_BESIDE_WORDS: Final = re.compile(r"\A[\W_]+|[\W_]+\Z")
_IN_NAMES: Final = frozenset(" .,'’-_&/+@()\"")
_LOOK_ALIKES: Final = str.maketrans(
    "аеорсухѕіјмткнвгԁӏαετυιομνρσςηχκıɩᴀᴇᴍꜱᴛ",
    "aeopcyxsijmtkhbrdlaetyiomnpsshxkiiaemst",
)


def says_nothing(text: str) -> bool:
    """True where `text` has nothing that shows: white space and characters that do not show alone."""
    beginning = text.lstrip()[:1]
    if beginning and not INVISIBLE.match(beginning):
        return False
    return not INVISIBLE.sub("", text).strip()


def on_one_line(text: str) -> str:
    """`text` with white space and line ends of every kind as single spaces."""
    return " ".join(text.split())


def is_same(one: str, other: str) -> bool:
    """True where two names are one, whatever their case and white space."""
    return on_one_line(one).casefold() == on_one_line(other).casefold()


def as_name(name: str) -> str:
    """A name or key as it may stand in a line of ours before a colon: on one line, and of nothing but letters, digits
    and what stands in names; empty where it has none of these."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    visible = INVISIBLE.sub("", on_one_line(name))
    words = on_one_line("".join(character if _stands_in_names(character) else " " for character in visible))
    return words.lstrip(" .,'’-_&/+@()") if any(map(_is_letter, words)) else ""


def speaker(name: str | None, role: str) -> str:
    """Who said something: the name, or the role of one without a name. A name that reads as another role than the
    speaker's, as it is or without its marks, stands in quotation marks, without others."""
    if not name:
        return role
    if name == role or not (_reads_as_role(name) or _reads_as_role(as_name(name))):
        return name
    inner = [place for place, character in enumerate(name) if _is_letter(character)]
    return f'"{name[inner[0] : inner[-1] + 1] if inner else name}"'


def as_read(text: str) -> str:
    """`text` in the small letters that a reader takes its own for."""
    return unicodedata.normalize("NFKC", INVISIBLE.sub("", text)).casefold().translate(_LOOK_ALIKES)


def _reads_as_role(name: str) -> bool:
    return _BESIDE_WORDS.sub("", as_read(name)) in ROLES


def _stands_in_names(character: str) -> bool:
    return character in _IN_NAMES or _is_letter(character) or unicodedata.category(character)[0] == "M"


def _is_letter(character: str) -> bool:
    return (character.isalnum() and character not in COLONS) or ord(character) >= EMOJI
