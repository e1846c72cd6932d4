"""Common to models on ONNX Runtime: a session on one core, and the tokens that a model reads of a text."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING

from ragpp.text.tokens import UNSETTLED_TOKENS

if TYPE_CHECKING:
    from pathlib import Path

    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from ragpp.embedding.lanes import TokenIds


def session_of(graph: Path | bytes) -> InferenceSession:
    """A session that runs on the thread of its caller, without spinning and without telemetry."""
    # else it keeps an id of this machine in the user's cache folder and reports to its makers; when it is imported
    # it looks at the process's own environment, and takes no word for it afterwards
    os.putenv("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # noqa: PLC0415 - 0.1 s and 30 MB that no other embedder needs

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    _return_free_memory()
    return session


def _return_free_memory() -> None:
    """Give the operating system what reading a tokenizer and a graph took: the C library would keep it, 40 MB."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc alone has it
    if trim is not None:
        trim(0)


def tokens_of(tokenizer: Tokenizer, text: str, most: int) -> TokenIds:
    """The ids of the first tokens of `text` between the two that frame it, `most` in all. Of a long text no more is
    read than that takes."""
    window = 8 * (most + UNSETTLED_TOKENS)
    ids = _encoded(tokenizer, text[:window])
    while window < len(text) and len(ids) < most + UNSETTLED_TOKENS:
        window *= 2
        ids = _encoded(tokenizer, text[:window])
    first, last = tokenizer.encode("").ids
    return [first, *ids[: most - 2], last]


def _encoded(tokenizer: Tokenizer, text: str) -> TokenIds:
    # Unlike `encode`, `encode_batch` lets other threads run; a batch of one keeps it on one core.
    ids: TokenIds = tokenizer.encode_batch([text], add_special_tokens=False)[0].ids
    return ids
