"""`ragpp try`: what was learned reads well, is shown once, and nothing but a trial's own folder is ever erased."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput, StackError
from ragpp.learned import Finding
from ragpp.models import FindingKind, Interaction, Preference, Relationship, Rule
from ragpp_infra.cli.trying import dialogue
from ragpp_infra.cli.trying.dialogue import Dialogue
from ragpp_infra.cli.trying.listing import as_json, listed
from ragpp_infra.cli.trying.marks import marks_of
from ragpp_infra.cli.trying.own_stack import OwnStack, folder_beside
from ragpp_infra.cli.trying.things import FRAGMENTS, OF_ASSISTANTS, Learned, Thing, arranged, resting_on
from ragpp_infra.cli.trying.wording import addressed, relationship_told
from tests.support.command_line import runner
from tests.support.each import each_case
from tests.support.exports import claudes, exported, turn, written

NOW = datetime(2026, 3, 8, tzinfo=UTC)
LIEKE = "my daughter Lieke is allergic to nuts"


def finding(text: str, verbatim: str, *sources: str, kind: FindingKind = "health", over: bool = False) -> Finding:
    return Finding(
        id=f"found-{text}",
        finding=kind,
        text=text,
        confidence=0.9,
        support=1,
        first_at=NOW,
        last_at=NOW,
        valid_to=NOW if over else None,
        sources=sources,
        details={"verbatim": verbatim},
    )


def relationship(source: str, kind: str, target: str, context: str = "", *sources: str) -> Relationship:
    return Relationship(
        id=f"{source} {kind}",
        source_id="1",
        source=source,
        type=kind,
        target_id="2",
        target=target,
        confidence=0.6,
        believed=0.6,
        weight=1,
        lasting=True,
        context=context,
        sources=sources,
        first_mention=NOW,
        last_mention=NOW,
        valid_from=NOW,
        learned_at=NOW,
    )


def preference(key: str, value: str, *sources: str) -> Preference:
    told = {"id": f"pref-{key}", "category": "food", "key": key, "value": value, "confidence": 0.9, "stated": True}
    times = {"updated_at": NOW, "occurred_at": NOW, "valid_from": NOW, "learned_at": NOW}
    return Preference.model_validate(told | times | {"version": 1, "sources": sources})


def rule(text: str, *sources: str) -> Rule:
    told = {"id": f"rule-{text}", "text": text, "priority": 1, "active": True, "version": 1}
    return Rule.model_validate(told | {"updated_at": NOW, "occurred_at": NOW, "sources": sources})


def message(identifier: str, content: str, name: str | None = None) -> Interaction:
    return Interaction(id=identifier, content=content, name=name, occurred_at=NOW)


def shown(things: list[Thing]) -> str:
    screen = StringIO()
    Console(width=80, file=screen).print(*listed(things), sep="\n")
    return screen.getvalue()


@each_case(
    ("text", "told"),
    [
        ("The user loves jazz and The user's dog.", "You love jazz and your dog."),
        ("The user is 38", "You are 38"),
        ("No nuts, the user has two cats", "No nuts, you have two cats"),
        ("The user also studies law", "You also study law"),
        ("The user goes and the user watches", "You go and you watch"),
        ("The user", "You"),
        ("Nora is vegan", "Nora is vegan"),
    ],
)
def test_what_was_learned_is_said_to_whom_it_is_about(text: str, told: str) -> None:
    assert addressed(text) == told


@each_case(
    ("of", "told"),
    [
        (("user", "WORKS_AT", "Meander"), "You work at Meander."),
        (("Paco", "GRANDFATHER_OF", "user"), "Paco is your grandfather."),
        (("user", "FROM", "Valencia"), "You are from Valencia."),
        (("Elena", "LIVES_IN", "Porto"), "Elena lives in Porto."),
        (("Elena", "SISTER_OF", "Maria"), "Elena is Maria's sister."),
        (("user's husband", "LIKES", "jazz"), "Your husband likes jazz."),
    ],
)
def test_a_relationship_is_a_sentence(of: tuple[str, str, str], told: str) -> None:
    assert relationship_told(relationship(*of)) == told


def test_one_sentence_is_one_thing_whatever_was_read_in_it() -> None:
    learned: list[Learned] = [
        relationship("Lieke", "DAUGHTER_OF", "user", LIEKE, "m1"),
        finding("The user's daughter Lieke is allergic to nuts", LIEKE, "m1"),
        preference("diet", "vegetarian", "m2"),
        finding("6 people, the user is vegetarian", "I'm vegetarian", "m2"),
        relationship("user", "RELATED_TO", "Lieke", LIEKE, "m1"),
        relationship("user's husband", "SPOUSE_OF", "user", "my husband cooks", "m3"),
    ]
    things = arranged(learned, {"m1": message("m1", LIEKE), "m2": message("m2", "I'm vegetarian")})
    assert [[item.kind for item in thing.items] for thing in things] == [
        ["finding", "relationship"],
        ["finding", "preference"],
    ]


def test_another_sentence_of_the_message_about_the_same_person_is_another_thing() -> None:
    said = "im cooking for my wife Greta and the twins. greta cant have gluten"
    learned: list[Learned] = [
        finding("Greta cant have gluten", "greta cant have gluten", "m1"),
        relationship("Greta", "WIFE_OF", "user", "im cooking for my wife Greta and the twins.", "m1"),
        relationship("Greta", "AVOIDS", "gluten", said, "m1"),
    ]
    things = arranged(learned, {"m1": message("m1", said)})
    assert [[item.text for item in thing.items] for thing in things] == [
        ["Greta WIFE_OF user"],
        ["Greta cant have gluten", "Greta AVOIDS gluten"],
    ]


def test_the_same_said_twice_is_one_thing_that_rests_on_both_messages() -> None:
    learned = [finding("The user is vegan", "I'm vegan", "m1"), finding("The user is vegan.", "I am vegan", "m2")]
    (thing,) = arranged(learned, {})
    assert (thing.sources, len(thing.items)) == (["m1", "m2"], 2)
    assert resting_on([thing], ["m1"]) == []
    assert resting_on([thing], ["m1", "m2"]) == [thing]


def test_what_says_little_and_what_an_assistant_said_come_last() -> None:
    learned: list[Learned] = [
        finding("assistant: the boiler is broken", "the boiler is broken", "m1"),
        finding("200g ish", "200g ish", "m2"),
        rule("Answer with code first.", "m3"),
        finding("The user is vegan since May", "I'm vegan since May", "m4"),
    ]
    headings = [thing.heading for thing in arranged(learned, {})]
    assert headings == ["Health and diet", "How you want to be answered", FRAGMENTS, OF_ASSISTANTS]


def test_a_sentence_is_shown_and_the_statement_only_where_it_says_more() -> None:
    learned = [
        finding("The user has a dodgy knee", "I have a dodgy knee", "m1", over=True),
        finding("Tom started in April 2025", "I started last month", "m2", kind="work"),
    ]
    things = arranged(learned, {one: message(one, "x", "Tom") for one in ("m1", "m2")})
    text = shown(things)
    assert "You have" not in text
    assert "   2 “I have a dodgy knee”  Tom, 8 Mar 2026, past" in text
    assert "   1 Tom started in April 2025" in text
    assert "     “I started last month”  Tom, 8 Mar 2026" in text
    assert max(map(len, text.splitlines())) <= 80
    assert as_json(things[0])["sentence"] == "I started last month"


def test_of_a_long_message_the_part_is_shown_that_says_it() -> None:
    long = "Never mind the rest of it. " * 40 + "Please answer with code first. " + "And so on. " * 40
    (thing,) = arranged([rule("Answer with code first.", "m1")], {"m1": message("m1", long)})
    assert "answer with code first" in thing.sentence
    assert len(thing.sentence) <= 300


def test_marks_are_read_as_people_type_them_and_the_last_counts() -> None:
    assert marks_of("wrong 3 5-7, forget 9", most=9).of == dict.fromkeys((3, 5, 6, 7), "wrong") | {9: "forget"}
    assert marks_of("w3 f3", most=3).of == {3: "forget"}


@each_case("typed", ["3", "wrong", "delete 3", "wrong 0", "wrong 4", "wrong 3-1", "wrong -1", "w 1-999999", "?"])
def test_what_is_no_mark_changes_nothing_and_says_why(typed: str) -> None:
    with pytest.raises(InvalidInput):
        marks_of(typed, most=3)


def answering(*lines: str) -> Callable[[str], str | None]:
    left = iter(lines)
    return lambda _prompt: next(left, None)


@pytest.fixture
def acted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    done: list[tuple[str, str]] = []

    async def act(_client: AsyncMemoryClient, _user: str, thing: Thing, mark: str) -> None:
        done.append((thing.text, mark))

    monkeypatch.setattr(dialogue, "act", act)
    return done


def things(count: int) -> list[Thing]:
    return [Thing("Tastes", f"thing {number}", "", sources=[f"m{(number + 1) // 2}"]) for number in range(1, count + 1)]


@pytest.fixture
def talk() -> Iterator[Callable[..., Dialogue]]:
    with asyncio.Runner() as runner:
        yield lambda *lines: Dialogue(runner, AsyncMemoryClient("http://gateway", "k"), "me", answering(*lines))


def test_what_is_marked_is_done_once_and_what_went_with_it_is_told(
    talk: Callable[..., Dialogue], acted: list[tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    left = talk("wrong 1", "wrong 1 9", "forget 3-4", "wrong 4", "").judge(things(6))
    assert acted == [("thing 1", "wrong"), ("thing 3", "forget")]
    assert [one.text for one in left] == ["thing 2", "thing 5", "thing 6"]
    said = capsys.readouterr().out
    assert "there is no 9: the numbers are 1 to 6" in said
    assert "with it, as it was said in the same message: 4" in said
    assert said.count("gone already") == 1


@each_case(("lines", "pages"), [((), 1), (("",), 2), (("", ""), 3), (("ask",), 1)])
def test_a_long_list_comes_by_pages_and_ends_where_the_input_does(
    talk: Callable[..., Dialogue],
    acted: list[tuple[str, str]],
    capsys: pytest.CaptureFixture[str],
    lines: tuple[str, ...],
    pages: int,
) -> None:
    assert len(talk(*lines).judge(things(45))) == 45
    assert acted == []
    said = capsys.readouterr().out.split()
    assert [str(first) in said for first in (1, 21, 41)] == [page < pages for page in range(3)]


@each_case(("lines", "kept"), [((), True), (("",), True), (("what?", "erase"), False), (("k",), True), (("E",), False)])
def test_it_is_erased_only_where_that_is_said(
    talk: Callable[..., Dialogue], lines: tuple[str, ...], kept: bool
) -> None:
    assert talk(*lines).wants_to_keep() is kept


def test_a_folder_that_was_not_made_for_a_trial_is_never_touched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "letters").write_text("dear", encoding="utf-8")
    with pytest.raises(StackError, match="was not made by"):
        OwnStack(tmp_path).remove()
    ragpp = runner(monkeypatch, capsys)
    for arguments in (("--erase",), (str(exported("claude", tmp_path)),)):
        done = ragpp("try", *arguments, "--home", str(tmp_path), home=tmp_path / "x")
        assert done.returncode == 1
        assert "was not made by" in done.stderr
    assert (tmp_path / "letters").read_text(encoding="utf-8") == "dear"


def test_the_folder_lies_beside_the_persons_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAGPP_HOME", str(tmp_path / "stack"))
    assert folder_beside() == tmp_path / "stack-try"


def test_nothing_is_started_for_a_file_that_cannot_be_read_or_for_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ragpp = runner(monkeypatch, capsys)
    home = tmp_path / "stack"
    empty = str(written(tmp_path, "x.json", [claudes(turn("nobody", "hm"))]))
    assert ragpp("try", empty, home=home).returncode == 1
    assert ragpp("try", str(tmp_path / "missing.zip"), home=home).returncode == 1
    assert ragpp("try", home=home).returncode == 2
    assert "nothing is kept" in ragpp("try", "--erase", home=home).stdout
    assert list(tmp_path.glob("stack*")) == []


@each_case(("ending", "code"), [(KeyboardInterrupt(), 130), (StackError("no room"), 1)])
def test_whatever_ends_it_what_is_kept_is_told_and_how_it_is_erased(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    ending: BaseException,
    code: int,
) -> None:
    def bring_up(*_: object, **__: object) -> None:
        raise ending

    monkeypatch.setattr("ragpp_infra.cli.trying.own_stack.bring_up", bring_up)
    done = runner(monkeypatch, capsys)(
        "try", str(exported("whatsapp", tmp_path)), "--time-zone", "UTC", home=tmp_path / "x"
    )
    kept = tmp_path / "x-try"
    assert done.returncode == code
    assert f"erase: ragpp try --erase --home {kept}" in done.stderr
    assert kept.exists()
    OwnStack(kept).remove()
    assert not kept.exists()
