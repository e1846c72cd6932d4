"""An export of Claude: conversations of `chat_messages`, each with a `text` or a list of `content`."""

from collections.abc import Mapping
from typing import Final

from ragpp.models import Role
from ragpp_infra.importing.reading import (
    NO_TEXT,
    OTHER_BRANCH,
    Conversation,
    Export,
    ImportedMessage,
    Unread,
    is_object,
    items,
    moment_of,
    named,
    stable_id,
    text_of,
    walked,
)

ATTACHED: Final = "an attached file: its message is kept where it has a text"
_ROLES: Final[Mapping[str, Role]] = {"human": "user", "user": "user", "assistant": "assistant"}
_NOT_SAID: Final = {
    "tool_use": "a call of a tool",
    "tool_result": "of a tool",
    "thinking": "thoughts of the model",
    "redacted_thinking": "thoughts of the model",
}


def read_claude(conversations: list[object]) -> Export:
    """The conversations of `conversations.json`, in its order."""
    found: list[Conversation] = []
    unread: list[Unread] = []
    for number, told in enumerate(conversations, start=1):
        place = f"conversation {number}"
        if is_object(told) and isinstance(told.get("chat_messages"), list):
            found.append(_conversation(told, place, unread))
        else:
            unread.append(Unread(place, "is no conversation, which has chat_messages", failed=True))
    return Export("claude", found, unread)


def _conversation(told: Mapping[str, object], place: str, unread: list[Unread]) -> Conversation:
    title = text_of(told.get("name"))
    place = named(place, title)
    begun_at, _ = moment_of(told.get("created_at"))
    session = stable_id("claude", told.get("uuid"), title or "", str(told.get("created_at")), place)
    messages: list[ImportedMessage] = []
    all_told = items(told.get("chat_messages"))
    shown = _shown(told.get("current_leaf_message_uuid"), all_told)
    for number, one in enumerate(all_told, start=1):
        at = f"{place}, message {number}"
        if not is_object(one):
            unread.append(Unread(at, "is no message, which is an object", failed=True))
        elif shown is not None and one.get("uuid") not in shown:
            unread.append(Unread(at, OTHER_BRANCH))
        elif (message := _message(one, session, at, number, unread)) is not None:
            messages.append(message)
    return Conversation(session, title, messages, begun_at)


def _shown(leaf: object, messages: list[object]) -> set[object] | None:
    """The ids of the branch that ends with `leaf`; None where the export names no branch, and all are shown."""
    parents: dict[str, str | None] = {}
    for one in messages:
        if is_object(one) and isinstance(one.get("uuid"), str):
            parent = one.get("parent_message_uuid")
            parents[str(one["uuid"])] = parent if isinstance(parent, str) else None
    if not isinstance(leaf, str) or leaf not in parents or not any(parents.values()):
        return None
    return set(walked(leaf, parents))


def _message(
    told: Mapping[str, object], session: str, place: str, number: int, unread: list[Unread]
) -> ImportedMessage | None:
    sender = told.get("sender", told.get("role"))
    role = _ROLES.get(sender) if isinstance(sender, str) else None
    if role is None:
        unread.append(Unread(place, "of nobody that is known: its sender is neither human nor assistant"))
        return None
    content, beside = _text(told)
    unread.extend(Unread(place, one) for one in beside)
    attached = [*items(told.get("attachments")), *items(told.get("files"))]
    unread.extend(Unread(place, ATTACHED) for _ in attached)
    if content is None:
        unread.extend([] if beside or attached else [Unread(place, NO_TEXT)])
        return None
    occurred_at, misread = moment_of(told.get("created_at"))
    return ImportedMessage(
        session_id=session,
        message_id=stable_id("claude", told.get("uuid"), session, str(number), content),
        role=role,
        name=None,
        content=content,
        occurred_at=occurred_at,
        place=place,
        misread=misread,
    )


def _text(told: Mapping[str, object]) -> tuple[str | None, list[str]]:
    """The text of the blocks of `content`, `text` where it has none; None for neither. Behind it what else there was,
    in whose place `text` may have a remark."""
    content = told.get("content")
    texts: list[str] = []
    beside: list[str] = []
    for block in [content] if isinstance(content, str) else items(content):
        kind = block.get("type") if is_object(block) else None
        text = text_of(block.get("text")) if is_object(block) else text_of(block)
        if isinstance(kind, str) and kind != "text":
            beside.append(_NOT_SAID.get(kind, "a picture, sound or file: its text is kept where it has one"))
        elif text is not None:
            texts.append(text)
    if texts or beside:
        return "\n".join(texts) or None, beside
    return text_of(told.get("text")), []
