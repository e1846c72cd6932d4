"""`ragpp import`: what would be stored is told, what is stored is stored once, and what is not is named."""

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from pydantic import JsonValue

from ragpp_infra.importing.reading import TITLES
from tests.support.command_line import Done, runner
from tests.support.each import each_case
from tests.support.exports import NOON, chain, claudes, said, tree, turn, written, zipped
from tests.support.gateway import KeepingGateway

CHAT = """31.12.23, 23:50 - Messages and calls are end-to-end encrypted.
31.12.23, 23:55 - Ana: I moved to Porto.
31.12.23, 23:59 - Bob: <Media omitted>
01.01.24, 00:01 - Bob: Happy new year!
"""


@pytest.fixture
def gateway() -> KeepingGateway:
    return KeepingGateway()


@pytest.fixture
def ragpp(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], gateway: KeepingGateway
) -> Callable[..., Done]:
    return runner(monkeypatch, capsys, gateway)


def test_a_dry_run_tells_what_would_be_stored_and_stores_nothing(
    ragpp: Callable[..., Done], gateway: KeepingGateway, tmp_path: Path
) -> None:
    messages = (
        said("system", "hidden"),
        said("user", "one", at=None),
        said("user", "two", at=NOON),
        said("assistant", "three", at="soon"),
    )
    path = zipped(tmp_path, "export.zip", {"conversations.json": [chain(*messages)]})
    done = ragpp("import", str(path), "--user", "u1", "--dry-run", home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for told in (
        "an export of ChatGPT",
        "would store: 1 conversation, 3 messages (user 2, assistant 1)",
        "said from 2023-11-14 22:13 to 2023-11-14 22:13",
        "1 without a time: each gets that of the nearest message",
        "1 with a time that is not understood, such as 'soon' (conversation 1 (Trip), message m4)",
        "1  hidden: of the system",
    ):
        assert told in done.stdout
    assert gateway.requests == []
    document = json.loads(ragpp("import", str(path), "--user", "u1", "--dry-run", "--json", home=tmp_path).stdout)
    assert (document["messages"], document["without_a_time"], document["time_not_understood"]) == (3, 1, 1)
    assert document["left_out"][0]["places"] == ["conversation 1 (Trip), message m1"]


def test_what_has_no_time_gets_a_neighbours_or_its_conversations_and_is_left_out_without_one(
    ragpp: Callable[..., Done], gateway: KeepingGateway, tmp_path: Path
) -> None:
    alone = chain(said("user", "alone", at=None, id="z1"), id="c2")
    nothing = tree([("n", None, said("user", "nowhere", at=None))], "n", create_time=None, id="c3")
    path = written(tmp_path, "x.json", [chain(said("user", "a", at=None), said("user", "b")), alone, nothing])
    done = ragpp("import", str(path), "--user", "u1", home=tmp_path)
    assert done.returncode == 1
    assert "has no time, nor has anything beside it: name one with --at" in done.stdout
    assert "conversation 3 (Trip), message n" in done.stdout
    times = {one.content: one.occurred_at for request in gateway.requests for one in request.messages}
    stamps = {content: at.timestamp() for content, at in times.items() if at is not None}
    assert stamps == {"a": NOON, "b": NOON, "alone": NOON - 60}
    assert ragpp("import", str(path), "--user", "u1", "--at", "2024-01-01", home=tmp_path).returncode == 0
    assert "nowhere" in gateway.contents.values()


def test_the_same_file_is_stored_once_and_what_was_added_then_is_stored(
    ragpp: Callable[..., Done], gateway: KeepingGateway, tmp_path: Path
) -> None:
    path = written(tmp_path, "chat.txt", CHAT)
    arguments = ("import", str(path), "--user", "u1", "--time-zone", "Europe/Lisbon", "--json")
    first, second = (json.loads(ragpp(*arguments, home=tmp_path).stdout) for _ in range(2))
    assert (first["kind"], first["stored"], second["stored"], second["duplicates"]) == ("whatsapp", 2, 0, 2)
    written(tmp_path, "chat.txt", CHAT + "01.01.24, 00:02 - Ana: You too!\n")
    third = json.loads(ragpp(*arguments, home=tmp_path).stdout)
    assert (third["stored"], third["duplicates"]) == (1, 2)
    assert list(gateway.sessions.values()) == [["I moved to Porto.", "Happy new year!", "You too!"]]
    assert [one.name for one in gateway.requests[0].messages] == ["Ana", "Bob"]


def test_a_run_that_stopped_goes_on_where_it_stopped(
    ragpp: Callable[..., Done], gateway: KeepingGateway, tmp_path: Path
) -> None:
    path = written(tmp_path, "x.json", [chain(*(said("user", f"{number}") for number in range(20)))])

    def stops(count: int) -> None:
        if count == 5:
            raise httpx.ConnectError("away")

    gateway.before_answer = stops
    arguments = ("import", str(path), "--user", "u1", "--batch", "1", "--json")
    assert ragpp(*arguments, home=tmp_path).returncode == 3
    assert len(gateway.contents) == 5
    gateway.before_answer = lambda _count: None
    done = json.loads(ragpp(*arguments, "--resume", home=tmp_path).stdout)
    assert (done["resumed_after"], done["stored"], done["duplicates"]) == (4, 15, 1)
    assert gateway.sessions == {"chatgpt-c1": [f"{number}" for number in range(20)]}


def test_what_the_gateway_refuses_is_named_by_its_place_and_the_rest_is_stored(
    ragpp: Callable[..., Done], gateway: KeepingGateway, tmp_path: Path
) -> None:
    gateway.refuses = frozenset({"bad"})
    path = written(tmp_path, "x.json", [claudes(turn("human", "good"), turn("human", "bad"))])
    done = ragpp("import", str(path), "--user", "u1", home=tmp_path)
    assert done.returncode == 1
    assert "content: is refused" in done.stdout
    assert "conversation 1 (Garden), message 2" in done.stdout
    assert "1 stored, 1 refused" in done.stdout


@each_case(
    ("content", "why"),
    [("x" * 100_001, "100000 characters"), ("a\x00b", "NUL"), ("\ud800x", "valid string")],
)
def test_what_cannot_be_stored_is_told_before_anything_is(
    ragpp: Callable[..., Done], tmp_path: Path, content: str, why: str
) -> None:
    path = written(tmp_path, "x.json", [claudes(turn("human", "good"), turn("human", content))])
    done = ragpp("import", str(path), "--user", "u1", "--dry-run", home=tmp_path)
    assert done.returncode == 1
    assert why in done.stdout
    assert "1 conversation, 1 message (user 1)" in done.stdout


def test_a_time_ahead_is_no_time_of_what_was_said(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    path = written(tmp_path, "x.json", [claudes(turn("human", "good"), turn("human", "x", at="2999-01-01T00:00:00Z"))])
    assert "its time lies ahead" in ragpp("import", str(path), "--user", "u1", "--dry-run", home=tmp_path).stdout


def test_lines_of_json_are_imported_as_they_are_ingested(
    ragpp: Callable[..., Done], gateway: KeepingGateway, tmp_path: Path
) -> None:
    lines: list[JsonValue] = [
        {"content": "one", "session_id": "s1", "role": "assistant", "occurred_at": "2024-01-01T10:00:00Z", "mood": 3},
        {"text": "two", "session": "s1", "user": "Ana", "id": "m-2"},
        {"content": "three", "occurred_at": "yesterday"},
    ]
    path = written(tmp_path, "x.jsonl", "\n".join(map(json.dumps, lines)))
    done = ragpp("import", str(path), "--user", "u1", home=tmp_path)
    assert done.returncode == 1
    assert "line 3" in done.stdout
    assert "1 without a time" in done.stderr
    ragpp("ingest", str(path), "--user", "u1", "--skip-bad", home=tmp_path)
    assert gateway.sessions == {"s1": ["one", "two"]}
    first, second = gateway.requests[0].messages
    assert (first.role, first.metadata, second.name, second.id) == ("assistant", {"mood": 3}, "Ana", "m-2")
    assert first.occurred_at == second.occurred_at


@each_case("told", ["31.12.23, 23:50 - Messages are encrypted.", [], [None], [chain(said("system", "x"))], ""])
def test_where_nothing_can_be_stored_the_command_fails(
    ragpp: Callable[..., Done], tmp_path: Path, told: object
) -> None:
    path = written(tmp_path, "x", told)
    for more in ((), ("--dry-run",)):
        done = ragpp("import", str(path), "--user", "u1", *more, home=tmp_path)
        assert done.returncode == 1
        assert "MEM-055" in done.stderr


def test_options_of_another_kind_or_without_sense_are_wrong_usage(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    path = str(written(tmp_path, "x.json", [claudes(turn("human", "x"))]))
    for more in (("--me", "Ana"), ("--dates", "dmy"), ("--dates", "dym"), ("--from", "irc"), ("--time-zone", "Porto")):
        assert ragpp("import", path, "--user", "u1", *more, home=tmp_path).returncode == 2
    assert ragpp("import", path, home=tmp_path).returncode == 2


def test_without_a_stack_a_dry_run_works_and_a_run_says_that_none_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ragpp = runner(monkeypatch, capsys)
    path = str(written(tmp_path, "chat.txt", CHAT))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    dry = ragpp("import", path, "--user", "u1", "--dry-run", home=tmp_path / "none")
    assert dry.returncode == 0
    assert "times are read as those of Asia/Tokyo, the time zone of this machine" in dry.stdout
    assert "dates are read as day, month, year" in dry.stdout
    assert "written by Ana (1), Bob (1)" in dry.stdout
    assert ragpp("import", path, "--user", "u1", home=tmp_path / "none").returncode == 3


def test_the_help_names_every_kind(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    shown = ragpp("import", "--help", home=tmp_path).stdout
    assert all(kind in shown for kind in TITLES)


def test_a_message_that_two_conversations_have_is_stored_once_and_another_of_its_id_is_named(
    ragpp: Callable[..., Done], gateway: KeepingGateway, tmp_path: Path
) -> None:
    told = [chain(said("user", text), id=name) for name, text in (("c1", "a"), ("c2", "a"), ("c3", "b"))]
    done = ragpp("import", str(written(tmp_path, "x.json", told)), "--user", "u1", home=tmp_path)
    assert done.returncode == 1
    assert "is in another conversation as well" in done.stdout
    assert "has the id of another message" in done.stdout
    assert gateway.sessions == {"chatgpt-c1": ["a"]}


def test_texts_that_are_no_unicode_are_shown_as_far_as_they_can_be(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    told = chain(said("user", "kept"), said("system", "x"), said("user", "y", at="\udfff"), title="\ud800\n\x1b[1m")
    path = str(written(tmp_path, "x.json", [told]))
    for more in ((), ("--json",)):
        done = ragpp("import", path, "--user", "u1", "--dry-run", *more, home=tmp_path)
        assert done.returncode == 0
        assert "conversation 1 (?" in done.stdout
        assert "\x1b" not in done.stdout
