"""Importing a module opens no connection, starts no process and writes no file."""

import subprocess
import sys
from typing import Final

from tests.support.source import ROOT, modules

GUARD: Final = """
import sys

FORBIDDEN = ("socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec",
             "os.fork", "os.posix_spawn", "os.mkdir", "os.remove", "os.rename", "os.chmod")
WRITES = 0b11 | 0o100 | 0o1000  # O_WRONLY or O_RDWR, O_CREAT, O_TRUNC
current = [""]

def watch(event, arguments):
    if event in FORBIDDEN or (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES):
        if arguments and str(arguments[0]) == "/dev/null":
            return
        sys.__stdout__.write(f"{current[0]}: {event} {arguments!r}\\n")

sys.addaudithook(watch)
import importlib
for name in sys.argv[1:]:
    current[0] = name
    importlib.import_module(name)
"""


def test_importing_any_module_does_no_io() -> None:
    names = [name for name, _ in modules() if not name.endswith("__main__")]
    done = subprocess.run(
        [sys.executable, "-B", "-c", GUARD, *names], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
