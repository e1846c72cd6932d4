"""Chats of WhatsApp: dates by locale, messages of several lines, lines of the app itself."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp_infra.importing.reading import Export, ImportedMessage, UnreadableExport
from ragpp_infra.importing.whatsapp import DELETED, MEDIA, SYSTEM, Chat, read_whatsapp
from tests.support.each import each_case

LISBON: Final = ZoneInfo("Europe/Lisbon")
CHAT: Final = Chat(LISBON)


def messages(export: Export) -> list[ImportedMessage]:
    return [message for one in export.conversations for message in one.messages]


def said(text: str, chat: Chat = CHAT) -> list[tuple[str | None, str]]:
    return [(message.name, message.content) for message in messages(read_whatsapp(text, chat))]


@each_case(
    "line",
    [
        "[31/12/2023, 23:59:59] Ana: hello",
        "\u200e[31/12/2023, 23:59:59] Ana: hello",
        "[31.12.23, 23:59:59] Ana: hello",
        "[12/31/23, 11:59:59\u202fPM] ~\u202fAna: hello",
        "12/31/23, 11:59\u202fPM - Ana: hello",
        "12/31/23, 11:59 pm - Ana: hello",
        "31/12/23, 11:59 p. m. - Ana: hello",
        "31/12/23, 11:59\u00a0p.\u00a0m. - Ana: hello",
        "31.12.23, 23:59 - Ana: hello",
        "31-12-2023 23:59 - Ana: hello",
        "31/12/2023 23.59 - Ana: hello",
        "2023-12-31, 23:59 - Ana: hello",
        "2023/12/31, 23:59 - Ana: hello",
        "2023. 12. 31. 23:59 - Ana: hello",
        "23/12/31, 23:59 - Ana: hello\n23/12/13, 23:59 - Bob: x\n23/31/12, 1:00 - quoted",
        "\ufeff31.12.23, 23:59 - \u202aAna\u202c: hello",
        "٣١/١٢/٢٠٢٣, ٢٣:٥٩ - Ana: hello",
    ],
)
def test_a_date_of_every_locale_is_read(line: str) -> None:
    chat = Chat(LISBON, order="ymd") if line.startswith("23/") else CHAT
    found = messages(read_whatsapp(line, chat))[0]
    assert (found.name, found.content, found.role) == ("Ana", "hello", "user")
    assert found.occurred_at is not None
    assert found.occurred_at.replace(second=0) == datetime(2023, 12, 31, 23, 59, tzinfo=LISBON)


@each_case(("hour", "at"), [("12:05 AM", 0), ("12:05 PM", 12), ("1:05 AM", 1), ("11:05 PM", 23)])
def test_noon_and_midnight_are_what_they_are(hour: str, at: int) -> None:
    (found,) = messages(read_whatsapp(f"12/31/23, {hour} - Ana: x", CHAT))
    assert found.occurred_at is not None
    assert found.occurred_at.hour == at


@each_case(("line", "month"), [("02/25/24, 09:00 - Ana: later", 2), ("25/02/24, 09:00 - Ana: later", 3)])
def test_one_number_over_12_anywhere_decides_for_the_whole_file(line: str, month: int) -> None:
    first, _ = messages(read_whatsapp(f"02/03/24, 09:00 - Ana: first\n{line}", CHAT))
    assert first.occurred_at is not None
    assert first.occurred_at.month == month


def test_where_no_number_decides_the_order_is_asked_for_and_never_guessed() -> None:
    text = "02/03/24, 09:00 - Ana: first\n05/04/24, 09:00 - Ana: second"
    with pytest.raises(UnreadableExport) as refused:
        read_whatsapp(text, CHAT)
    assert "--dates dmy (02 March 2024), --dates mdy (03 February 2024)" in refused.value.suggestions[0]
    for order, month in (("dmy", 3), ("mdy", 2)):
        found = messages(read_whatsapp(text, Chat(LISBON, order="dmy" if order == "dmy" else "mdy")))
        assert found[0].occurred_at is not None
        assert found[0].occurred_at.month == month


def test_dates_that_are_the_same_in_every_order_need_none() -> None:
    assert len(said("05/05/24, 09:00 - Ana: one\n06/06/24, 09:00 - Ana: two")) == 2


def test_dates_in_no_one_order_are_refused_and_with_an_order_named_by_their_line() -> None:
    text = "31/01/24, 09:00 - Ana: one\n01/31/24, 09:00 - Ana: two"
    with pytest.raises(UnreadableExport, match="in no order that fits"):
        read_whatsapp(text, CHAT)
    export = read_whatsapp(text, Chat(LISBON, order="dmy"))
    assert [message.content for message in messages(export)] == ["one"]
    assert [(one.place, one.failed) for one in export.unread] == [("line 2", True)]


def test_a_message_has_the_lines_up_to_the_next_date() -> None:
    text = (
        "31.12.23, 23:59 - Ana: milk\n\nbread: two\n[31/12/2023, 23:59:59] Bob: quoted\r\n31.12.23, 23:59 - Bob: ok\n"
    )
    assert said(text) == [("Ana", "milk\n\nbread: two\n[31/12/2023, 23:59:59] Bob: quoted"), ("Bob", "ok")]


def test_lines_of_the_app_pictures_and_what_was_deleted_are_counted_with_their_reason() -> None:
    export = read_whatsapp(
        "\n".join(
            (
                "31.12.23, 23:50 - Messages and calls are end-to-end encrypted.",
                '31.12.23, 23:51 - Ana changed the group name from "a" to "b: c"',
                "31.12.23, 23:52 - Ana: <Media omitted>",
                "31.12.23, 23:53 - Ana: <Medien ausgeschlossen>",
                "31.12.23, 23:54 - Ana: IMG-2023.jpg (file attached)\nthe garden",
                "31.12.23, 23:55 - Ana: This message was deleted",
                "31.12.23, 23:56 - Ana: null",
                "31.12.23, 23:57 - Ana: see you\u200e <This message was edited>",
            )
        ),
        CHAT,
    )
    assert [message.content for message in messages(export)] == ["the garden", "see you"]
    assert Counter(one.reason for one in export.unread) == {SYSTEM: 2, MEDIA: 4, DELETED: 1}
    assert export.unread[0].place == "line 1"


def test_what_the_app_wrote_behind_its_mark_is_nobodys() -> None:
    export = read_whatsapp(
        "[31/12/2023, 23:59:01] Hikers: \u200eMessages and calls are end-to-end encrypted.\n"
        "\u200e[31/12/2023, 23:59:02] Ana: \u200eimage omitted\n"
        "[31/12/2023, 23:59:03] Ana: \u200eplan.pdf • \u200e3 pages \u200edocument omitted\n"
        "[31/12/2023, 23:59:04] Ana: the plan \u200e<attached: 0001-plan.pdf>\n",
        CHAT,
    )
    assert [(one.name, one.content) for one in messages(export)] == [("Ana", "the plan")]
    assert Counter(one.reason for one in export.unread) == {SYSTEM: 1, MEDIA: 3}


def test_the_user_is_who_is_named_so_and_the_others_keep_their_names() -> None:
    text = "31.12.23, 23:50 - Ana: I moved.\n31.12.23, 23:51 - Bob: Where?"
    assert said(text, Chat(LISBON, me="Ana")) == [(None, "I moved."), ("Bob", "Where?")]
    own, other = messages(read_whatsapp(text, Chat(LISBON, me="Ana")))
    assert (own.others, other.others) == ({"metadata": {"sender": "Ana"}}, {})
    with pytest.raises(UnreadableExport, match="'Anna'") as refused:
        read_whatsapp(text, Chat(LISBON, me="Anna"))
    assert refused.value.suggestions == ("In it write Ana, Bob.",)


def test_ids_are_the_same_again_also_when_the_chat_has_grown_and_repeated_words_differ() -> None:
    text = "31.12.23, 23:50 - Ana: ok\n31.12.23, 23:50 - Ana: ok\n"
    before = [one.message_id for one in messages(read_whatsapp(text, CHAT))]
    grown = messages(read_whatsapp(f"{text}31.12.23, 23:51 - Bob: fine\n", CHAT))
    assert len(set(before)) == 2
    assert [one.message_id for one in grown[:2]] == before
    assert {one.session_id for one in grown} == {messages(read_whatsapp(text, CHAT))[0].session_id}


def test_chats_that_began_in_the_same_minute_are_two() -> None:
    begun = "31.12.23, 23:50 - Messages and calls are end-to-end encrypted.\n31.12.23, 23:55 - Ana: "
    first, second = (messages(read_whatsapp(begun + text, CHAT))[0] for text in ("Hello Bob", "Hello Nora"))
    assert first.session_id != second.session_id


def test_somebody_in_whose_name_nothing_shows_is_counted() -> None:
    export = read_whatsapp("31.12.23, 23:50 - ~\u200e: hello", CHAT)
    assert (messages(export), [one.reason for one in export.unread]) == ([], [SYSTEM])


@each_case("text", ["", "\n\n", "Ana: hello", "45/99/2023, 10:00 - Ana: x", "1/2/24, 25:00 - Ana: x"])
def test_a_text_without_a_message_is_refused(text: str) -> None:
    with pytest.raises(UnreadableExport, match="no line"):
        read_whatsapp(text, CHAT)


def test_a_line_before_the_first_message_is_named() -> None:
    export = read_whatsapp("cut off here\n31.12.23, 23:50 - Ana: ok", CHAT)
    assert [(one.place, one.failed) for one in export.unread] == [("line 1", True)]


FORMATS: Final[tuple[Callable[[datetime], str], ...]] = (
    lambda at: f"[{at:%d/%m/%Y, %H:%M:%S}] ",
    lambda at: f"\u200e[{at:%m/%d/%y, %I:%M:%S}\u202f{at:%p}] ",
    lambda at: f"{at:%m/%d/%y, %I:%M %p} - ",
    lambda at: f"{at:%d.%m.%y, %H:%M} - ",
    lambda at: f"{at:%Y-%m-%d, %H:%M} - ",
)
WORDS: Final = st.text(st.sampled_from("abc Zé:,;?!()<3\n-7日"), min_size=1, max_size=40).map(str.strip).filter(bool)
NAMES: Final = st.text(st.sampled_from("AnaBob Zé日"), min_size=1, max_size=12).map(str.strip).filter(bool)
TURNS: Final = st.lists(st.tuples(NAMES, st.integers(0, 500_000), WORDS), min_size=1, max_size=8)


@given(turns=TURNS, form=st.sampled_from(FORMATS))
def test_a_chat_that_is_written_in_any_format_is_read_back_the_same(
    turns: list[tuple[str, int, str]], form: Callable[[datetime], str]
) -> None:
    first = datetime(2023, 5, 31, 9, 0)  # noqa: DTZ001 - local, and a day that is no month
    at = [first, *(first + timedelta(minutes=minutes) for _, minutes, _ in turns)]
    told = [("Ana", "so it begins"), *((name, words) for name, _, words in turns)]
    text = "\n".join(f"{form(time)}{name}: {words}" for time, (name, words) in zip(at, told, strict=True))
    found = messages(read_whatsapp(text, CHAT))
    assert [(one.name, one.content) for one in found] == told
    assert [one.occurred_at for one in found] == [time.replace(tzinfo=LISBON) for time in at]


def test_words_that_only_resemble_the_apps_are_somebodys() -> None:
    words = ("the last image omitted", "it says (file attached)", "<b>", "x <This message was edited> y")
    assert [text for _, text in said("".join(f"31.12.23, 23:50 - Ana: {one}\n" for one in words))] == list(words)


def test_a_long_message_takes_no_longer_than_its_length() -> None:
    for filler in (" ", "a.bc ", "<attached: ", "\u200e", "["):
        words = "x" + filler * (90_000 // len(filler)) + "y"
        assert said(f"31.12.23, 23:50 - Ana: {words}") == [("Ana", words)]
