"""The entries that `ragpp connect` writes into somebody else's settings, and what it leaves alone."""

import json
import tomllib
from pathlib import Path

import pytest

from ragpp.errors import ConfigurationError
from ragpp_infra.cli.connect.change import change_of
from ragpp_infra.cli.connect.editors import SERVER, Command, editors, entry_alone
from ragpp_infra.cli.connect.files import read_text, replace_text
from ragpp_infra.cli.connect.hooks import hooked
from tests.support.command_line import runner

COMMAND = Command("/opt/ragpp/bin/ragpp", ("mcp", "--user", "ana"))
HOOK = Command("/opt/my ragpp/bin/ragpp", ("hook", "--user", "ana"))
OTHERS = {"mcpServers": {"other": {"command": "x"}}, "theme": "dark", "größe": 12}
TOML = """model = "o4"  # my choice

[mcp_servers.other]
command = "x"

[mcp_servers.ragpp]
command = "old"
args = ["mcp"]

[mcp_servers.ragpp.env]
A = "1"

# why tools are on
[tools]
web = true
"""
JSON_KEYS = {
    "claude-code": "mcpServers",
    "claude-desktop": "mcpServers",
    "cursor": "mcpServers",
    "vscode": "servers",
    "zed": "context_servers",
}


def test_each_editor_gets_the_entry_where_it_looks_for_it() -> None:
    known = editors(Path("/home/ana"), "linux")
    assert set(known) == {*JSON_KEYS, "codex"}
    for name, key in JSON_KEYS.items():
        entry = json.loads(entry_alone(known[name], COMMAND))[key][SERVER]
        assert (entry["command"], entry["args"]) == (COMMAND.command, list(COMMAND.args)), name
    codex = tomllib.loads(entry_alone(known["codex"], COMMAND))
    assert codex == {"mcp_servers": {SERVER: {"command": COMMAND.command, "args": list(COMMAND.args)}}}


def test_settings_are_looked_for_where_each_system_keeps_them() -> None:
    paths = {system: editors(Path("/h"), system)["claude-desktop"].path.as_posix() for system in ("linux", "darwin")}
    assert paths == {
        "linux": "/h/.config/Claude/claude_desktop_config.json",
        "darwin": "/h/Library/Application Support/Claude/claude_desktop_config.json",
    }


def test_what_else_is_in_a_file_stays_with_the_entry_and_without_it() -> None:
    cursor, codex = editors(Path("/h"))["cursor"], editors(Path("/h"))["codex"]
    written = cursor.changed(json.dumps(OTHERS), COMMAND)
    assert json.loads(written)["mcpServers"]["other"] == {"command": "x"}
    assert json.loads(cursor.changed(written, None)) == OTHERS

    table = codex.changed(TOML, COMMAND)
    assert "# my choice" in table, "comments are a person's"
    assert "# why tools are on\n[tools]" in table
    read = tomllib.loads(table)
    assert read["mcp_servers"][SERVER] == {"command": COMMAND.command, "args": list(COMMAND.args)}
    assert read["tools"] == {"web": True}
    removed = tomllib.loads(codex.changed(table, None))
    assert removed == {"model": "o4", "mcp_servers": {"other": {"command": "x"}}, "tools": {"web": True}}


def test_written_twice_it_is_there_once() -> None:
    for editor in editors(Path("/h")).values():
        once = editor.changed("", COMMAND)
        assert editor.changed(once, COMMAND) == once, editor.name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cursor", "[]"),
        ("zed", '{"theme" "dark"}'),
        ("cursor", '{"mcpServers": []}'),
        ("codex", "model = "),
        ("codex", 'mcp_servers = { ragpp = { command = "x" } }\n'),
        ("codex", '[mcp_servers.ragpp]\n# mine\ncommand = "x"\n'),
        ("codex", '[mcp_servers."ragpp"]\ncommand = "x"\n'),
        ("cursor", "[" * 100_000),
    ],
)
def test_a_file_that_would_lose_something_is_refused(name: str, text: str) -> None:
    for command in (COMMAND, None):
        with pytest.raises(ConfigurationError):
            editors(Path("/h"))[name].changed(text, command)


