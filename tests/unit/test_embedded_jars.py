"""Neo4j's jars: what is kept is what the lock names, whatever the network does."""

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ragpp.errors import StackError
from ragpp_infra.embedded.servers.jars import Jar, fetch, neo4j_version, read_lock


class Repository(ThreadingHTTPServer):
    """A Maven repository on a free port: serves `content`, answers each path in `failing` that often with a 503."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}
        self.failing: dict[str, int] = {}
        self.requests: list[str] = []
        super().__init__(("127.0.0.1", 0), RepositoryHandler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, name: str, content: bytes) -> Jar:
        jar = Jar("org.example", name, "1.0", "", hashlib.sha256(content).hexdigest(), len(content))
        self.content[jar.path] = content
        return jar


class RepositoryHandler(BaseHTTPRequestHandler):
    server: Repository

    def do_GET(self) -> None:
        path = self.path.removeprefix("/")
        self.server.requests.append(path)
        if self.server.failing.get(path, 0) > 0:
            self.server.failing[path] -= 1
            self.send_error(503)
            return
        content = self.server.content.get(path)
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Silent."""


@pytest.fixture
def repository() -> Iterator[Repository]:
    with Repository() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def files(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*") if path.is_file()]


def test_the_lock_names_one_neo4j_and_every_jar_once() -> None:
    jars = read_lock()
    assert neo4j_version(jars) >= "2026.08"
    assert len({jar.path for jar in jars}) == len(jars) > 200
    assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in jars)
    assert [Jar.from_line(jar.line()) for jar in jars] == jars


def test_jars_come_in_the_order_asked_for_and_are_fetched_once(repository: Repository, tmp_path: Path) -> None:
    jars = [repository.add(f"part-{number}", bytes(1000 * number)) for number in range(1, 30)]
    seen: list[tuple[int, int]] = []
    paths = fetch(jars, tmp_path, base_url=repository.url, on_download=lambda *progress: seen.append(progress))
    assert [path.read_bytes() for path in paths] == [repository.content[jar.path] for jar in jars]
    assert seen[-1] == (sum(jar.size for jar in jars),) * 2
    assert sorted(seen) == seen
    assert fetch(jars, tmp_path, base_url=repository.url) == paths
    assert len(repository.requests) == len(jars)


def test_a_jar_with_other_bytes_is_refused_by_name_and_not_kept(repository: Repository, tmp_path: Path) -> None:
    jar = repository.add("tampered", b"what the lock was made of")
    repository.content[jar.path] = b"what the network serves__"
    with pytest.raises(StackError, match=r"org\.example:tampered:1\.0 .*SHA-256") as failure:
        fetch([jar], tmp_path, base_url=repository.url)
    assert any("RAGPP_CACHE" in suggestion for suggestion in failure.value.suggestions)
    assert files(tmp_path) == []


def test_a_missing_jar_is_named_and_what_arrived_is_kept(repository: Repository, tmp_path: Path) -> None:
    present, absent = repository.add("present", b"x" * 10), repository.add("absent", b"x")
    fetch([present], tmp_path, base_url=repository.url)
    del repository.content[absent.path]
    with pytest.raises(StackError, match=r"org\.example:absent:1\.0 .*404"):
        fetch([present, absent], tmp_path, base_url=repository.url)
    assert files(tmp_path) == [tmp_path / present.path]


def test_an_error_that_passes_is_not_noticed(repository: Repository, tmp_path: Path) -> None:
    jar = repository.add("busy", b"x" * 100)
    repository.failing[jar.path] = 1
    assert fetch([jar], tmp_path, base_url=repository.url)[0].read_bytes() == b"x" * 100


def test_a_repository_that_is_not_there_is_named_with_what_to_do(repository: Repository, tmp_path: Path) -> None:
    jar = repository.add("lost", b"x")
    with pytest.raises(StackError, match=r"org\.example:lost:1\.0 .*ConnectError") as failure:
        fetch([jar], tmp_path, base_url="http://127.0.0.1:1", attempts=1)
    assert any("HTTPS_PROXY" in suggestion for suggestion in failure.value.suggestions)


def test_a_file_of_another_size_is_fetched_again(repository: Repository, tmp_path: Path) -> None:
    jar = repository.add("torn", b"whole content")
    torn = tmp_path / jar.path
    torn.parent.mkdir(parents=True)
    torn.write_bytes(b"whole")
    assert fetch([jar], tmp_path, base_url=repository.url)[0].read_bytes() == b"whole content"


def test_a_cancelled_download_says_so_and_keeps_nothing_partial(repository: Repository, tmp_path: Path) -> None:
    jar = repository.add("large", b"x" * 1_000_000)
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(StackError, match="cancelled"):
        fetch([jar], tmp_path, base_url=repository.url, cancelled=cancelled)
    assert files(tmp_path) == []
