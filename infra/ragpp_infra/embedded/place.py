"""What a client of the embedded stack finds in its folder: the key, the gateway's address, a connection."""

from pathlib import Path
from typing import Final

from ragpp.client import MemoryClient
from ragpp.errors import MemorySystemError
from ragpp_infra.embedded.home import Home, is_free, write_private

HOST: Final = "127.0.0.1"
USUAL_PORT: Final = 8700


class NotRunning(
    MemorySystemError,
    code="MEM-032",
    status=503,
    title="The embedded stack is not running",
    suggestions=("Start it with `ragpp up`.", "Elsewhere: name it with --home, or an address with --url and --key."),
):
    """No gateway of this folder answers, or none was ever started here."""


class Place:
    """One embedded stack's folder: its key, the gateway's address, how far each ingest came."""

    def __init__(self, path: Path) -> None:
        self.home = Home(path)
        self.key_path = self.home.path / "key"
        self.ingest_folder = self.home.path / "ingest"

    def key(self) -> str | None:
        """The stored API key; None before the first start."""
        try:
            return self.key_path.read_text(encoding="utf-8").strip() or None
        except FileNotFoundError:
            return None

    def write_key(self, key: str) -> None:
        """Keep `key`, readable by its owner alone from the first moment."""
        write_private(self.key_path, key)

    def url(self) -> str | None:
        """The gateway's address; None before the first start."""
        port = self.home.recall("gateway_port")
        return None if port is None else f"http://{HOST}:{port}"

    def choose_port(self) -> int:
        """The gateway's port: the one it had, else the usual one, else a free one. The caller holds the lock."""
        if self.home.recall("gateway_port") is None:
            self.home.remember("gateway_port", str(USUAL_PORT))
        return self.home.choose_port("gateway")

    def return_to_usual_port(self) -> None:
        """Have the gateway's next port be the usual one, where that is free. The caller holds the lock."""
        if self.home.recall("gateway_port") is not None and is_free(USUAL_PORT):
            self.home.remember("gateway_port", str(USUAL_PORT))

    def client(self, url: str | None = None, key: str | None = None, *, timeout_s: float = 60.0) -> MemoryClient:
        """A client of the gateway named by `url` and `key`, each taken from this folder when absent.

        Raises NotRunning when the folder has none: nothing was started here.
        """
        url, key = url or self.url(), key or self.key()
        if url is None or key is None:
            raise NotRunning(f"there is no embedded stack in {self.home.path}")
        return MemoryClient(url, key, timeout_s=timeout_s)
