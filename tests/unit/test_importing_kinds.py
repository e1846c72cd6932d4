"""The kind of a file is found by what stands in it, and one that cannot be imported is told as what it is."""

import zipfile
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp_infra.importing import files
from ragpp_infra.importing.chatgpt import read_chatgpt
from ragpp_infra.importing.claude import read_claude
from ragpp_infra.importing.dating import dated
from ragpp_infra.importing.files import parts_of
from ragpp_infra.importing.kinds import source_of
from ragpp_infra.importing.reading import Kind, UnreadableExport
from ragpp_infra.importing.zones import machine_zone
from tests.support.each import each_case
from tests.support.exports import chain, claudes, said, turn, written, zipped

CHATGPT: Final = [chain(said("user", "x"))]
CLAUDE: Final = [claudes(turn("human", "x"))]
CHAT: Final = "[31/12/2023, 23:59:59] Ana: hello\n"
LINES: Final = '{"content": "a"}\n{"content": "b"}\n'
OF: Final[dict[Kind, object]] = {"chatgpt": CHATGPT, "claude": CLAUDE, "whatsapp": CHAT, "jsonl": LINES}


def refusal(path: Path, wanted: Kind | None = None) -> str:
    with pytest.raises(UnreadableExport) as refused:
        source_of(path, wanted)
    assert refused.value.suggestions
    return str(refused.value.message)


@each_case(
    ("kind", "told"),
    [
        *OF.items(),
        ("chatgpt", CHATGPT[0]),
        ("chatgpt", {"conversations": CHATGPT}),
        ("chatgpt", [None, *CHATGPT]),
        ("claude", CLAUDE[0]),
        ("whatsapp", "cut off\n" + CHAT),
        ("jsonl", '{"text": "one line"}'),
        ("jsonl", "\ufeff" + LINES),
        ("jsonl", "{broken\n" + LINES),
    ],
)
def test_a_kind_is_found_whatever_the_file_is_called(tmp_path: Path, kind: Kind, told: object) -> None:
    path = written(tmp_path, "some.file", told)
    assert source_of(path).kind == kind
    assert source_of(path, kind).kind == kind


@each_case(
    ("kind", "name", "told"),
    [
        ("chatgpt", "conversations.json", CHATGPT),
        ("chatgpt", "export/conversations.json", CHATGPT),
        ("claude", "conversations.json", CLAUDE),
        ("whatsapp", "_chat.txt", CHAT),
        ("whatsapp", "WhatsApp Chat with Bob.txt", CHAT),
    ],
)
def test_it_is_found_inside_of_a_zip_beside_other_files(tmp_path: Path, kind: Kind, name: str, told: object) -> None:
    junk = {"chat.html": "<html>", "image.png": "x", f"__MACOSX/{name}": "junk"}
    others: dict[str, object] = {"user.json": {"id": 1}, **junk}
    assert source_of(zipped(tmp_path, "export.zip", {**others, name: told})).kind == kind


def test_an_export_in_several_files_is_one(tmp_path: Path) -> None:
    more = [chain(said("user", "y"), id="c2")]
    path = zipped(tmp_path, "export.zip", {"conversations-001.json": more, "conversations-000.json": CHATGPT})
    assert source_of(path).conversations == [*CHATGPT, *more]


@each_case(("kind", "wanted"), [(kind, other) for kind in OF for other in OF if other not in {kind, "jsonl"}])
def test_a_file_of_another_kind_than_was_named_is_refused_with_its_kind(
    tmp_path: Path, kind: Kind, wanted: Kind
) -> None:
    with pytest.raises(UnreadableExport) as refused:
        source_of(written(tmp_path, "x", OF[kind]), wanted)
    assert f"say --from {kind}" in refused.value.suggestions[0]


@each_case(
    ("text", "why"),
    [
        ("", "is empty"),
        (" \n\ufeff\n", "is empty"),
        ("[]", "has no conversations"),
        ('{"conversations": []}', "has no conversations"),
        ('[{"mapping": {', "is broken JSON at line 1, column 15"),
        ('[\n{"a" 1}]', "is broken JSON at line 2, column 6"),
        ("[" * 100_000, "is nested too deep"),
        ('[{"title": "x"}]', "is of no kind that is known: JSON without conversations"),
        ('{"title": "x"}', "is of no kind that is known: JSON without conversations"),
        ("Dear Ana,\nhello", "is of no kind that is known: neither JSON nor a chat"),
        ("name,text\nAna,hello", "is of no kind that is known: neither JSON nor a chat"),
    ],
)
def test_what_cannot_be_imported_is_told_as_what_it_is(tmp_path: Path, text: str, why: str) -> None:
    path = written(tmp_path, "x.json", text)
    assert f"{path} {why}" in refusal(path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"\xff\xfe[\x00")
    assert "is not UTF-8 at byte 0" in refusal(path)


