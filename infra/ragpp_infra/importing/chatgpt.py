"""An export of ChatGPT: each conversation a tree, of which the shown branch is read back from `current_node`."""

import json
import re
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

_MARKED: Final = re.compile("\ue200([^\ue200\ue201]*)\ue201")
"""A footnote, a list of links or a name: its kind and its values, parted by U+E202."""
_NOT_SHOWN: Final = {"cite", "filecite", "navlist", "image_group"}
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant"}
_WITH_TEXT: Final = ("text", "multimodal_text")
_NOT_SAID: Final = {
    "code": "a call of a tool",
    "execution_output": "of a tool",
    "tether_browsing_display": "of a tool",
    "tether_quote": "of a tool",
    "user_editable_context": "hidden: instructions of the user's settings",
    "model_editable_context": "hidden: instructions of the user's settings",
    "thoughts": "thoughts of the model",
    "reasoning_recap": "thoughts of the model",
}


def read_chatgpt(conversations: list[object]) -> Export:
    """The conversations of `conversations.json`, in its order."""
    found: list[Conversation] = []
    unread: list[Unread] = []
    for number, told in enumerate(conversations, start=1):
        place = f"conversation {number}"
        if is_object(told) and is_object(told.get("mapping")):
            found.append(_Tree(told, place, unread).read())
        else:
            unread.append(Unread(place, "is no conversation, which has a mapping", failed=True))
    return Export("chatgpt", found, unread)


class _Tree:
    def __init__(self, told: Mapping[str, object], place: str, unread: list[Unread]) -> None:
        mapping = told.get("mapping")
        nodes = mapping if is_object(mapping) else {}
        self._title = text_of(told.get("title"))
        self._place = named(place, self._title)
        self._unread = unread
        self._nodes = {name: node for name, node in nodes.items() if is_object(node)}
        self._begun_at, _ = moment_of(told.get("create_time"))
        self._current = told.get("current_node")
        given = text_of(told.get("conversation_id")) or text_of(told.get("id"))
        self._id = stable_id("chatgpt", given, self._title or "", str(told.get("create_time")), *self._nodes)
        self._parents = {name: _parent(node) for name, node in self._nodes.items()}
        unread.extend(
            Unread(f"{self._place}, node {name}", "is no node, which is an object", failed=True)
            for name in nodes.keys() - self._nodes.keys()
        )

    def read(self) -> Conversation:
        """The shown branch; what lies beside it is counted."""
        end = self._end()
        shown = [] if end is None else list(walked(end, self._parents))[::-1]
        if shown and self._parents[shown[0]] is not None:
            first = self._parents[shown[0]]
            why = "runs in a circle" if first in shown else "begins behind a message that is missing"
            self._unread.append(Unread(self._place, f"its tree {why}", failed=True))
        messages = [message for name in shown if (message := self._message(name)) is not None]
        on_it = set(shown)
        for name, node in self._nodes.items():
            told = node.get("message")
            if name not in on_it and is_object(told) and _not_said(told) is None and _text(told)[0] is not None:
                self._unread.append(Unread(f"{self._place}, message {name}", OTHER_BRANCH))
        return Conversation(self._id, self._title, messages, self._begun_at)

    def _end(self) -> str | None:
        """The node that the shown branch ends with: where none is named, the newest that none follows."""
        if isinstance(self._current, str) and self._current in self._nodes:
            return self._current
        followed = set(self._parents.values())
        leaves = [name for name in self._nodes if name not in followed]
        return max(leaves, key=self._said_at, default=None)

    def _said_at(self, name: str) -> float:
        told = self._nodes[name].get("message")
        moment, _ = moment_of(told.get("create_time")) if is_object(told) else (None, None)
        return 0.0 if moment is None else moment.timestamp()

    def _message(self, name: str) -> ImportedMessage | None:
        told = self._nodes[name].get("message")
        place = f"{self._place}, message {name}"
        if told is None:
            return None  # the root, which no one says
        if not is_object(told):
            self._unread.append(Unread(place, "is no message, which is an object", failed=True))
            return None
        why = _not_said(told)
        if why is not None:
            self._unread.append(Unread(place, why))
            return None
        content, beside = _text(told)
        self._unread.extend(Unread(place, one) for one in beside)
        if content is None:
            self._unread.extend([] if beside else [Unread(place, NO_TEXT)])
            return None
        occurred_at, misread = moment_of(told.get("create_time"))
        return ImportedMessage(
            session_id=self._id,
            message_id=stable_id("chatgpt", told.get("id") or name, self._id, name, content),
            role=_ROLES[_author(told, "role") or ""],
            name=_author(told, "name"),
            content=content,
            occurred_at=occurred_at,
            place=place,
            misread=misread,
        )


def _parent(node: Mapping[str, object]) -> str | None:
    parent = node.get("parent")
    return parent if isinstance(parent, str) else None


def _author(told: Mapping[str, object], what: str) -> str | None:
    author = told.get("author")
    return text_of(author.get(what)) if is_object(author) else None


def _not_said(told: Mapping[str, object]) -> str | None:
    """Why nobody said this to anybody; None where somebody did."""
    metadata, content, role = told.get("metadata"), told.get("content"), _author(told, "role")
    if is_object(metadata) and metadata.get("is_visually_hidden_from_conversation") is True:
        return "hidden in the conversation"
    if role == "system":
        return "hidden: of the system"
    if role not in _ROLES:
        return "of a tool" if role == "tool" else "of nobody that is known: its role is neither user nor assistant"
    if told.get("recipient") not in {None, "all"}:
        return "a call of a tool"
    kind = content.get("content_type") if is_object(content) else None
    return _NOT_SAID.get(kind) if isinstance(kind, str) else None


def _text(told: Mapping[str, object]) -> tuple[str | None, list[str]]:
    """The text of all parts, None where there is none, and what else there was."""
    content = told.get("content")
    if isinstance(content, str):
        return text_of(_shown(content)), []
    if not is_object(content):
        return None, []
    kind = content.get("content_type")
    if kind not in {None, *_WITH_TEXT}:
        return text_of(_shown(content.get("text"))), []
    texts: list[str] = []
    beside: list[str] = []
    for part in items(content.get("parts")):
        if is_object(part):
            spoken = text_of(_shown(part.get("text")))
            if spoken is not None:
                texts.append(spoken)
            elif part.get("content_type") is not None:
                beside.append("a picture, sound or file: its text is kept where it has one")
        elif (text := text_of(_shown(part))) is not None:
            texts.append(text)
    return ("\n".join(texts) or text_of(_shown(content.get("text")))), beside


def _shown(text: object) -> object:
    """`text` as it is read in the conversation: without footnotes, and with the names that are links."""
    return _MARKED.sub(_name, text).strip() if isinstance(text, str) and "\ue200" in text else text


def _name(marked: re.Match[str]) -> str:
    kind, _, told = marked[1].partition("\ue202")
    if kind in _NOT_SHOWN:
        return ""
    try:
        values: object = json.loads(told) if kind == "entity" else None
    except ValueError:
        return marked[0]
    named = items(values)[1:2]
    return named[0] if named and isinstance(named[0], str) else marked[0]
