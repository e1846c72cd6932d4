"""The words that a run of the tests says to the memory, and a search for any of them in all that was logged meanwhile.

Texts are what is sent to a gateway from this process in a body that has messages, resources, questions or the like; of
each, every stretch of BLOCK characters, as it is and as JSON has it, must be in no log. A stretch without spaces, or of
few different letters, is left out: ids, paths and filler look so. Secrets are the keys that requests bear, what a test
has planted, and what the stores' passwords are; they are looked for from their beginning, and are not told.
"""

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

import httpx
import pytest
import structlog
from structlog.typing import EventDict, WrappedLogger

T = TypeVar("T")
BLOCK: Final = 24
LEAST: Final = 8
"""A secret that is shorter is none that can be looked for."""
LETTERS: Final = 9
"""So many different characters a stretch has that says something."""
NOTED: Final = "noted"
"""The logger by which lines of structlog are written down in tests."""
CARRYING: Final = ("/v1/", "/mcp")
NOT_SAID: Final = frozenset({"id", "ids", "exclude", "after", "cursor", "receipt", "start", "end", "tokenizer"})
"""Fields whose values are names or moments; so are those that end in these."""
ENDINGS: Final = ("_id", "_ids", "_at", "_type", "_of")
SUFFIXES: Final = ("*.log", "*.log.[0-9]*")


@dataclass(frozen=True)
class Leak:
    """Something that is in a log and must not be. `what`: the stretch, or that it is a secret."""

    file: Path
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


@dataclass
class Heard:
    """The words said so far, in stretches, and the secrets: the beginnings of long ones, and short ones as they are.
    `bodies` are yet to be taken apart: megabytes take longer than a gateway in the same process can stand still."""

    texts: set[str] = field(default_factory=set)
    bodies: set[bytes] = field(default_factory=set)
    secrets: set[str] = field(default_factory=set)
    short: set[str] = field(default_factory=set)

    def text(self, said: str) -> None:
        """Somebody says this to the memory."""
        for form in {said, json.dumps(said)[1:-1]}:
            blocks = (form[start : start + BLOCK] for start in range(0, len(form) - BLOCK + 1, BLOCK))
            self.texts.update(block for block in blocks if _says_something(block))

    def secret(self, secret: str) -> None:
        """Nobody logs this."""
        if len(secret) >= BLOCK:
            self.secrets.add(secret[:BLOCK])
        elif len(secret) >= LEAST:
            self.short.add(secret)

    def password_of(self, address: str) -> None:
        """Nor what is secret in the address of a store."""
        self.secret(urlsplit(address).password or "")

    def request(self, request: httpx.Request) -> None:
        """Keep what a request says."""
        scheme, _, credential = request.headers.get("authorization", "").partition(" ")
        if scheme.casefold() == "bearer":
            self.secret(credential)
        if not request.url.path.startswith(CARRYING) or "json" not in request.headers.get("content-type", "json"):
            return
        with suppress(httpx.RequestNotRead):
            self.bodies.add(request.content)

    def take_apart(self) -> None:
        """Have the stretches of what was said."""
        while self.bodies:
            try:
                body = json.loads(self.bodies.pop())
            except (ValueError, RecursionError):
                continue
            for said in _strings(body):
                self.text(said)

    def leaks(self, folders: Iterable[Path]) -> list[Leak]:
        """The places in the logs below `folders` that have any of it, each file read once."""
        self.take_apart()
        files = {path.resolve(): path for folder in folders for path in logs_below(folder)}
        return [leak for path in files.values() for leak in self._in(path)]

    def _in(self, path: Path) -> Iterator[Leak]:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, start=1):
                windows = {line[start : start + BLOCK] for start in range(len(line) - BLOCK + 1)}
                if said := min(windows & self.texts, default=None):
                    yield Leak(path, number, f"somebody's words {said!r}")
                if not windows.isdisjoint(self.secrets) or any(secret in line for secret in self.short):
                    yield Leak(path, number, "a secret")


def _says_something(block: str) -> bool:
    if block.count("\\u") > 2:  # of a script that JSON escapes
        return True
    spoken = " " in block.strip() or not block.isascii()
    return spoken and len(set(block.casefold())) >= LETTERS and sum(map(str.isalpha, block)) * 2 > BLOCK


def _strings(value: object, name: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if name not in NOT_SAID and not name.endswith(ENDINGS):
            yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _strings(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, name)


def logs_below(folder: Path) -> Iterator[Path]:
    """Files that something was logged to, of servers, services and tests."""
    for suffix in SUFFIXES:
        yield from (path for path in folder.rglob(suffix) if path.is_file() and not path.is_symlink())


@contextmanager
def noting(heard: Heard, file: Path) -> Iterator[None]:
    """Take what every client of this process sends while inside, and write what is logged in this process to `file`."""
    before, handler = structlog.get_config()["processors"], logging.FileHandler(file, encoding="utf-8")

    def note(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
        logging.getLogger(NOTED).warning("%s", event)
        return event

    def noted(send: Callable[..., T]) -> Callable[..., T]:
        def sending(client: object, request: httpx.Request, **options: object) -> T:
            heard.request(request)
            return send(client, request, **options)

        return sending

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpx.Client, "send", noted(httpx.Client.send))
        patch.setattr(httpx.AsyncClient, "send", noted(httpx.AsyncClient.send))
        structlog.configure(processors=[*before[:-1], note, before[-1]])
        ours = logging.getLogger(NOTED)
        ours.propagate = False  # what is noted of our lines is for the file alone
        for logger in (ours, logging.getLogger()):
            logger.addHandler(handler)
        try:
            yield
        finally:
            for logger in (ours, logging.getLogger()):
                logger.removeHandler(handler)
            structlog.configure(processors=before)
            handler.close()
