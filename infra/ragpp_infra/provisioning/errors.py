"""Why servers could not be made ready for RAG++."""

from ragpp.errors import MemorySystemError


class NotReady(Exception):
    """The server does not answer yet."""


class ProvisioningError(
    MemorySystemError,
    code="MEM-035",
    status=500,
    title="The servers could not be made ready",
    suggestions=("Repeat it: what is done is found done.", "See what the server named in the message logs."),
):
    """A server refused a role, an extension, an account, a password or a schema; what was done by then stays."""
