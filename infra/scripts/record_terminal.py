"""docs/recording.svg: a real session at a terminal, replayed as an animated picture.

    export RAGPP_HOME=a-new-folder && ragpp up && python infra/scripts/record_terminal.py

The commands run on that stack, for a user who is erased before and afterwards; what they print is shown as it was
printed, and when, but that no wait is longer than SHOWN_WAIT_S. A scene clears the screen.
"""

import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

COLUMNS: Final = 88
SHOWN_WAIT_S: Final = 1.5
READING_S: Final = 2.5
"""How long a scene stays when all of it is there."""
LINE_PX: Final = 17
COLUMN_PX: Final = 7.83
USER: Final = "ana"
SCENES: Final = (
    (
        f'ragpp remember "My sister Elena moved to Porto last spring." --user {USER}',
        f'ragpp remember "I never fly, I prefer trains." --user {USER}',
        f'ragpp recall "How should I travel to my sister?" --user {USER}',
    ),
    (
        f"ragpp profile {USER}",
        f"ragpp forget about --entity Elena --user {USER} --yes",
        f'ragpp recall "Where does my sister live?" --user {USER}',
    ),
)
MOTION: Final = (
    "@keyframes on{from{opacity:0}to{opacity:1}}@keyframes off{to{opacity:0}}.command{fill:#8fd18f}"
    "text{white-space:pre}@media(prefers-reduced-motion){text{animation:none!important}.passes{display:none}}"
)
TARGET: Final = Path(__file__).parents[2] / "docs" / "recording.svg"


@dataclass(frozen=True)
class Line:
    """A line of the screen, and from when to when it is there, in seconds from the beginning."""

    text: str
    row: int
    since: float
    until: float


def run(command: str) -> str:
    """The command's output at a terminal of COLUMNS. Raises CalledProcessError."""
    program, *arguments = shlex.split(command)
    path = str(Path(sys.executable).with_name(program))
    environment = os.environ | {"COLUMNS": str(COLUMNS)}
    done = subprocess.run(
        [path, *arguments], env=environment, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.stdout


def settle() -> None:
    """Wait until workers have digested what the scene said."""
    run(f"ragpp pending --user {USER} --wait")


def record() -> list[Line]:
    """The lines of all scenes."""
    lines: list[Line] = []
    now = 0.5
    for commands in SCENES:
        shown: list[tuple[str, float]] = []
        for command in commands:
            shown.append((f"$ {command}", now))
            began = time.monotonic()
            answer = run(command)
            now += min(time.monotonic() - began, SHOWN_WAIT_S)
            shown += [(line.rstrip(), now) for line in answer.splitlines()]
            now += 1
        now += READING_S
        lines += [Line(text, row, since, now) for row, (text, since) in enumerate(shown)]
        settle()
    return lines


def draw(lines: list[Line]) -> str:
    """The picture: each line appears by its time; who wants no motion sees the last scene."""
    end = max(line.until for line in lines)
    width, height = round(COLUMNS * COLUMN_PX + 24), (max(line.row for line in lines) + 1) * LINE_PX + 24
    drawn = []
    for line in lines:
        motion, kind = f"on 1ms {line.since:.1f}s both", "command" if line.text.startswith("$ ") else ""
        if line.until < end:
            motion, kind = f"{motion}, off 1ms {line.until:.1f}s forwards", f"{kind} passes"
        place = f'x="12" y="{line.row * LINE_PX + 25}"'
        drawn.append(f'<text {place} class="{kind.strip()}" style="animation:{motion}">{escape(line.text)}</text>')
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="monospace" '
            f'font-size="13" fill="#ddd" xml:space="preserve"><title>Remember, recall, forget: {end:.0f} s</title>',
            f"<style>{MOTION}</style>",
            f'<rect width="{width}" height="{height}" rx="8" fill="#1b1e24"/>',
            *drawn,
            "</svg>\n",
        )
    )


if __name__ == "__main__":
    run(f"ragpp forget user {USER} --yes")
    try:
        TARGET.write_text(draw(record()), encoding="utf-8")
    finally:
        run(f"ragpp forget user {USER} --yes")
