"""Which preferences ask the same question under two names. Pure, and cautious: a wrong merge hides a preference."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ragpp.models import Preference
from ragpp.text.english import FUNCTION_WORDS
from ragpp.text.lexical import terms, words

ALIKE_COSINE: Final = 0.93
"""From here on two keys of one category ask the same; with all-MiniLM-L6-v2 spellings and plurals reach it, while
"tea" and "coffee" have 0.6. Names and numbers must be the same whatever their cosine."""

_OWNER: Final = re.compile(r"^(?P<owner>.{1,100}?)'s (?P<rest>.+)$")


class Same(NamedTuple):
    """`absorb` says the same as `keep`."""

    keep: Preference
    absorb: Preference


def key_line(preference: Preference) -> str:
    """The text by which two preferences are compared: the question, without whose it is."""
    return f"{preference.category}: {_owner_and_question(preference)[1]}"


def duplicates(
    preferences: Sequence[Preference], vectors: Mapping[str, npt.NDArray[np.float32]] | None = None
) -> list[Same]:
    """Pairs to merge, each preference absorbed at most once, into one that is not absorbed itself.

    Two are the same when they are one speaker's, of one category, and their keys are the same words in another form or
    order, or, by `vectors` (of `key_line`, unit length), all but the same in meaning. The one known longest is kept.
    """
    ordered = sorted(preferences, key=lambda held: (held.learned_at, held.id))
    by_owner: dict[tuple[str, str], list[Preference]] = defaultdict(list)
    found = []
    for preference in ordered:
        owner, _ = _owner_and_question(preference)
        kept = by_owner[owner, preference.category]
        same = next((known for known in kept if _same(known, preference, vectors or {})), None)
        if same is None:
            kept.append(preference)
        else:
            found.append(Same(same, preference))
    return found


def may_be_same(one: Preference, other: Preference) -> bool:
    """True where two may ask the same question at all: one speaker's, of one category, with equal names and numbers."""
    same_owner = _owner_and_question(one)[0] == _owner_and_question(other)[0]
    return same_owner and one.category == other.category and _particulars(one) == _particulars(other)


def _same(one: Preference, other: Preference, vectors: Mapping[str, npt.NDArray[np.float32]]) -> bool:
    first, second = _normal(one), _normal(other)
    if first and first == second:
        return True
    if _particulars(one) != _particulars(other):
        return False
    left, right = vectors.get(key_line(one)), vectors.get(key_line(other))
    return left is not None and right is not None and float(left @ right) >= ALIKE_COSINE


def _normal(preference: Preference) -> frozenset[int]:
    question = _owner_and_question(preference)[1]
    content = [word for word in words(question) if word not in FUNCTION_WORDS]
    return frozenset(terms(" ".join(content)))


def _particulars(preference: Preference) -> frozenset[str]:
    """Names and numbers of the key."""
    question = _owner_and_question(preference)[1]
    return frozenset(word for word in question.split() if word[:1].isupper() or any(map(str.isdigit, word)))


def _owner_and_question(preference: Preference) -> tuple[str, str]:
    match = _OWNER.match(preference.key)
    return (match["owner"], match["rest"]) if match else ("", preference.key)
