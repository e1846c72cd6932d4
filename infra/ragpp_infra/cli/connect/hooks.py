"""Where assistants keep their hooks, and in which form: the same for Claude Code and Codex. Pure."""

import shlex
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Final

from pydantic import JsonValue

from ragpp.errors import ConfigurationError
from ragpp_infra.cli.connect.editors import Command, Editor
from ragpp_infra.cli.connect.jsonc import MEND, read_object, with_member
from ragpp_infra.cli.hooking.command import PRE_COMPACT, PUBLISHED, SESSION_START, STOP, USER_PROMPT

_PATIENCE_S: Final = {SESSION_START: 5, USER_PROMPT: 5, STOP: 20, PRE_COMPACT: 20}
"""How long an assistant waits for the hook before it goes on without."""
_MATCHER: Final = {SESSION_START: "startup|clear|compact"}
"""Not `resume`, where the brief is there already."""
_PROGRAMS: Final = frozenset({"ragpp", "ragpp.exe", "ragpp_infra.cli.start"})


def hooked(home: Path) -> dict[str, Editor]:
    """All assistants whose hooks are known, by name."""
    trusting = "start a new session, and trust the hooks there: /hooks"
    known = (
        Editor("claude-code", home / ".claude/settings.json", _changed, "start a new session"),
        Editor("codex", home / ".codex/hooks.json", _changed, trusting),
    )
    return {one.name: one for one in known}


def _changed(text: str, command: Command | None) -> str:
    hooks = read_object(text).get("hooks", {})
    if not isinstance(hooks, dict):
        raise ConfigurationError("'hooks' in it is no object", suggestions=(MEND,))
    for name, event in PUBLISHED.items():
        groups = hooks.get(event, [])
        if not isinstance(groups, list):
            raise ConfigurationError(f"'hooks.{event}' in it is no list", suggestions=(MEND,))
        left: list[JsonValue] = [rest for group in groups if (rest := _without_ours(group)) is not None]
        if command is not None:
            left.append(_group(name, command))
        if left != groups:
            text = with_member(text, ("hooks", event), left or None)
    return text


def _group(name: str, command: Command) -> dict[str, JsonValue]:
    run = shlex.join((command.command, *command.args, name))
    handler: dict[str, JsonValue] = {"type": "command", "command": run, "timeout": _PATIENCE_S[name]}
    matcher: dict[str, JsonValue] = {"matcher": _MATCHER[name]} if name in _MATCHER else {}
    return {**matcher, "hooks": [handler]}


def _without_ours(group: JsonValue) -> JsonValue:
    """A group without our hooks; None where it had no other."""
    if not isinstance(group, dict) or not isinstance(handlers := group.get("hooks"), list):
        return group
    left = [one for one in handlers if not _is_ours(one)]
    if len(left) == len(handlers):
        return group
    return {**group, "hooks": left} if left else None


def _is_ours(handler: JsonValue) -> bool:
    run = handler.get("command") if isinstance(handler, Mapping) else None
    try:
        words = shlex.split(run) if isinstance(run, str) else []
    except ValueError:  # quotes that are not closed
        return False
    return any(PurePath(program).name in _PROGRAMS and word == "hook" for program, word in pairwise(words))
