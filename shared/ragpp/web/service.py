"""One tier as a process of its own."""

import argparse
import sys
from collections.abc import Callable, Sequence

import uvicorn
from fastapi import FastAPI

from ragpp.errors import MemorySystemError
from ragpp.observability.logs import configure_logs
from ragpp.settings import LogSettings


def run_service(
    create_app: Callable[[], FastAPI],
    logs: LogSettings,
    *,
    name: str,
    port: int,
    arguments: Sequence[str] | None = None,
) -> None:
    """Serve what `create_app` makes until stopped, at --host and --port of the command line (`port` unless given).

    Logs are configured first: other formats would show the variables of a traceback, which hold what users said.
    An error of ours is told in one line, with exit code 1. `arguments`: the command line's, unless given.
    """
    parser = argparse.ArgumentParser(prog=f"services.{name}", description=f"The {name} tier of RAG++ over HTTP.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=port)
    given = parser.parse_args(arguments)
    configure_logs(logs, name)
    try:
        app = create_app()
    except MemorySystemError as error:
        sys.exit(f"{error.code} {error.message}")
    uvicorn.run(app, host=given.host, port=given.port, log_config=None, access_log=False)
