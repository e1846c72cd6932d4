"""What the client alone raises; what the gateway answers as an error comes back as the one of `ragpp.errors`."""

from ragpp.errors import InvalidInput, MemorySystemError


class GatewayUnreachable(
    MemorySystemError,
    code="MEM-031",
    status=503,
    title="The gateway cannot be reached",
    retryable=True,
    suggestions=("Start it with `ragpp up`, in containers `docker compose up --wait`, or check the address.",),
):
    """No answer came back. A write may have happened: repeat it with the same ids."""


class TextTooLong(
    InvalidInput,
    code="MEM-026",
    status=422,
    title="A text is too long",
    suggestions=("Split it, and send the parts one after the other; of a long question the end is what matters.",),
):
    """A text has more characters than its field takes: a message 100,000, a question 20,000. Nothing was sent."""

    @property
    def most(self) -> int | None:
        """How many characters the first such field takes; None where that is not told."""
        most = self.details.get("most")
        return most if isinstance(most, int) else None
