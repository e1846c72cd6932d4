"""The birth of a process on Linux, which tells it from any other that has or had its pid."""

import functools
from pathlib import Path


def birth_on_linux(pid: int) -> str | None:
    """The boot's id and the start in clock ticks since then, which a step of the clock does not move; None when none
    runs, and on any other system. A zombie does not run, unless threads of it still do: until they end it keeps its
    files and ports."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # proc_pid_stat(5); the second field is in brackets and may itself hold blanks and brackets
    fields = stat.rpartition(")")[2].split()
    state, threads, ticks = fields[0], int(fields[17]), fields[19]
    if state == "X" or (state == "Z" and threads <= 1):
        return None
    return f"{_boot()}:{ticks}"


@functools.cache
def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
