"""Whatever is said to the memory, or is secret, and gets into a log fails the run that said it."""

import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.support.each import each_case
from tests.support.logged import Heard, Leak

SAID: Final = "My sister Elena moved to Porto last spring, and I miss her."
SECRET: Final = "rp_0123456789ab_" + "Zk" * 16
PLACES: Final = (
    "gateway.log",
    "gateway.log.1",
    "stack/logs/postgres.log",
    "stack/logs/valkey.log",
    "stack/logs/neo4j.log",
    "stack/neo4j/logs/query.log",
    "stack/neo4j/logs/debug.log",
    "test_it0/ragpp_services.workers.log",
)


def logged(folder: Path, place: str, line: str) -> None:
    file = folder / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"started\n{line}\n", encoding="utf-8")


@pytest.fixture(autouse=True)
def _nothing_is_left_for_the_run_to_find(tmp_path: Path) -> Iterator[None]:
    yield
    shutil.rmtree(tmp_path)


@pytest.fixture
def own() -> Heard:
    """The record of these tests, not of the run."""
    return heard_here()


def heard_here() -> Heard:
    heard = Heard()
    heard.text(SAID)
    heard.secret(SECRET)
    return heard


LINES: Final = (
    json.dumps({"event": "stored", "content": SAID}),
    f"ERROR:  value too long: {SAID[5:]}",
    f"Authorization: Bearer {SECRET}",
    SECRET[:24],
)


def test_words_and_secrets_are_found_in_every_log(tmp_path: Path) -> None:
    """Catches a log that is not looked into, and a form of words or of a secret that is not recognised in one."""
    offenders = [
        f"{line!r} in {place}: the second line is expected to be told, without the secret, came {leaks}"
        for number, (place, line) in enumerate(itertools.product(PLACES, LINES))
        for folder in (tmp_path / str(number),)
        for leaks in (_leaks(folder, place, line),)
        if [(leak.file, leak.line) for leak in leaks] != [(folder / place, 2)] or SECRET[16:24] in str(leaks[0])
    ]
    assert not offenders, "\n".join(offenders)


def _leaks(folder: Path, place: str, line: str) -> list[Leak]:
    logged(folder, place, line)
    return heard_here().leaks([folder, folder])


@each_case("line", ["request.answered", SAID[:20], SECRET[:16], json.dumps({"stage": "observe"})])
def test_what_nobody_said_is_no_leak(own: Heard, tmp_path: Path, line: str) -> None:
    logged(tmp_path, "gateway.log", line)
    assert own.leaks([tmp_path]) == []


def test_words_are_found_as_json_has_them_and_in_scripts_without_spaces(tmp_path: Path) -> None:
    heard, said = Heard(), '他说"我去年春天搬到了里斯本，现在住在河边的一座老房子里，非常喜欢那里的天气"'
    heard.text(said)
    logged(tmp_path, "worker.log", json.dumps({"event": said}))
    assert len(heard.leaks([tmp_path])) == 1


@each_case("said", ["x" * 100, "0f8fad5b-d9cb-469f-a165-70867728950e", "/var/lib/things/of/some/service"])
def test_filler_ids_and_paths_are_nobodys_words(said: str) -> None:
    heard = Heard()
    heard.text(said)
    assert not heard.texts


def test_a_request_tells_what_is_said_and_by_whom() -> None:
    heard = Heard()
    body = {"user_id": "somebody with a long and spoken name", "messages": [{"content": SAID, "id": SAID + "!"}]}
    headers = {"Authorization": f"Bearer {SECRET}"}
    heard.request(httpx.Request("POST", "http://gateway/v1/interactions", json=body, headers=headers))
    heard.take_apart()
    assert SAID[:24] in heard.texts
    assert not any("spoken name" in text for text in heard.texts)
    assert heard.secrets == {SECRET[:24]}
