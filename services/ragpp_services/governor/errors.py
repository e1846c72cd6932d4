"""The governor's errors; the memory is never among their causes."""

from ragpp.errors import MemorySystemError


class ResponderFailed(
    MemorySystemError,
    code="MEM-050",
    status=502,
    title="The responder failed",
    retryable=True,
    suggestions=(
        "Send the same event with the same id again: the user's message is remembered, and a repeat is harmless.",
        "See the message for what the language model or the callable said.",
    ),
):
    """The responder raised, took too long, or answered what is no reply. `details["transitions"]`: the nodes that were
    passed."""


class ReplayDiverged(
    MemorySystemError,
    code="MEM-051",
    status=409,
    title="The replay took another way",
    suggestions=("Replay with the code that made the record, or with strict off to see what it makes of it now.",),
):
    """A node of a replayed turn goes by something else than it did when the turn was recorded."""
