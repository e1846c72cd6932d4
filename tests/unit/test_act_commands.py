"""What a person does to what is known is offered in the commands that do it, and a mistake is told by its place."""

from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from ragpp.api import ForgetAnswer, FoundMessage
from ragpp.errors import Conflict, MemorySystemError, NotFound
from ragpp.errors.problems import MEDIA_TYPE, problem_of
from ragpp.models import Entity, Preference, Relationship
from tests.support import values
from tests.support.command_line import runner

NOON = datetime(2026, 3, 8, 12, tzinfo=UTC)
ENTITIES = {
    name: Entity(id=name, name=name, label="PERSON", mentions=1, first_mention=NOON, last_mention=NOON)
    for name in ("elena", "lena")
}


class Graph(httpx.AsyncBaseTransport):
    """A graph of ENTITIES, in which each name is taken, and what two messages taught."""

    def __init__(self) -> None:
        self.merged: list[tuple[str, bytes]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path, body = request.url.path.removeprefix("/v1/"), await request.aread()
        kind, _, rest = path.partition("/")
        if path.endswith("/merge"):
            self.merged.append((rest.partition("/")[0], body))
            return httpx.Response(200, json=ENTITIES["elena"].model_dump(mode="json"))
        if request.method == "PATCH":
            return refused(Conflict("another entity is named 'elena'", details={"entity_id": "elena"}))
        if kind == "entities" and rest in ENTITIES:
            return httpx.Response(200, json=ENTITIES[rest].model_dump(mode="json"))
        if path == "forget":
            said = FoundMessage(
                id="m1", session_id="s1", role="user", occurred_at=NOON, excerpt="Noor lives in Leeds.", why=("name",)
            )
            found = ForgetAnswer(found=(said,), total=1, token="t", with_them={"relationships": 1, "preferences": 1})
            return httpx.Response(200, json=found.model_dump(mode="json"))
        listed: dict[str, list[Relationship] | list[Preference]] = {
            "relationships": [
                values.relationship(NOON, sources=("m1",)),
                values.relationship(NOON, id="both", target="Bath", sources=("m1", "m2")),
                values.relationship(NOON, id="sure", target="York", sources=("m1",), verdict="confirmed"),
            ],
            "preferences": [values.preference(NOON, sources=("m1",))],
            "rules": [],
            "findings": [],
        }
        if rest or kind not in listed:
            return refused(NotFound("nothing of that id"))
        return httpx.Response(200, json={"items": [one.model_dump(mode="json") for one in listed[kind]]})


def refused(error: MemorySystemError) -> httpx.Response:
    document = problem_of(error).model_dump(mode="json")
    return httpx.Response(error.status, json=document, headers={"content-type": MEDIA_TYPE})


def test_a_name_that_is_taken_offers_the_merge_and_the_merge_is_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    graph = Graph()
    ragpp = runner(monkeypatch, capsys, graph)
    taken = ragpp("correct", "lena", "--name", "elena", "--user", "noor", home=tmp_path)
    assert taken.returncode == 1
    assert "ragpp merge elena lena --user noor" in " ".join(taken.stderr.split())
    done = ragpp("merge", "elena", "lena", "--user", "noor", home=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "merged lena (PERSON) into elena")
    assert [(kept, b'"lena"' in body) for kept, body in graph.merged] == [("elena", True)]
    assert ragpp("merge", "elena", "elena", "--user", "noor", home=tmp_path).returncode != 0
    assert len(graph.merged) == 1


def test_a_relationship_of_no_type_is_told_what_one_looks_like(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ragpp = runner(monkeypatch, capsys, Graph())
    done = ragpp("relate", "Elena", "lives in", "Porto", "--user", "noor", home=tmp_path)
    assert done.returncode == 2
    told = " ".join(done.stderr.replace("│", " ").split())
    assert "'TYPE': is not written in capitals" in told
    assert "LIVES_IN" in told


def test_what_goes_with_messages_is_named_with_the_command_that_states_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Catches a list that names what rests on other messages, too, or was confirmed, and so stays."""
    ragpp = runner(monkeypatch, capsys, Graph())
    done = ragpp("forget", "about", "--entity", "Noor", "--user", "a b", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Noor LIVES_IN Leeds" in done.stdout
    assert "ragpp relate Noor LIVES_IN Leeds --from 2026-03-08 --user 'a b'" in done.stdout
    assert "food drink: tea" in done.stdout
    assert "Bath" not in done.stdout
    assert "York" not in done.stdout


def test_a_user_may_be_named_by_the_option_everywhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ragpp = runner(monkeypatch, capsys, Graph())
    monkeypatch.delenv("RAGPP_USER", raising=False)
    for command in ("inspect", "profile", "timeline", "extract", "reflect", "forget user --dry-run"):
        missing = ragpp(*command.split(), home=tmp_path)
        assert missing.returncode == 2, missing.stderr
        assert "--user" in missing.stderr
        assert "--user" not in ragpp(*command.split(), "--user", "u1", home=tmp_path).stderr


def test_a_user_who_is_named_twice_is_not_taken_for_one_of_the_two(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Catches the erasure of a user in whose place another was meant; a variable is no second name."""
    ragpp = runner(monkeypatch, capsys, Graph())
    monkeypatch.setenv("RAGPP_USER", "bob")
    for command in ("inspect", "profile", "timeline", "extract", "reflect", "forget user --dry-run"):
        twice = ragpp(*command.split(), "ana", "--user", "bob", home=tmp_path)
        assert twice.returncode == 2, (command, twice.stderr)
        assert "'bob'" in twice.stderr
        for once in (("ana",), ("ana", "--user", "ana")):
            assert "--user" not in ragpp(*command.split(), *once, home=tmp_path).stderr
    for command in ("forget --user ana session s1 --dry-run", "review --user ana confirm x", "jobs --user ana list"):
        assert "stands behind the command" in ragpp(*command.split(), "--user", "bob", home=tmp_path).stderr
        assert "stands behind" not in ragpp(*command.replace("--user ana ", "").split(), home=tmp_path).stderr
    assert "--user" in ragpp("forget", "user", "--dry-run", home=tmp_path).stderr
