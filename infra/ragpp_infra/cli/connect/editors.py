"""Where editors and assistants keep their MCP servers, and in which form. Pure."""

import json
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from ragpp.errors import ConfigurationError
from ragpp_infra.cli.connect.jsonc import MEND, read_object, with_member

SERVER: Final = "ragpp"
"""The name of the entry."""
BY_HAND: Final = "Change the entry by hand: --dry-run shows how it is to be."
_TABLE: Final = re.compile(rf"^\[mcp_servers\.{SERVER}(?:\.[^\]\n]*)?\][^\n]*\n?(?:[^\[#\n][^\n]*\n?)*", re.MULTILINE)
"""Our table of a TOML file and its sub-tables, each up to a blank line, a comment or the next heading."""


@dataclass(frozen=True, slots=True)
class Command:
    """The command that an editor is to run: an absolute path, since the editor has a search path of its own."""

    command: str
    args: tuple[str, ...]


Changed = Callable[[str, "Command | None"], str]
"""A file's text with the entry, or without it for None: to the letter the same where that changes nothing. Raises
ConfigurationError for a text that is not understood."""


@dataclass(frozen=True, slots=True)
class Editor:
    """`path`: of its settings, below the folder of the person. `reload`: what has to be done until it sees them."""

    name: str
    path: Path
    changed: Changed
    reload: str

    def has_entry(self, text: str) -> bool:
        """True where a file of this text has the entry. Raises ConfigurationError."""
        return self.changed(text, None) != text


def editors(home: Path, platform: str = sys.platform) -> dict[str, Editor]:
    """All that are known, by name, with the paths that they have on `platform` (as `sys.platform` names it)."""
    support = {
        "darwin": home / "Library/Application Support",
        "win32": home / "AppData/Roaming",
    }.get(platform, home / ".config")
    zed = home / "AppData/Roaming/Zed" if platform == "win32" else home / ".config/zed"
    claude = support / "Claude/claude_desktop_config.json"
    known = (
        Editor("claude-code", home / ".claude.json", _in_json("mcpServers", {"type": "stdio"}), "start a new session"),
        Editor("claude-desktop", claude, _in_json("mcpServers", {}), "quit it and start it again"),
        Editor("cursor", home / ".cursor/mcp.json", _in_json("mcpServers", {}), "restart it"),
        Editor("vscode", support / "Code/User/mcp.json", _in_json("servers", {"type": "stdio"}), "reload the window"),
        Editor("codex", home / ".codex/config.toml", _in_toml, "start a new session"),
        Editor("zed", zed / "settings.json", _in_json("context_servers", {"source": "custom"}), "nothing more to do"),
    )
    return {one.name: one for one in known}


def _in_json(key: str, beside: Mapping[str, JsonValue]) -> Changed:
    """In an object under `key`, with what this editor wants `beside` the command."""

    def changed(text: str, command: Command | None) -> str:
        servers = read_object(text).get(key, {})
        if not isinstance(servers, dict):
            raise ConfigurationError(f"{key!r} in it is no object", suggestions=(MEND,))
        entry: JsonValue = None
        if command is not None:
            entry = {**beside, "command": command.command, "args": list(command.args)}
        return text if servers.get(SERVER) == entry else with_member(text, (key, SERVER), entry)

    return changed


def _in_toml(text: str, command: Command | None) -> str:
    before = _tables(text)
    entry = None if command is None else {"command": command.command, "args": list(command.args)}
    if _entry_of(before) == entry:
        return text
    line = "\r\n" if "\r\n" in text else "\n"
    rest = _TABLE.sub("", text).rstrip()
    if command is None:
        changed = f"{rest}{line}" if rest else ""
    else:
        args = ", ".join(map(_basic_string, command.args))
        heading, run = f"[mcp_servers.{SERVER}]", f"command = {_basic_string(command.command)}"
        table = line.join((heading, run, f"args = [{args}]", ""))
        changed = f"{rest}{line}{line}{table}" if rest else table
    try:
        after = tomllib.loads(changed)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError("servers in it are not written as tables", suggestions=(BY_HAND,)) from error
    if _without_entry(after) != _without_entry(before) or _entry_of(after) != entry:
        raise ConfigurationError("the entry in it is no table, or has comments", suggestions=(BY_HAND,))
    return changed


def _basic_string(text: str) -> str:
    """As TOML has it, whose escapes are JSON's but for pairs of surrogates."""
    return json.dumps(text, ensure_ascii=False)


def _tables(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"it is no TOML ({error})", suggestions=(MEND,)) from error


def _entry_of(tables: dict[str, object]) -> object:
    servers = tables.get("mcp_servers")
    return servers.get(SERVER) if isinstance(servers, dict) else None


def _without_entry(tables: dict[str, object]) -> dict[str, object]:
    servers = tables.get("mcp_servers")
    others = {name: one for name, one in servers.items() if name != SERVER} if isinstance(servers, dict) else servers
    return {**{name: one for name, one in tables.items() if name != "mcp_servers"}, "mcp_servers": others or None}


def entry_alone(editor: Editor, command: Command) -> str:
    """The entry as it would stand in a file that has nothing else."""
    return editor.changed("", command)
