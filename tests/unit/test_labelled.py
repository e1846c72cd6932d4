"""The labelled chats that small models learn from: their form is kept, and no hand wrote what another did."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

from benchmarks.agreement import agreements, ended_twice, f1, twice
from benchmarks.labelled import Chat, read_chat, read_chats

WORDS: Final = re.compile(r"[a-z0-9']+")
LIKE: Final = 4 / 5
LEAST_WORDS: Final = 5
HEAD: Final = "@ 2026-03-02 19:40 user\n"


@pytest.fixture(scope="module")
def chats() -> list[Chat]:
    return read_chats()


def test_they_are_by_twenty_hands_at_least_and_have_what_a_model_learns_from(chats: list[Chat]) -> None:
    clauses = [clause for chat in chats for message in chat.messages for clause in message.clauses]
    assert len(chats) >= 20
    assert len(clauses) >= 8_000
    assert all(len(chat.asked) >= 40 for chat in chats)
    for chat in chats:
        known = {said.id for said in chat.life.messages}
        assert all(asked.answers | asked.helps | asked.contradicts <= known for asked in chat.asked), chat.hand
        assert all(bool(asked.answers) == (asked.kind != "nothing") for asked in chat.asked), chat.hand


def test_no_two_clauses_share_four_fifths_of_their_words(chats: list[Chat]) -> None:
    texts = [clause.text for chat in chats for message in chat.messages for clause in message.clauses]
    words = [frozenset(WORDS.findall(text.lower())) for text in texts]
    having = defaultdict[str, list[int]](list)
    like = list[tuple[str, str]]()
    for number, own in enumerate(words):
        if len(own) < LEAST_WORDS:
            continue
        rare = sorted(own, key=lambda word: len(having[word]))[: len(own) // 4 + 1]  # twins have one of these in common
        for other in {other for word in rare for other in having[word]}:
            if len(own & words[other]) >= LIKE * len(own | words[other]):
                like.append((texts[other], texts[number]))
        for word in own:
            having[word].append(number)
    assert like == []


def test_a_tenth_was_labelled_by_a_second_hand_which_agrees_mostly(chats: list[Chat]) -> None:
    first, second = twice(chats)
    assert len(first) >= 0.09 * sum(len(message.clauses) for chat in chats for message in chat.messages)
    assert [one.text for one in first] == [one.text for one in second]
    agreed = agreements(first, second)
    assert agreed["kind"] > 0.6
    assert agreed["keep"] > 0.6


def test_two_hands_agree_on_what_ended(chats: list[Chat]) -> None:
    read_twice = ended_twice(chats)
    assert len(read_twice) >= len(chats) / 10
    for first, second in read_twice:
        assert f1([(one.clause, one.by) for one in first], [(one.clause, one.by) for one in second]) > 0.8


def test_what_ended_was_told_by_the_person_before(chats: list[Chat]) -> None:
    for chat in chats:
        assert chat.ended, chat.hand
        for one in chat.ended:
            message, clause = one.clause
            assert chat.messages[message].role == "user", (chat.hand, one)
            assert chat.messages[message].clauses[clause].label is not None, (chat.hand, one)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1.1 ended", "what ended it"),
        ("1.1 past 1.2", "what ended it"),
        ("1.2 replaced 1.1", "later than it"),
        ("1.1 ended 2.1", "no clause 2.1"),
        ("1.1 gone 1.2", "'gone' is none of ended, replaced, corrected, past"),
    ],
)
def test_what_ended_is_refused_in_a_wrong_form(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "01.txt").write_text(f"{HEAD}mia is ill ‖ no she is not\n- none\n- none\n", encoding="utf-8")
    (tmp_path / "01.ended").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(said)):
        read_chat(tmp_path / "01.txt")


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("hi ‖ mia is ill\n- none\n", "2 clauses, 1 labels"),
        ("hi\n- nothing\n", "1 fields"),
        ("", "1 clauses, 0 labels"),
        ("hi\n- health ; Mia ; asserted ; lasting ; kept ; - ; Mia is ill.\n", "'kept' is none of keep, drop"),
        ("hi\n- health ; Mia ; asserted ; lasting ; keep ; not ; Mia is ill.\n", "'not' is none of neg, ends, fixes"),
    ],
)
def test_a_wrong_form_is_refused_with_the_line_of_its_message(tmp_path: Path, block: str, said: str) -> None:
    file = tmp_path / "01.txt"
    file.write_text(f"# somebody\n\n{HEAD}fine\n- none\n\n{HEAD}{block}", encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape("01.txt, the message of line 7")) as refused:
        read_chat(file)
    assert said in str(refused.value)


def test_a_role_that_nobody_has_is_refused(tmp_path: Path) -> None:
    (tmp_path / "01.txt").write_text("@ 2026-03-02 19:40 system\nfine\n- none\n", encoding="utf-8")
    with pytest.raises(ValueError, match="the message of line 1: 'system' is none of user, assistant"):
        read_chat(tmp_path / "01.txt")


def test_a_question_to_a_moment_at_which_nothing_was_sent_is_refused(tmp_path: Path) -> None:
    (tmp_path / "01.txt").write_text(f"{HEAD}fine\n- none\n", encoding="utf-8")
    asked = '{"q": "who", "kind": "kin", "answers": ["2026-03-02 19:41"], "helps": [], "contradicts": []}\n'
    (tmp_path / "01.questions.jsonl").write_text(asked, encoding="utf-8")
    with pytest.raises(ValueError, match="no message was sent at 2026-03-02 19:41"):
        read_chat(tmp_path / "01.txt")
