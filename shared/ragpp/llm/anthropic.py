"""Language models behind Anthropic's messages API. An answer of a given form is the input of a tool that the model is
made to use."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import anthropic
import httpx2
import orjson
from pydantic import BaseModel, JsonValue, ValidationError

from ragpp.errors import MalformedReply, ModelRefused, ModelUnavailable
from ragpp.llm.asking import Answer, asked, asked_s, refusal
from ragpp.llm.port import ChatDelta, ChatMessage, Completion, Prompt, ReplyT, Usage
from ragpp.llm.schemas import strict_schema
from ragpp.providers import FIRST_WAIT_S, Retries, Sleep

if TYPE_CHECKING:
    from anthropic.types import MessageParam, RawMessageStreamEvent

ANTHROPIC_URL: Final = "https://api.anthropic.com"
TOOL: Final = "answer"


class _Usage(BaseModel):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Block(BaseModel):
    type: str
    name: str | None = None
    input: dict[str, JsonValue] | None = None


class _Reply(BaseModel):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage = _Usage()


class _Delta(BaseModel):
    text: str | None = None
    stop_reason: str | None = None


class _Started(BaseModel):
    usage: _Usage = _Usage()


class _Event(BaseModel):
    type: str
    message: _Started | None = None
    delta: _Delta | None = None
    usage: _Usage | None = None


class AnthropicModel:
    """A model of Anthropic's API. Implements `LanguageModel`."""

    def __init__(
        self,
        *,
        model: str,
        api_key: str,
        base_url: str = "",
        timeout_s: float = 60.0,
        retries: int = 2,
        first_wait_s: float = FIRST_WAIT_S,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """`base_url`: empty is Anthropic's own. `timeout_s`: of one attempt, and between two pieces of a stream. Opens
        no connection."""
        self._model = model
        self._retries = Retries(retries, sleep, asked_s, first_wait_s)
        self._client = anthropic.AsyncAnthropic(
            api_key=api_key, base_url=base_url or ANTHROPIC_URL, timeout=timeout_s, max_retries=0
        )

    @property
    def name(self) -> str:
        return f"anthropic:{self._model}"

    async def complete(self, prompt: Prompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        return await asked(
            prompt, schema, self.name, lambda question: self._retries.call(lambda: self._answer(question, schema))
        )

    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int = 1_000) -> AsyncIterator[ChatDelta]:
        events = await self._retries.call(lambda: self._opened(messages, max_tokens))
        ended, used_in, used_out = False, 0, 0
        async with events:
            with self._our_errors():
                async for event in events:
                    seen = _Event.model_validate(event.model_dump())
                    ended = ended or seen.type == "message_stop"
                    if seen.message is not None:
                        used_in = seen.message.usage.input_tokens or used_in
                    if seen.usage is not None:
                        used_in = seen.usage.input_tokens or used_in
                        used_out = seen.usage.output_tokens or used_out
                    if seen.type == "content_block_delta" and seen.delta is not None and seen.delta.text:
                        yield ChatDelta(seen.delta.text)
        if not ended:
            raise MalformedReply(f"the stream of {self.name} broke off", tokens_used=used_in + used_out)
        yield ChatDelta(usage=Usage(used_in, used_out))

    async def close(self) -> None:
        await self._client.close()

    async def _answer(self, prompt: Prompt, schema: type[BaseModel]) -> Answer:
        with self._our_errors():
            response = await self._client.messages.with_raw_response.create(
                model=self._model,
                max_tokens=prompt.max_tokens,
                system=prompt.system,
                messages=[{"role": "user", "content": prompt.user}],
                tools=[{"name": TOOL, "description": "Takes the answer.", "input_schema": strict_schema(schema)}],
                tool_choice={"type": "tool", "name": TOOL},
            )
            reply = _Reply.model_validate_json(response.http_response.content)
        usage = Usage(reply.usage.input_tokens or 0, reply.usage.output_tokens or 0)
        if reply.stop_reason == "refusal":
            raise ModelRefused(f"{self.name} declined to answer", tokens_used=usage.total)
        if reply.stop_reason == "max_tokens":
            raise MalformedReply(
                f"the answer of {self.name} was cut off after {prompt.max_tokens} tokens", tokens_used=usage.total
            )
        given = next((block.input for block in reply.content if block.type == "tool_use" and block.name == TOOL), None)
        return Answer("" if given is None else orjson.dumps(given).decode(), usage)

    async def _opened(
        self, messages: Sequence[ChatMessage], max_tokens: int
    ) -> "anthropic.AsyncStream[RawMessageStreamEvent]":
        system = "\n\n".join(message.content for message in messages if message.role == "system")
        said: list[MessageParam] = []
        for message in messages:
            if message.role == "user":
                said.append({"role": "user", "content": message.content})
            elif message.role == "assistant":
                said.append({"role": "assistant", "content": message.content})
        with self._our_errors():
            return await self._client.messages.create(
                model=self._model, max_tokens=max_tokens, system=system, messages=said, stream=True
            )

    @contextmanager
    def _our_errors(self) -> Iterator[None]:
        """Everything that the library raises, as an error of ours."""
        try:
            yield
        except anthropic.APIStatusError as error:
            raise refusal(self.name, error.status_code, error.response.headers, str(error), None) from error
        except anthropic.APITimeoutError as error:
            raise ModelUnavailable(f"{self.name} did not answer in time") from error
        except (anthropic.APIConnectionError, httpx2.HTTPError) as error:
            cause = error.__cause__ or error
            raise ModelUnavailable(f"{self.name} cannot be reached: {str(cause) or type(cause).__name__}") from error
        except (ValidationError, ValueError) as error:
            raise MalformedReply(f"{self.name} answered what is no message") from error
        except anthropic.AnthropicError as error:
            raise ModelUnavailable(f"{self.name} failed: {error}") from error