def test_what_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in refusal(tmp_path / "none")
    assert "is a folder" in refusal(tmp_path)


@each_case(
    ("entries", "why"),
    [
        ({}, "is a zip without conversations.json"),
        ({"photo.png": "x"}, "is a zip without conversations.json"),
        ({"WhatsApp Chat with Ana.txt": CHAT, "WhatsApp Chat with Bob.txt": CHAT}, "holds 2 chats"),
        ({"conversations.json": " " * 3_000_000}, "times its size"),
    ],
)
def test_a_zip_without_conversations_or_a_bomb_is_refused(tmp_path: Path, entries: dict[str, object], why: str) -> None:
    assert why in refusal(zipped(tmp_path, "x.zip", entries))


def test_a_broken_zip_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path, "x.zip", {"conversations.json": CHATGPT})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "is a broken zip" in refusal(path)
    path.write_bytes(whole[:50] + bytes(20) + whole[70:])
    assert "is a broken zip" in refusal(path)


def test_a_zip_of_absurdly_many_files_or_an_encrypted_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(tmp_path, "x.zip", {"conversations.json": CHATGPT, "a": "", "b": ""})
    monkeypatch.setattr(files, "MAX_ENTRIES", 2)
    assert "holds 3 files, over 2" in refusal(path)
    monkeypatch.undo()
    plain = path.read_bytes()
    path.write_bytes(plain.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01", 1))
    assert "is encrypted" in refusal(path)


def test_more_than_can_be_held_is_refused_whatever_the_header_says(tmp_path: Path) -> None:
    plain = written(tmp_path, "x.txt", CHAT)
    packed = zipped(tmp_path, "x.zip", {"_chat.txt": CHAT})
    for path in (plain, packed):
        assert parts_of(path, most=len(CHAT))[0].data == CHAT.encode()
        with pytest.raises(UnreadableExport, match="is over"):
            parts_of(path, most=len(CHAT) - 1)


def test_a_zip_is_known_by_what_it_is_and_not_by_its_name(tmp_path: Path) -> None:
    path = zipped(tmp_path, "export.json", {"conversations.json": CHATGPT})
    assert zipfile.is_zipfile(path)
    assert source_of(path).kind == "chatgpt"


def test_the_zone_of_this_machine_is_named_and_never_guessed(tmp_path: Path) -> None:
    link = tmp_path / "localtime"
    assert str(machine_zone({"TZ": ":Asia/Tokyo"}, link)) == "Asia/Tokyo"
    assert machine_zone({"TZ": "XYZ-3"}, link) is None
    assert str(machine_zone({}, link)) == "UTC"
    (tmp_path / "zoneinfo" / "Europe").mkdir(parents=True)
    (tmp_path / "zoneinfo" / "Europe" / "Lisbon").touch()
    link.symlink_to(tmp_path / "zoneinfo" / "Europe" / "Lisbon")
    assert str(machine_zone({}, link)) == "Europe/Lisbon"
    link.unlink()
    link.touch()
    assert machine_zone({}, link) is None


KEYS: Final = (
    *("mapping", "current_node", "message", "parent", "author", "role", "content", "content_type", "parts", "text"),
    *("create_time", "chat_messages", "uuid", "parent_message_uuid", "current_leaf_message_uuid", "sender", "type"),
    *("attachments", "a", "b"),
)
SCALARS: Final = st.sampled_from((None, True, 0, 1.5, "a", "b", "user", "human", "text", "", float("nan"), 10**400))
JSON: Final = st.recursive(
    SCALARS, lambda each: st.lists(each, max_size=3) | st.dictionaries(st.sampled_from(KEYS), each, max_size=5)
)


@given(st.lists(JSON, max_size=3), st.dictionaries(st.sampled_from(("a", "b")), JSON), st.lists(JSON, max_size=3))
def test_no_json_breaks_a_reader(told: list[object], mapping: dict[str, object], said: list[object]) -> None:
    for nodes in (mapping, {name: {"parent": "a", "message": one} for name, one in mapping.items()}):
        dated(read_chatgpt([*told, {"mapping": nodes, "current_node": "a"}]))
    dated(read_claude([*told, {"chat_messages": said, "current_leaf_message_uuid": "a"}]))
