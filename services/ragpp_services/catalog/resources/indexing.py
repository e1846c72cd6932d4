"""From an entry to a resource's rows: what makes two the same, the words it is found by, what is left without some of
its turns. Pure, and CPU-bound: a content of a million characters takes seconds."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from ragpp.catalog import ResourceMessage, ResourceType
from ragpp.context.echo import own_chunks_of
from ragpp.text.chunking import TextChunk
from ragpp.text.lexical import document_weights
from ragpp.text.port import TokenMeter, TokenSpans
from ragpp_services.catalog.passages.headings import sections
from ragpp_services.catalog.passages.leads import READ_ABOVE, under_its_lead
from ragpp_services.catalog.resources.rows import Indexed, NewChunk

PASSAGE_TOKENS: Final = 96
"""Tokens of a chunk: a few sentences, one question of a list of questions with its answer, some rows of a table. What
is shown where no item answers is to be about the question, and a vector of more says less of each."""
LABEL_CHARS: Final = 200
"""A longer text in a resource's metadata is none of its labels."""


@dataclass(frozen=True, slots=True)
class Said:
    """The content of a resource, and who says which part of it."""

    content: str
    messages: tuple[ResourceMessage, ...]

    @property
    def turns(self) -> list[str]:
        """Ids of the interactions that it holds."""
        return [one.interaction_id for one in self.messages if one.interaction_id is not None]


def content_hash(resource_type: ResourceType, content: str) -> bytes:
    """The hash by which a resource is the same when its id comes again: SHA-256 of its type and content. The first
    write's time, session, agent and metadata are kept."""
    return hashlib.sha256(json.dumps([resource_type, content], ensure_ascii=False).encode()).digest()


def without_turns(said: Said, gone: Collection[str]) -> Said | None:
    """`said` as if these interactions had never been in it; None where nothing is left of it.

    A message goes with the beginning of its line, which names its speaker, and with the end of that where it is all of
    it.
    """
    if not any(one.interaction_id in gone for one in said.messages if one.interaction_id is not None):
        return said
    content, pieces, messages, removed, kept_until = said.content, list[str](), list[ResourceMessage](), 0, 0
    for one in sorted(said.messages, key=lambda message: (message.start, message.end)):
        if one.interaction_id is None or one.interaction_id not in gone:
            messages.append(one.model_copy(update={"start": one.start - removed, "end": one.end - removed}))
            continue
        start = max(kept_until, content.rfind("\n", 0, one.start) + 1, *(_ends_before(one, said.messages)))
        end = min(one.end, len(content))
        if start == 0 or content[start - 1] == "\n":
            end += next((len(mark) for mark in ("\r\n", "\n") if content.startswith(mark, end)), 0)
        pieces.append(content[kept_until:start])
        removed += max(0, end - start)
        kept_until = max(kept_until, end)
    left = "".join((*pieces, content[kept_until:]))
    if not content.endswith("\n") and kept_until == len(content):  # its last line has no end, so the new one has none
        left = left.removesuffix("\n").removesuffix("\r")
    return Said(left, tuple(messages)) if messages and left.strip() else None


def _ends_before(one: ResourceMessage, messages: Sequence[ResourceMessage]) -> list[int]:
    """Where the others end that stand before it; 0 at least."""
    return [0, *(other.end for other in messages if other.end <= one.start)]


def cut(
    resource_type: ResourceType, content: str, metadata: Mapping[str, JsonValue], counter: TokenSpans
) -> tuple[NewChunk, ...]:
    """The chunks that searches read, none of what came from memory and none that goes on over a heading; each is found
    by the labels in `metadata` and by what it stands under as well. They are passages but for those of a conversation,
    where a question stands beside each answer and an answer may repeat memories: what was said is found where it was
    heard. Raises what `counter` raises."""
    labels, is_passage = labels_in(metadata), resource_type != "conversation"

    def chunk_of(piece: TextChunk) -> NewChunk:
        above = content[max(0, piece.start - READ_ABOVE) : piece.start]
        lexical = document_weights(labels + under_its_lead(above, piece.text))
        passage = is_passage and not piece.text.isspace()
        return NewChunk(part=piece.ordinal, start=piece.start, end=piece.end, lexical=lexical, passage=passage)

    return tuple(map(chunk_of, own_chunks_of(content, counter, PASSAGE_TOKENS, sections(content))))


def indexed(
    resource_type: ResourceType,
    said: Said,
    metadata: Mapping[str, JsonValue],
    counter: TokenSpans,
    reader: TokenMeter,
) -> Indexed:
    """The stored form of what a resource says, cut as `counter` counts and as long as `reader` counts. Raises what they
    raise."""
    return Indexed(
        content=said.content,
        messages=said.messages,
        content_hash=content_hash(resource_type, said.content),
        tokens=reader.count(said.content),
        chunks=cut(resource_type, said.content, metadata, counter),
    )


def labels_in(metadata: Mapping[str, JsonValue]) -> str:
    """A resource's own labels, such as its title or its service: the short texts in its metadata, a line each. Empty
    where there are none."""
    texts = (value for value in metadata.values() if isinstance(value, str) and len(value) <= LABEL_CHARS)
    return "".join(f"{text}\n" for text in texts)
