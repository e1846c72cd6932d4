"""The governor's composition root: its client, its responder and its record, from settings."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from ragpp.client import AsyncMemoryClient
from ragpp.clock import system_clock
from ragpp.errors import ConfigurationError
from ragpp.llm.budget import InMemoryBudget
from ragpp.llm.factory import make_language_models
from ragpp.settings import LanguageModelSettings
from ragpp_services.governor.choosing import Chooser, asking
from ragpp_services.governor.graph import Governor
from ragpp_services.governor.quoted_answer import quoted_answer
from ragpp_services.governor.responders import Responder, language_model
from ragpp_services.governor.values import Limits, Mode, Record

TENANT: Final = "local"
"""Whose budget a terminal's calls are counted on: that of its own process."""


@asynccontextmanager
async def open_responder(*, echoing: bool) -> AsyncIterator[tuple[Responder, str]]:
    """The responder, and its name: quotations of memory, or the model that LLM_CHAT names.

    Raises ConfigurationError where none is named, and for settings that contradict each other.
    """
    if echoing:
        yield quoted_answer, "echo"
        return
    settings = LanguageModelSettings()
    models = make_language_models(settings, InMemoryBudget(system_clock, tokens_per_day=settings.tokens_per_day))
    model = models.of("chat", TENANT) if models else None
    if models is None or model is None:
        raise ConfigurationError(
            "LLM_CHAT is not set, so there is no language model to answer",
            suggestions=("Set it to provider:model, as in LLM_CHAT=openai:gpt-5-mini.", "Or chat with --echo."),
        )
    try:
        yield language_model(model), model.name
    finally:
        await models.close()


@asynccontextmanager
async def open_governor(
    url: str,
    key: str,
    *,
    echoing: bool,
    mode: Mode = "recall",
    limits: Limits | None = None,
    record_to: Path | None = None,
) -> AsyncIterator[tuple[Governor, AsyncMemoryClient, str]]:
    """A governor on the gateway at `url`, its client, and the name of what answers. Checks nothing yet.

    In the mode `catalog` the model that answers chooses its memories, too; without one, what is recommended is taken.
    """
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(AsyncMemoryClient(url, key, retries=1))
        responder, name = await stack.enter_async_context(open_responder(echoing=echoing))
        choose: Chooser | None = asking(responder) if mode == "catalog" and not echoing else None
        governor = Governor(client, responder, mode=mode, choose=choose, limits=limits, on_record=_writer(record_to))
        yield governor, client, name


def _writer(path: Path | None) -> Callable[[Record], None] | None:
    """Appends each record as a line of JSON; readable by its owner alone, for it holds what was said."""
    if path is None:
        return None

    def write(record: Record) -> None:
        path.touch(mode=0o600)
        with path.open("a", encoding="utf-8") as file:
            file.write(record.model_dump_json() + "\n")

    return write
