"""Exports of ChatGPT: the shown branch of each tree, and nothing that nobody said."""

from collections import Counter
from datetime import UTC, datetime

from pydantic import JsonValue

from ragpp_infra.importing.chatgpt import read_chatgpt
from ragpp_infra.importing.reading import NO_TEXT, OTHER_BRANCH, Export
from tests.support.each import each_case
from tests.support.exports import NOON, chain, said, tree


def contents(export: Export) -> list[tuple[str, str]]:
    return [(message.role, message.content) for one in export.conversations for message in one.messages]


def reasons(export: Export) -> dict[str, int]:
    return dict(Counter(one.reason for one in export.unread))


def test_messages_come_in_order_with_their_time_role_and_stable_ids() -> None:
    told = chain(said("user", "Where to?"), said("assistant", "Porto.", at=NOON + 5))
    export = read_chatgpt([told])
    (conversation,) = export.conversations
    assert contents(export) == [("user", "Where to?"), ("assistant", "Porto.")]
    assert (conversation.id, conversation.title) == ("chatgpt-c1", "Trip")
    assert [message.message_id for message in conversation.messages] == ["chatgpt-m1", "chatgpt-m2"]
    assert conversation.messages[0].occurred_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert export == read_chatgpt([told])
    assert export.unread == []


def test_of_an_edited_message_the_branch_that_is_shown_is_read_and_the_other_counted() -> None:
    branches: list[tuple[str, str | None, JsonValue]] = [
        ("root", None, None),
        ("old", "root", said("user", "Where is Porto?")),
        ("old-answer", "old", said("assistant", "In Portugal.")),
        ("new", "root", said("user", "Where is Oporto?")),
        ("new-answer", "new", said("assistant", "The same as Porto.")),
    ]
    export = read_chatgpt([tree(branches, "new-answer")])
    assert contents(export) == [("user", "Where is Oporto?"), ("assistant", "The same as Porto.")]
    assert reasons(export) == {OTHER_BRANCH: 2}
    assert export.unread[0].place == "conversation 1 (Trip), message old"
    back = read_chatgpt([tree(branches, "old-answer")])
    assert contents(back) == [("user", "Where is Porto?"), ("assistant", "In Portugal.")]


@each_case("current", [None, "gone"])
def test_without_a_shown_branch_that_is_known_the_newest_is_read(current: str | None) -> None:
    branches: list[tuple[str, str | None, JsonValue]] = [
        ("root", None, None),
        ("a", "root", said("user", "late", at=NOON + 9)),
        ("b", "root", said("user", "early", at=NOON)),
    ]
    assert contents(read_chatgpt([tree(branches, current)])) == [("user", "late")]


def test_a_tree_that_runs_in_a_circle_or_lost_its_beginning_is_read_once_and_named() -> None:
    circle = tree([("a", "b", said("user", "one")), ("b", "a", said("user", "two"))], "b")
    lost = tree([("a", "gone", said("user", "three"))], "a", id="c2")
    export = read_chatgpt([circle, lost])
    assert contents(export) == [("user", "one"), ("user", "two"), ("user", "three")]
    assert [one.failed for one in export.unread] == [True, True]
    assert list(reasons(export)) == ["its tree runs in a circle", "its tree begins behind a message that is missing"]


@each_case(
    ("message", "why"),
    [
        (said("system", "You are helpful."), "hidden: of the system"),
        (said("tool", "3 results"), "of a tool"),
        (said("user", "x", metadata={"is_visually_hidden_from_conversation": True}), "hidden in the conversation"),
        (said("assistant", "search(x)", recipient="browser"), "a call of a tool"),
        (said("assistant", content={"content_type": "code", "text": "1+1"}), "a call of a tool"),
        (said("assistant", content={"content_type": "thoughts", "thoughts": []}), "thoughts of the model"),
        (said("critic", "no"), "of nobody that is known: its role is neither user nor assistant"),
        (said("user", content=None), NO_TEXT),
        (said("user", None, ""), NO_TEXT),
        (said("user", content={"content_type": "text", "parts": None}), NO_TEXT),
    ],
)
def test_what_nobody_said_is_left_out_and_counted(message: JsonValue, why: str) -> None:
    export = read_chatgpt([chain(said("user", "kept"), message)])
    assert contents(export) == [("user", "kept")]
    assert reasons(export) == {why: 1}
    assert not any(one.failed for one in export.unread)


def test_the_text_of_parts_is_kept_beside_a_picture_and_of_what_was_spoken() -> None:
    picture: JsonValue = {"content_type": "image_asset_pointer", "asset_pointer": "file-1"}
    spoken: JsonValue = {"content_type": "audio_transcription", "text": "And that?"}
    mixed: JsonValue = {"content_type": "multimodal_text", "parts": [picture, "What is this?", spoken]}
    export = read_chatgpt([chain(said("user", content=mixed), said("user", picture))])
    assert contents(export) == [("user", "What is this?\nAnd that?")]
    assert reasons(export) == {"a picture, sound or file: its text is kept where it has one": 2}


def test_footnotes_are_no_words_and_names_that_are_links_are() -> None:
    cited = "It rains.\ue200cite\ue202turn0search1\ue202turn0search4\ue201"
    named = 'In \ue200entity\ue202["city","Porto","Portugal"]\ue201 too.'
    odd = "\ue200entity\ue202[broken\ue201 \ue200other\ue202x\ue201"
    export = read_chatgpt([chain(said("assistant", cited), said("assistant", named), said("assistant", odd))])
    assert [content for _, content in contents(export)] == ["It rains.", "In Porto too.", odd]


@each_case(("at", "misread"), [(None, None), ("soon", "soon"), (0, "0"), (True, "True"), (1e18, "1e+18"), (-5, "-5")])
def test_a_time_that_is_missing_or_none_is_told_apart_and_never_made_up(at: JsonValue, misread: str | None) -> None:
    (conversation,) = read_chatgpt([chain(said("user", "x", at=at))]).conversations
    assert (conversation.messages[0].occurred_at, conversation.messages[0].misread) == (None, misread)


@each_case("told", [None, 3, "x", [], {}, {"mapping": None}, {"mapping": []}])
def test_what_is_no_conversation_is_named_and_the_others_are_read(told: JsonValue) -> None:
    export = read_chatgpt([told, chain(said("user", "kept"))])
    assert contents(export) == [("user", "kept")]
    assert [(one.place, one.failed) for one in export.unread] == [("conversation 1", True)]


@each_case("node", [None, 3, {"message": 3, "parent": "root"}, {"message": {}, "parent": 7}, {}])
def test_nulls_and_other_types_within_a_tree_break_nothing(node: JsonValue) -> None:
    told = chain(said("user", "kept"), title=None, create_time="?")
    mapping = told["mapping"]
    assert isinstance(mapping, dict)
    mapping["odd"] = node
    assert contents(read_chatgpt([told])) == [("user", "kept")]
    assert contents(read_chatgpt([told | {"current_node": "odd"}])) in ([], [("user", "kept")])