def test_a_name_of_any_letters_is_written() -> None:
    command = Command("/bin/ragpp", ("mcp", "--user", "ana\U0001f600"))
    read = tomllib.loads(editors(Path("/h"))["codex"].changed("", command))
    assert read["mcp_servers"][SERVER]["args"] == list(command.args)


def test_a_file_is_replaced_as_a_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "mcp.json"
    replace_text(path, "1")
    path.chmod(0o640)
    replace_text(path, "2")
    assert read_text(path) == "2"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in path.parent.iterdir()] == ["mcp.json"], "nothing half written is left"


def _kept(path: Path) -> dict[str, str]:
    """The texts of the files kept beside `path`, by the ends of their names."""
    names = sorted(one.name for one in path.parent.iterdir())
    return {name.removeprefix(path.name): read_text(path.with_name(name)) for name in names if name != path.name}


@pytest.mark.parametrize("name", ["cursor", "codex", "claude-code --hooks"])
def test_what_is_kept_is_from_before_us_and_what_others_change_later_is_kept_too(tmp_path: Path, name: str) -> None:
    editor = hooked(tmp_path)["claude-code"] if "hooks" in name else editors(tmp_path)[name]
    mine, added = ('model = "o4"\n', 'theme = "dark"\n') if name == "codex" else ('{"model": "o4"}', '{"theme": 1, ')
    editor.path.parent.mkdir(exist_ok=True)
    editor.path.write_text(mine)
    first = change_of(editor, HOOK)
    assert first.kind == "added"
    assert first.write() == editor.path.with_name(f"{editor.path.name}.before-ragpp")
    again = change_of(editor, HOOK)
    assert (again.kind, again.write()) == ("unchanged", None)
    other = Command("/elsewhere/ragpp", HOOK.args)
    assert change_of(editor, other).kind == "changed"
    change_of(editor, other).write()
    assert _kept(editor.path) == {".before-ragpp": mine}, "our own entry is nothing that has to be kept"

    text = read_text(editor.path)
    editor.path.write_text(added + text if name == "codex" else added + text.lstrip("{"))
    later = change_of(editor, HOOK).write()
    change_of(editor, other).write()
    kept = _kept(editor.path)
    assert set(kept) == {".before-ragpp", ".before-ragpp-2"}
    assert later == editor.path.with_name(f"{editor.path.name}.before-ragpp-2")
    assert kept[".before-ragpp"] == mine
    assert "theme" in kept[".before-ragpp-2"]
    assert not any(editor.has_entry(one) for one in kept.values())
    change_of(editor, None).write()
    assert "theme" in read_text(editor.path)


def test_of_a_file_that_is_ours_alone_nothing_is_kept_and_nothing_is_claimed(tmp_path: Path) -> None:
    cursor = editors(tmp_path)["cursor"]
    assert change_of(cursor, COMMAND).write() is None
    assert change_of(cursor, HOOK).write() is None
    assert change_of(cursor, None).write() is None
    assert _kept(cursor.path) == {}
    cursor.path.write_text(cursor.changed('{"theme": 1}', COMMAND))
    kept = change_of(cursor, HOOK).write()
    assert kept is not None
    assert kept.name == "mcp.json.before-ragpp-2", "nobody knows what was there before the first change"


