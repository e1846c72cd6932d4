"""The responder without a language model: it says what is remembered that bears on the question, word for word.

Deterministic, and honest in that it adds nothing: a quotation, who said it and when, or that there is none.
"""

from typing import Final

from ragpp.text.english import day_in_words
from ragpp.text.lexical import query_terms, stored_terms
from ragpp_services.governor.values import MemoryUsed, Prompt, PromptMessage, Reply

MAX_QUOTED: Final = 2
CLOSE_ENOUGH: Final = 0.5
"""Cosine from which a memory without a word of the question counts as being about it, for the default embedder."""
MAX_QUOTE_CHARS: Final = 400
_SPOKEN: Final = frozenset({"interaction", "message"})


def quoted_answer(prompt: Prompt) -> Reply:
    """A reply that quotes and cites at most MAX_QUOTED memories that the last message asks for, or a tool's answer."""
    last = prompt.messages[-1]
    if last.role == "tool":
        return Reply(text=f"{last.name} answered: {_short(last.content)}", cited=())
    found = [] if prompt.relevance == "none" else relevant(last, prompt.memories)
    quoted = " ".join(_told(memory, last.name) for memory in found)
    if last.content.rstrip().endswith("?"):
        text = quoted or (
            "I remember nothing about that." if prompt.recalled else "My memory does not answer just now."
        )
    else:
        text = f"Noted. {quoted}".rstrip()
    return Reply(text=text, cited=tuple(memory.id for memory in found))


def relevant(asked: PromptMessage, memories: tuple[MemoryUsed, ...]) -> list[MemoryUsed]:
    """Those of `memories` (best first) that share most of the question's words, in that order; one that shares none
    only where the first of them is close in meaning. Questions, the assistant's own words and what was corrected since
    answer nothing."""
    wanted = set(query_terms(asked.content))
    candidates = [memory for memory in memories if _says_something(memory, asked.content)]
    covered = [(len(wanted & set(stored_terms(memory.text))), memory) for memory in candidates]
    most = max((count for count, _ in covered), default=0)
    if most:
        kept = [(count, memory) for count, memory in covered if count and 2 * count >= most]
        kept.sort(key=lambda pair: -pair[0])
        return [memory for _, memory in kept[:MAX_QUOTED]]
    return [memory for memory in candidates[:1] if (memory.similarity or 0.0) >= CLOSE_ENOUGH]


def _says_something(memory: MemoryUsed, asked: str) -> bool:
    if memory.kind == "entity" or memory.corrected_by is not None or memory.text.strip() == asked.strip():
        return False
    return memory.kind not in _SPOKEN or (memory.said_by != "assistant" and not memory.text.rstrip().endswith("?"))


def _told(memory: MemoryUsed, name: str | None) -> str:
    if memory.kind not in _SPOKEN:
        return f"I have learned: {_short(memory.text).removesuffix('.')}."
    who = "you" if memory.said_by in {"user", name, None} else memory.said_by
    when = f"On {day_in_words(memory.occurred_at)} " if memory.occurred_at else ""
    return f"{when}{who if when else str(who).capitalize()} said: “{_short(memory.text)}”"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= MAX_QUOTE_CHARS else flat[: MAX_QUOTE_CHARS - 2] + " …"
