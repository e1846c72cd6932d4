"""`ragpp hook EVENT`: what an assistant runs, with the payload of the event as JSON on standard input.

It never fails: whatever goes wrong, it says nothing, and the assistant goes on as without it.
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from ragpp.environment import HOME, USER, is_elsewhere, stack_folder
from ragpp_infra.cli.hooking.transcript import Json, Turn, read_turns, typed

SESSION_START: Final = "session-start"
USER_PROMPT: Final = "user-prompt"
STOP: Final = "stop"
PRE_COMPACT: Final = "pre-compact"
PUBLISHED: Final = {
    SESSION_START: "SessionStart",
    USER_PROMPT: "UserPromptSubmit",
    STOP: "Stop",
    PRE_COMPACT: "PreCompact",
}
"""The events, and what they are called in payloads and settings."""
OWN_HOME: Final = "~/.ragpp"
"""As `ragpp mcp` has it."""
LAST_TURNS: Final = 5
"""The turns that are remembered again, harmlessly: a turn that was broken off has had no `stop` of its own."""


def run(arguments: Sequence[str]) -> None:
    """One event; nothing is raised."""
    parser = argparse.ArgumentParser("ragpp hook", description=__doc__)
    parser.add_argument("event", choices=tuple(PUBLISHED))
    parser.add_argument("--user", "-u", default=os.environ.get(USER) or "me", help="Whose memory.")
    parser.add_argument("--home", help="Folder of the embedded stack. Default: ~/.ragpp.")
    with suppress(SystemExit):  # 2 would have Claude Code refuse the prompt
        given, _ = parser.parse_known_args(arguments)
        with suppress(Exception):  # whatever it is, the assistant's work is worth more
            os.environ[HOME] = given.home or os.environ.get(HOME) or OWN_HOME
            said = _answer(given.event, given.user, json.loads(sys.stdin.buffer.read()))
            sys.stdout.write(said)
            sys.stdout.flush()


def _answer(event: str, user: str, payload: Mapping[str, Json]) -> str:
    """The text that the assistant is to read, in the form of its protocol."""
    session = str(payload["session_id"])
    turns = read_turns(Path(str(payload.get("transcript_path") or "")).expanduser())
    if event in {STOP, PRE_COMPACT}:
        _remember(user, session, _with_last_answer(turns, payload)[-LAST_TURNS:])
        return ""
    from ragpp_infra.cli.hooking.asking import brief, recalled  # noqa: PLC0415 - what the others need not load

    if event == SESSION_START:
        known = brief(user)
    elif prompt := typed(str(payload["prompt"])):
        shown = [one.id for turn in turns if turn.is_shown for one in turn.messages(session)]
        known = recalled(user, prompt, shown=shown)
    else:
        known = ""
    if not known:
        return ""
    return json.dumps({"hookSpecificOutput": {"hookEventName": PUBLISHED[event], "additionalContext": known}})


def _with_last_answer(turns: list[Turn], payload: Mapping[str, Json]) -> list[Turn]:
    """The turns, the last with the answer that the payload has: the file may not have it yet."""
    last = payload.get("last_assistant_message")
    if isinstance(last, str) and last.strip():
        if not turns:
            turns = [Turn(str(payload.get("turn_id") or ""))]
        turns[-1].answer = last
    return turns


def _remember(user: str, session: str, turns: Sequence[Turn]) -> None:
    """Store what was said; where the gateway is away it waits in the outbox."""
    said = [one for turn in turns for one in turn.messages(session)]
    if not said or not (is_elsewhere() or stack_folder().is_dir()):
        return
    from ragpp_infra.cli.hooking.storing import store  # noqa: PLC0415 - the client, which nothing else waits for

    store(user, session, said)
