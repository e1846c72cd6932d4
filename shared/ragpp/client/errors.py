"""What the client alone raises; what the gateway answers as an error comes back as the one of `ragpp.errors`."""

from ragpp.errors import MemorySystemError


class GatewayUnreachable(
    MemorySystemError,
    code="MEM-031",
    status=503,
    title="The gateway cannot be reached",
    retryable=True,
    suggestions=("Start it with `ragpp up`, in containers `docker compose up --wait`, or check the address.",),
):
    """No answer came back. A write may have happened: repeat it with the same ids."""
