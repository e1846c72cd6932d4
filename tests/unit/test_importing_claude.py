"""Exports of Claude: texts and lists of blocks, and who is `human`."""

from collections import Counter
from datetime import UTC, datetime

from pydantic import JsonValue

from ragpp_infra.importing.claude import ATTACHED, read_claude
from ragpp_infra.importing.reading import NO_TEXT, OTHER_BRANCH, Export
from tests.support.each import each_case
from tests.support.exports import claudes, turn


def contents(export: Export) -> list[tuple[str, str]]:
    return [(message.role, message.content) for one in export.conversations for message in one.messages]


def reasons(export: Export) -> dict[str, int]:
    return dict(Counter(one.reason for one in export.unread))


def test_human_is_the_user_and_times_and_ids_are_the_exports_own() -> None:
    told = claudes(turn("human", "When do I sow kale?", uuid="m-1"), turn("assistant", "In May."))
    export = read_claude([told])
    (conversation,) = export.conversations
    assert contents(export) == [("user", "When do I sow kale?"), ("assistant", "In May.")]
    assert (conversation.id, conversation.title) == ("claude-c-1", "Garden")
    assert conversation.messages[0].message_id == "claude-m-1"
    assert conversation.messages[1].message_id.startswith("claude-")
    assert conversation.messages[0].occurred_at == datetime(2024, 5, 1, 10, 1, tzinfo=UTC)
    assert export == read_claude([told])


@each_case(
    ("message", "text"),
    [
        (turn("human", "plain"), "plain"),
        (turn("human", "plain", content=None), "plain"),
        (turn("human", "plain", content=[]), "plain"),
        (turn("human", "short", content=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "a\nb"),
        (turn("human", None, content="a text itself"), "a text itself"),
        (turn("human", None, content=[{"type": "text", "text": None}, None, "b"]), "b"),
    ],
)
def test_a_text_and_a_list_of_blocks_are_both_read(message: JsonValue, text: str) -> None:
    assert contents(read_claude([claudes(message)])) == [("user", text)]


def test_what_nobody_said_is_left_out_and_counted() -> None:
    blocks: JsonValue = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "name": "search", "input": {}},
        {"type": "tool_result", "content": []},
        {"type": "text", "text": "In May."},
    ]
    only: JsonValue = [{"type": "tool_use", "name": "search"}]
    export = read_claude(
        [
            claudes(
                turn("assistant", "a remark and In May.", content=blocks),
                turn("assistant", "this block is not supported", content=only),
                turn("human", ""),
                turn("human", "", attachments=[{"file_name": "plan.pdf", "extracted_content": "…"}]),
                turn("narrator", "Meanwhile"),
            )
        ]
    )
    assert contents(export) == [("assistant", "In May.")]
    assert reasons(export) == {
        "thoughts of the model": 1,
        "a call of a tool": 2,
        "of a tool": 1,
        NO_TEXT: 1,
        ATTACHED: 1,
        "of nobody that is known: its sender is neither human nor assistant": 1,
    }
    assert export.unread[-1].place == "conversation 1 (Garden), message 5"


def test_where_a_branch_is_named_the_others_are_left_out() -> None:
    messages = [
        turn("human", "old", uuid="a", parent_message_uuid="root"),
        turn("human", "new", uuid="b", parent_message_uuid="root"),
        turn("assistant", "answer", uuid="c", parent_message_uuid="b"),
    ]
    named = read_claude([claudes(*messages, current_leaf_message_uuid="c")])
    assert contents(named) == [("user", "new"), ("assistant", "answer")]
    assert reasons(named) == {OTHER_BRANCH: 1}
    assert len(contents(read_claude([claudes(*messages)]))) == 3


@each_case(("at", "misread"), [(None, None), ("yesterday", "yesterday"), ("2024-05-01", "2024-05-01")])
def test_a_time_that_is_missing_or_of_no_zone_is_told_apart(at: JsonValue, misread: str | None) -> None:
    (conversation,) = read_claude([claudes(turn("human", "x", at=at))]).conversations
    assert (conversation.messages[0].occurred_at, conversation.messages[0].misread) == (None, misread)


@each_case("told", [None, 3, {}, {"chat_messages": None}, {"chat_messages": [None, 3, [], "x"]}])
def test_nulls_and_other_types_are_named_and_break_nothing(told: JsonValue) -> None:
    export = read_claude([told, claudes(turn("human", "kept"))])
    assert contents(export) == [("user", "kept")]
    assert export.unread
    assert all(one.failed for one in export.unread)
