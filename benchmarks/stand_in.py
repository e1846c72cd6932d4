"""Stand-ins that choose items where no language model is configured: functions behind a server that speaks as one does.
What comes of them says nothing about any model."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final, Literal, get_args

from benchmarks.stack import ragpp
from ragpp.testing.choosing import Choose, by_words, choosing
from ragpp.testing.llm import LlmServer

StandIn = Literal["oracle", "words"]
STAND_INS: Final[tuple[StandIn, ...]] = get_args(StandIn)


def by_answers(answers: Mapping[str, Callable[[str], bool]]) -> Choose:
    """One that knows, by question, what answers: those candidates first, the others after them as they came."""

    def choose(question: str, texts: Sequence[str], most: int) -> list[tuple[int, float]]:
        right = [place for place, text in enumerate(texts) if answers[question](text)]
        others = [place for place in range(len(texts)) if place not in right]
        return [*((place, 1.0) for place in right), *((place, 0.1) for place in others)][:most]

    return choose


@asynccontextmanager
async def with_a_model(stand_in: StandIn, oracle: Choose) -> AsyncIterator[str]:
    """The name of what chooses: the model of LLM_RETRIEVAL, else a stand-in, without which the stack is started again
    afterwards. A stack that is brought up inside asks it."""
    if configured := os.environ.get("LLM_RETRIEVAL"):
        yield configured
        return
    async with LlmServer() as server:
        server.answers(choosing(oracle if stand_in == "oracle" else by_words))
        settings = {"LLM_RETRIEVAL": "openai:stand-in", "LLM_OPENAI_BASE_URL": server.openai_url}
        before = {name: os.environ.get(name) for name in settings}
        os.environ.update(settings)
        try:
            yield f"a stand-in ({stand_in}), which is no language model"
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value
            await asyncio.to_thread(ragpp, "up", quiet=True)
