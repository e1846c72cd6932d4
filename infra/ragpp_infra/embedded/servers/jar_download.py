"""Locked jars that are missing, fetched in parallel; a jar gets its name once its digest is the locked one."""

import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx

from ragpp.errors import StackError

if TYPE_CHECKING:
    from ragpp_infra.embedded.servers.jars import Jar, OnDownload

PARALLEL: Final = 12
PARTIAL: Final = ".partial-"
ABANDONED_AFTER_S: Final = 3600.0


class Download:
    """One parallel fetch of `jars`; the first failure ends it."""

    def __init__(
        self,
        jars: "Sequence[Jar]",
        cache: Path,
        base_url: str,
        attempts: int,
        on_download: "OnDownload",
        cancelled: threading.Event,
    ) -> None:
        self._jars, self._cache, self._base_url, self._on_download = jars, cache, base_url, on_download
        self._attempts = attempts
        self._total = sum(jar.size for jar in jars)
        self._received = 0
        self._counting = threading.Lock()
        self._cancelled = cancelled
        self._failed = threading.Event()

    def run(self) -> None:
        """Fetch all, or as many as there is time for until `cancelled` is set. Raises StackError."""
        for abandoned in self._cache.rglob(f"{PARTIAL}*"):
            if time.time() - abandoned.stat().st_mtime > ABANDONED_AFTER_S:
                abandoned.unlink(missing_ok=True)
        limits = httpx.Limits(max_connections=PARALLEL, max_keepalive_connections=PARALLEL)
        with (
            httpx.Client(timeout=30.0, limits=limits, follow_redirects=True) as client,
            ThreadPoolExecutor(PARALLEL, thread_name_prefix="jars") as pool,
        ):
            largest_first = sorted(self._jars, key=lambda jar: -jar.size)
            futures = [pool.submit(self._fetch, client, jar) for jar in largest_first]
            try:
                done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            finally:  # the pool's end would otherwise wait for every jar
                self._failed.set()
                for future in futures:
                    future.cancel()
            for future in done:
                future.result()

    def _fetch(self, client: httpx.Client, jar: "Jar") -> None:
        """Fetch one jar, again after an error that may pass. Raises StackError."""
        for attempt in range(1, self._attempts + 1):
            try:
                self._receive(client, jar)
            except (httpx.HTTPError, OSError) as error:
                if attempt == self._attempts or not _may_pass(error):
                    raise _failed(jar, self._base_url, _reason(error)) from error
                if self._cancelled.wait(0.25 * 2**attempt) or self._failed.is_set():
                    return
            else:
                return

    def _receive(self, client: httpx.Client, jar: "Jar") -> None:
        """Stream one jar beside its place, and move it there when its digest is the locked one."""
        target = self._cache / jar.path
        target.parent.mkdir(parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=PARTIAL)
        try:
            with os.fdopen(descriptor, "wb") as partial, client.stream("GET", f"{self._base_url}/{jar.path}") as reply:
                reply.raise_for_status()
                for block in reply.iter_bytes(1 << 16):
                    if self._cancelled.is_set() or self._failed.is_set():
                        return
                    partial.write(block)
                    digest.update(block)
                    size += len(block)
                    self._count(len(block))
            _check(jar, self._base_url, digest.hexdigest(), size)
            Path(name).replace(target)
        except BaseException:
            self._count(-size)
            raise
        finally:
            Path(name).unlink(missing_ok=True)

    def _count(self, difference: int) -> None:
        with self._counting:
            self._received += difference
            self._on_download(self._received, self._total)


def _check(jar: "Jar", base_url: str, sha256: str, size: int) -> None:
    if (sha256, size) != (jar.sha256, jar.size):
        what = f"{size} bytes with SHA-256 {sha256} arrived, the lock names {jar.size} bytes with {jar.sha256}"
        raise _failed(jar, base_url, what)


def _may_pass(error: Exception) -> bool:
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code in {408, 425, 429, 500, 502, 503, 504}
    return isinstance(error, httpx.TransportError)


def _reason(error: Exception) -> str:
    if isinstance(error, httpx.HTTPStatusError):
        return f"the repository answered {error.response.status_code} {error.response.reason_phrase}"
    return f"{type(error).__name__}: {error}"


def _failed(jar: "Jar", base_url: str, reason: str) -> StackError:
    return StackError(
        f"{jar.coordinate} could not be fetched from {base_url}: {reason}",
        suggestions=(
            "Check the network, then repeat: what has arrived is kept, and only the rest is fetched.",
            "Behind a proxy set HTTPS_PROXY; with a certificate authority of your own set SSL_CERT_FILE.",
            "Without a network, copy the cache folder of another machine and name it in RAGPP_CACHE.",
        ),
    )
