"""A stand-in for the language model that chooses items: it reads the prompt `choose` as a model is given it, and a
function chooses. What comes of it says nothing about a real model."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from ragpp.testing.llm import Answered

Choose = Callable[[str, Sequence[str], int], Sequence[tuple[int, float]]]
"""The places, from 0, and scores of the best candidates, of a question, their texts and how many are wanted."""


def choosing(choose: Choose) -> Callable[[Mapping[str, object]], Answered]:
    """For `LlmServer.answers`."""

    def answer(body: Mapping[str, object]) -> Answered:
        messages = cast("list[dict[str, str]]", body["messages"])
        lines = [json.loads(line) for line in messages[-1]["content"].splitlines() if line.startswith("{")]
        question, facts = lines[0], lines[1:]
        chosen = choose(question["text"], [fact["text"] for fact in facts], question["most"])
        reply = [{"n": facts[place]["n"], "score": score} for place, score in chosen]
        return Answered(reply={"chosen": reply})

    return answer


def by_words(question: str, texts: Sequence[str], most: int) -> list[tuple[int, float]]:
    """Those with the largest share of the question's words of over three letters, in any case."""
    wanted = {word for word in _words(question) if len(word) > 3}
    shares = {place: len(wanted & _words(text)) / max(1, len(wanted)) for place, text in enumerate(texts)}
    best = sorted(shares, key=lambda place: -shares[place])[:most]
    return [(place, shares[place]) for place in best if shares[place] > 0]


def _words(text: str) -> set[str]:
    return {word.strip(".,;:!?\"'()").casefold() for word in text.split()}
