"""Neo4j's jars and the second encoder's: fetched once per user, in parallel, each checked against the committed lock.

A jar that is in the cache under its own name has been verified: it gets that name only afterwards. Later
starts therefore compare sizes alone, which takes a millisecond or two for all of them.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from ragpp.errors import StackError

LOCK_FILE: Final = Path(__file__).with_name("neo4j.lock")
ATTEMPTS: Final = 4
OnDownload = Callable[[int, int], None]
"""Called with (bytes so far, bytes in all), from any thread but never from two at once."""


@dataclass(frozen=True)
class Jar:
    """One locked artifact; `size` in bytes."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str
    size: int

    @property
    def coordinate(self) -> str:
        """`group:artifact:version` with `:classifier` where there is one."""
        return ":".join(part for part in (self.group, self.artifact, self.version, self.classifier) if part)

    @property
    def path(self) -> str:
        """Where a Maven repository, and the cache, keep it."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        folder = f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}"
        return f"{folder}/{self.artifact}-{self.version}{suffix}.jar"

    def line(self) -> str:
        """Its line in the lock."""
        return f"{self.coordinate} {self.sha256} {self.size}"

    @classmethod
    def from_line(cls, line: str) -> Self:
        """The inverse of `line`."""
        coordinate, sha256, size = line.split()
        group, artifact, version, *classifier = coordinate.split(":")
        return cls(group, artifact, version, classifier[0] if classifier else "", sha256, int(size))


def read_lock(lock_file: Path = LOCK_FILE) -> list[Jar]:
    """The locked jars, in the order of the class path."""
    lines = lock_file.read_text(encoding="utf-8").splitlines()
    return [Jar.from_line(line) for line in lines if line and not line.startswith("#")]


def neo4j_version(jars: Sequence[Jar]) -> str:
    """The version of Neo4j that `jars` make up."""
    return next(jar.version for jar in jars if (jar.group, jar.artifact) == ("org.neo4j", "neo4j"))


def repository() -> str:
    """The address of the Maven repository that jgo uses, without a slash at its end."""
    from jgo.constants import MAVEN_CENTRAL_URL  # noqa: PLC0415 - jgo is slow to import and needed only to download

    return str(MAVEN_CENTRAL_URL).rstrip("/")


def fetch(
    jars: Sequence[Jar],
    cache: Path,
    *,
    base_url: str | None = None,
    attempts: int = ATTEMPTS,
    on_download: OnDownload = lambda _received, _total: None,
    cancelled: threading.Event | None = None,
) -> list[Path]:
    """The paths of `jars` in `cache`, in their order, after fetching those that are missing.

    Proxies and certificates come from the environment, as httpx reads them (`HTTPS_PROXY`, `SSL_CERT_FILE`).
    Two processes may fetch into one cache at once. Raises StackError, also soon after `cancelled` is set.
    """
    missing = [jar for jar in jars if not is_present(jar, cache)]
    if missing:
        from ragpp_infra.embedded.servers.jar_download import Download  # noqa: PLC0415 - once on a machine

        cancelled = cancelled or threading.Event()
        Download(missing, cache, base_url or repository(), attempts, on_download, cancelled).run()
        if cancelled.is_set():
            raise StackError("the download was cancelled", suggestions=("Repeat: what has arrived is kept.",))
    return [cache / jar.path for jar in jars]


def is_present(jar: Jar, cache: Path) -> bool:
    """True where `jar` is in `cache`, by its size: it has its name there once its digest was right."""
    try:
        return (cache / jar.path).stat().st_size == jar.size
    except FileNotFoundError:
        return False
