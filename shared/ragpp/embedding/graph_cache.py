"""Graphs on disk, so that only the first start of an installation makes them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragpp.embedding.checkpoint import SHA256, Checkpoint
from ragpp.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ragpp.embedding.port import FloatMatrix

REVISION: Final = 2
"""Part of a cached graph's name: raise it when another graph is made of the same weights."""


@dataclass(frozen=True)
class Tuning:
    """Changes that are added to some of a checkpoint's tensors. `name`: another one for other `changes`, which are made
    when the graph is assembled."""

    name: str
    changes: Callable[[], Mapping[str, FloatMatrix]]


def load_graph(checkpoint: Checkpoint, cache_dir: Path, tuning: Tuning | None = None) -> Path | bytes:
    """The graph of `checkpoint` (`keep_graph`), which takes 3 s to assemble. `tuning`: the graph is that of the tokens'
    states, by tensors that are changed (`minilm_graph.assemble`). Raises EmbeddingError when the checkpoint is missing
    or not the published one."""
    of = "" if tuning is None else f"-{tuning.name}-int7"
    name = f"minilm-{SHA256['model.safetensors'][:16]}{of}"
    return keep_graph(cache_dir, name, lambda: _assemble(checkpoint, tuning))


def keep_graph(folder: Path, name: str, make: Callable[[], bytes]) -> Path | bytes:
    """The file in `folder` with the graph `name`, which `make` gives, serialised, where it is missing.

    Beside it lie its tables of embeddings and the SHA-256 of both, so a graph that was damaged or half written is made
    again. Processes may do this at the same time. Where the folder cannot be written, the answer is the serialised
    graph itself, and each start makes it.
    """
    folder = folder.expanduser()
    graph_path = folder / f"{name}-{REVISION}.onnx"
    tables_path, digest_path = graph_path.with_suffix(".tables"), graph_path.with_suffix(".sha256")
    with contextlib.suppress(OSError):
        if _digest(graph_path, tables_path) == digest_path.read_text(encoding="ascii", errors="replace"):
            return graph_path
    graph = make()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        from ragpp.embedding.graph_tables import split_tables  # noqa: PLC0415 - onnx is heavy; a kept graph needs none

        contents = split_tables(graph, tables_path.name)
        for path, content in zip((graph_path, tables_path), contents, strict=True):
            _write_whole(path, content)
        _write_whole(digest_path, " ".join(hashlib.sha256(content).hexdigest() for content in contents).encode())
    except OSError:
        return graph
    return graph_path


def _digest(*paths: Path) -> str:
    """The SHA-256 of each file. Raises OSError where one is missing."""
    found = []
    for path in paths:
        with path.open("rb") as file:
            found.append(hashlib.file_digest(file, "sha256").hexdigest())
    return " ".join(found)


def _assemble(checkpoint: Checkpoint, tuning: Tuning | None) -> bytes:
    weights = checkpoint.weights
    from ragpp.embedding.minilm_graph import assemble  # noqa: PLC0415 - onnx is heavy, and a cached graph needs none

    try:
        return assemble(weights, None if tuning is None else tuning.changes())
    except (KeyError, ValueError, OSError) as error:
        raise EmbeddingError(f"no graph can be assembled from {weights}: {error}") from error


def _write_whole(path: Path, content: bytes) -> None:
    """Write `path` so that whoever reads it finds all of `content` or what was there before."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
