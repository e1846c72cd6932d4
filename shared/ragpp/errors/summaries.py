"""The stored and logged part of an error: not its text, which may hold words of a message and would outlive it."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final

from pydantic import ValidationError

from ragpp.errors import MemorySystemError

OURS: Final = ("ragpp", "ragpp_services", "ragpp_infra")
MOST_CAUSES: Final = 3
MOST_KINDS: Final = 3


def safe_summary(error: BaseException) -> str:
    """The kind of `error`, where it was raised, and the same of what caused it: `KeyError at
    ragpp_services.workers.stages.observe:120 in observe, from …`. Pure, and never raises.

    Of an error of ours its code and title; its message where the class speaks in our own words alone
    (`MemorySystemError.speaks_plainly`), and else where it was raised. Of pydantic's the model and the kinds of its
    problems, without the places: the keys of a mapping are among them. Of any other nothing of its text.
    """
    links: list[str] = []
    link: BaseException | None = error
    while link is not None and len(links) <= MOST_CAUSES:
        links.append(_link(link))
        link = link.__cause__
    return ", from ".join(links)


def trace_of(error: BaseException) -> list[str]:
    """The places that `error` came through, each with its line of code: a trace without its end, which is the error's
    own text."""
    return traceback.format_tb(error.__traceback__)


@contextmanager
def exit_on_error() -> Iterator[None]:
    """An error of ours that leaves a command ends the process: its code and message on standard error, exit code 1."""
    try:
        yield
    except MemorySystemError as error:
        sys.exit(f"{error.code} {error.message}")


def _link(error: BaseException) -> str:
    if isinstance(error, MemorySystemError):
        known = f"{type(error).code} {type(error).title}"
        return f"{known}: {error.message}" if type(error).speaks_plainly else known + _where(error)
    name = type(error).__qualname__
    if isinstance(error, ValidationError):
        found = error.errors(include_url=False, include_context=False, include_input=False)
        kinds = list(dict.fromkeys(problem["type"] for problem in found))
        more = ", …" if len(kinds) > MOST_KINDS else ""
        name = f"{name} of {error.title}: {', '.join(kinds[:MOST_KINDS])}{more} ({len(found)} problems)"
    return name + _where(error)


def _where(error: BaseException) -> str:
    """The innermost place in our own code that the error came through; empty without any."""
    place = ""
    step: TracebackType | None = error.__traceback__
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] in OURS:
            place = f" at {module}:{step.tb_lineno} in {step.tb_frame.f_code.co_qualname}"
        step = step.tb_next
    return place