def test_the_command_writes_and_takes_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    run = runner(monkeypatch, capsys)
    shown = run("connect", "cursor", "--user", "ana", "--dry-run", home=tmp_path / "stack")
    assert '"--user"' in shown.stdout
    assert not (tmp_path / ".cursor").exists(), "a dry run writes nothing"
    assert run("connect", "cursor", "--no-check", home=tmp_path / "stack").returncode == 0
    servers = json.loads((tmp_path / ".cursor/mcp.json").read_text())["mcpServers"]
    assert servers[SERVER]["args"] == ["mcp", "--user", "me", "--home", str(tmp_path / "stack")]
    other = run("connect", "cursor", "--user", "ana", "--dry-run", home=tmp_path / "stack")
    assert "would be changed" in other.stdout
    same = run("connect", "cursor", "--no-check", home=tmp_path / "stack")
    assert "already in" in same.stdout
    assert f"export RAGPP_HOME={tmp_path / 'stack'}" in same.stdout
    assert "kept" not in same.stdout
    assert run("connect", "cursor", "--remove", home=tmp_path / "stack").returncode == 0
    assert json.loads((tmp_path / ".cursor/mcp.json").read_text()) == {}
    nothing = run("connect", "vscode", "--remove", home=tmp_path / "stack")
    tried = run("connect", "vscode", "--remove", "--dry-run", home=tmp_path / "stack")
    again = run("connect", "cursor", "--remove", home=tmp_path / "stack")
    assert [one.returncode for one in (nothing, tried, again)] == [1, 1, 1]
    assert all("there is no entry" in one.stderr for one in (nothing, tried, again))
    (tmp_path / ".cursor/mcp.json").write_text("{ mine }")
    by_hand = run("connect", "cursor", "--dry-run", home=tmp_path / "stack")
    assert "by hand" in by_hand.stdout
    assert '"--user"' in by_hand.stdout
    unknown = run("connect", "emacs", home=tmp_path / "stack")
    assert unknown.returncode == 1
    assert "claude-code, claude-desktop" in unknown.stderr
    hookless = run("connect", "cursor", "--hooks", home=tmp_path / "stack")
    nobody = run("connect", "cursor", "--user", " ", home=tmp_path / "stack")
    assert (hookless.returncode, nobody.returncode) == (1, 1)
    assert "has no hooks" in hookless.stderr
    assert "is empty" in nobody.stderr


OTHER_HOOK = {"type": "command", "command": "notify-send 'ragpp hook'"}


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_hooks_of_others_stay_and_ours_are_there_once(name: str) -> None:
    assistant = hooked(Path("/h"))[name]
    others = {"model": "opus", "hooks": {"Stop": [{"hooks": [OTHER_HOOK]}], "PreToolUse": [{"matcher": "Bash"}]}}
    once = assistant.changed(json.dumps(others), HOOK)
    assert assistant.changed(once, HOOK) == once
    hooks = json.loads(once)["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "PreToolUse"}
    stop = hooks["Stop"]
    assert stop[0] == {"hooks": [OTHER_HOOK]}
    assert stop[1]["hooks"][0]["command"] == "'/opt/my ragpp/bin/ragpp' hook --user ana stop"
    assert hooks["SessionStart"][0]["matcher"] == "startup|clear|compact"
    assert json.loads(assistant.changed(once, None)) == others


def test_one_of_our_hooks_in_a_group_of_somebody_elses_is_taken_out_alone() -> None:
    ours = {"type": "command", "command": "python -P -m ragpp_infra.cli.start hook stop"}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [OTHER_HOOK, ours]}]}})
    assert json.loads(hooked(Path("/h"))["codex"].changed(text, None))["hooks"] == {"Stop": [{"hooks": [OTHER_HOOK]}]}


@pytest.mark.parametrize("text", ["[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "mine"])
def test_settings_of_hooks_that_would_lose_something_are_refused(text: str) -> None:
    for command in (HOOK, None):
        with pytest.raises(ConfigurationError):
            hooked(Path("/h"))["claude-code"].changed(text, command)


def test_the_command_writes_hooks_and_takes_them_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    run, settings = runner(monkeypatch, capsys), tmp_path / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "opus"}\n')
    shown = run("connect", "claude-code", "--hooks", "--user", "ana", "--dry-run", home=tmp_path / "stack")
    assert "hook --user ana" in shown.stdout
    assert settings.read_text() == '{"model": "opus"}\n', "a dry run writes nothing"
    assert run("connect", "claude-code", "--hooks", home=tmp_path / "stack").returncode == 0
    assert set(json.loads(settings.read_text())["hooks"]) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact"}
    assert run("connect", "claude-code", "--hooks", "--remove", home=tmp_path / "stack").returncode == 0
    assert json.loads(settings.read_text()) == {"model": "opus"}
    assert settings.with_name("settings.json.before-ragpp").read_text() == '{"model": "opus"}\n'
    codex = run("connect", "codex", "--hooks", home=tmp_path / "stack")
    assert "trust" in codex.stdout
    unknown = run("connect", "zed", "--hooks", home=tmp_path / "stack")
    assert unknown.returncode == 1
    assert "claude-code, codex" in unknown.stderr
