"""The assembled graph on disk, so that only the first start of an installation assembles it."""

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

REVISION: Final = 1
"""Part of a cached graph's name: raise it when `minilm_graph` assembles another graph."""


@dataclass(frozen=True)
class Tuning:
    """Changes that are added to some of a checkpoint's tensors. `name`: another one for other `changes`, which are made
    when the graph is assembled."""

    name: str
    changes: Callable[[], Mapping[str, FloatMatrix]]


def load_graph(checkpoint: Checkpoint, cache_dir: Path, tuning: Tuning | None = None) -> Path | bytes:
    """The graph of `checkpoint`: the file in `cache_dir`, assembled and left there first where it is missing (3 s).
    `tuning`: the graph is that of the tokens' states, by tensors that are changed (`minilm_graph.assemble`).

    The name of the file holds the checkpoint's SHA-256, and beside it lies the graph's own, so a graph that was
    damaged or half written is assembled again. Processes may do this at the same time. Where the folder cannot be
    written, the answer is the serialised graph itself, and each start assembles it.
    Raises EmbeddingError when the checkpoint is missing or not the published one.
    """
    folder = cache_dir.expanduser()
    of = "" if tuning is None else f"-{tuning.name}-int7"
    graph_path = folder / f"minilm-{SHA256['model.safetensors'][:16]}-{REVISION}{of}.onnx"
    digest_path = graph_path.with_suffix(".sha256")
    with contextlib.suppress(OSError), graph_path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest == digest_path.read_text(encoding="ascii", errors="replace"):
            return graph_path
    graph = _assemble(checkpoint, tuning)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_whole(graph_path, graph)
        _write_whole(digest_path, hashlib.sha256(graph).hexdigest().encode())
    except OSError:
        return graph
    return graph_path


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
