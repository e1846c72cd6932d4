"""Closed lists of nouns, by what they name: `nouns.txt`, read once."""

from collections.abc import Mapping
from importlib import resources
from typing import Final

from ragpp.extraction.phrases import singular
from ragpp.text.english import word_set


def _lists() -> dict[str, frozenset[str]]:
    text = resources.files("ragpp.extraction.acts").joinpath("nouns.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found: dict[str, frozenset[str]] = {}
    name = ""
    for line in lines:
        if line.startswith(" "):
            words = word_set(line)
            found[name] |= words | {singular(word) for word in words}
        else:
            name = line.removesuffix(":")
            found[name] = frozenset()
    return found


NOUNS: Final[Mapping[str, frozenset[str]]] = _lists()
"""Name of a list → its words, as they are listed and in the singular. `vague` names nothing that could be looked up."""

LIGHT: Final = word_set(
    "kind type sort cup glass bottle piece bit pair couple bunch set slice bowl plate pack box lot series copy batch "
    "loaf pint jar bag dozen number collection few plenty tons loads handful part"
)
"""Nouns whose "of" tells what is meant: "a cup of tea"."""
