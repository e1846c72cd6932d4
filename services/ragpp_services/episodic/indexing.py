"""From entries to rows: content hashes, chunks, vectors and words; pure but for the embedder that it is handed."""

import hashlib
import json
from collections.abc import Sequence

from ragpp.context.echo import own_chunks
from ragpp.embedding import Embedder, FloatMatrix
from ragpp.embedding.vectors import vectors_of
from ragpp.models import EmbeddedChunk, Interaction, InteractionEntry
from ragpp.text.chunking import TextChunk
from ragpp.text.port import TokenSpans
from ragpp_services.episodic.reading.traits import read_chunk, traits
from ragpp_services.episodic.rows import NewChunk, NewInteraction

Pieces = Sequence[EmbeddedChunk | TextChunk]
"""An entry's chunks: those that it brought, or those that were cut here and have no vectors yet."""


def content_hash(interaction: Interaction) -> bytes:
    """The hash by which an interaction is the same when its id comes again: SHA-256 of role, name and content.

    The time is left out, for a client that sends none gets another one with every retry; so are session, agent and
    metadata: they say where something was said, not what, and the first write's are kept.
    """
    said = json.dumps([interaction.role, interaction.name, interaction.content], ensure_ascii=False)
    return hashlib.sha256(said.encode()).digest()


def cut_all(entries: Sequence[InteractionEntry], counter: TokenSpans) -> list[Pieces]:
    """The chunks of each entry, in order; cut here where it brings none. None of what came from memory."""
    return [entry.chunks or own_chunks(entry.interaction, counter) for entry in entries]


async def embed_missing(
    entries: Sequence[InteractionEntry], cuts: Sequence[Pieces], embedder: Embedder
) -> list[FloatMatrix]:
    """A (chunks, dimension) matrix for each entry: the vectors it brought, or the embedder's of their texts.

    Raises InvalidInput for a vector of another dimension, or one without a direction; EmbeddingError.
    """
    return await vectors_of(
        [
            [chunk.embedding for chunk in entry.chunks] if entry.chunks else [_text(entry, piece) for piece in pieces]
            for entry, pieces in zip(entries, cuts, strict=True)
        ],
        embedder,
    )


def new_interactions(
    entries: Sequence[InteractionEntry], cuts: Sequence[Pieces], vectors: Sequence[FloatMatrix]
) -> list[NewInteraction]:
    """The rows of each entry, from its chunks and their vectors."""
    return [_new_interaction(*parts) for parts in zip(entries, cuts, vectors, strict=True)]


def _new_interaction(entry: InteractionEntry, pieces: Pieces, vectors: FloatMatrix) -> NewInteraction:
    of_all = traits(entry.interaction)
    readings = [read_chunk(entry.interaction, _text(entry, piece)) for piece in pieces]
    return NewInteraction(
        interaction=entry.interaction,
        content_hash=content_hash(entry.interaction),
        tokens=entry.tokens or sum(piece.tokens for piece in pieces),
        redactions=entry.redactions,
        chunks=tuple(
            NewChunk(
                start=piece.start,
                end=piece.end,
                tokens=piece.tokens,
                embedding=row,
                lexical=weights,
                traits=int(of_all | of_chunk),
            )
            for piece, row, (of_chunk, weights) in zip(pieces, vectors, readings, strict=True)
        ),
    )


def _text(entry: InteractionEntry, piece: EmbeddedChunk | TextChunk) -> str:
    return entry.interaction.content[piece.start : piece.end]
