"""Language models behind OpenAI's chat completions API: OpenAI's own, and the many servers that speak it.

What servers know of the API differs, so what one refuses by name is left out from then on: a JSON schema for the
answer gives way to JSON with the schema beside it, that to JSON of any form, that to none (the prompt asks for JSON in
words in any case), and so do a temperature, usage figures in a stream and the newer name of the limit on tokens.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import httpx2
import openai
from pydantic import BaseModel, Field, ValidationError

from ragpp.errors import MalformedReply, ModelRefused, ModelUnavailable
from ragpp.llm.asking import Answer, asked, asked_s, refusal
from ragpp.llm.port import ChatDelta, ChatMessage, Completion, Prompt, ReplyT, Usage
from ragpp.llm.schemas import strict_schema
from ragpp.providers import FIRST_WAIT_S, Retries, Sleep

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

T = TypeVar("T")
_LESSER: Final[Mapping[str, Literal["beside", "json", "text"]]] = {
    "schema": "beside",
    "beside": "json",
    "json": "text",
}
OPENAI_URL: Final = "https://api.openai.com/v1"
NO_KEY: Final = "none"
"""Sent where no key is set: servers of one's own ask for none, the library wants one."""


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def counted(self) -> Usage:
        return Usage(self.prompt_tokens, self.completion_tokens)


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Reply(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class _Delta(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _ChunkChoice(BaseModel):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Chunk(BaseModel):
    choices: list[_ChunkChoice] | None = None
    usage: _Usage | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """How much of the API a server is taken to know."""

    form: Literal["schema", "beside", "json", "text"] = "schema"
    limit: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    limit_settled: bool = False
    temperature: bool = True
    stream_usage: bool = True

    def without(self, complaint: str) -> "Dialect | None":
        """The dialect that leaves out what `complaint`, an error's text, names; None when it names nothing here."""
        said = complaint.casefold()
        if self.form != "text" and any(word in said for word in ("response_format", "schema", "json_object")):
            return replace(self, form=_LESSER[self.form])
        if not self.limit_settled and "max_completion_tokens" in said:
            other: Literal["max_completion_tokens", "max_tokens"] = (
                "max_tokens" if self.limit == "max_completion_tokens" else "max_completion_tokens"
            )
            return replace(self, limit=other, limit_settled=True)  # once: then it is the number that is wrong
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        if self.stream_usage and "stream_options" in said:
            return replace(self, stream_usage=False)
        return None


class OpenAICompatibleModel:
    """A model of an OpenAI-compatible endpoint. Implements `LanguageModel`."""

    def __init__(
        self,
        *,
        model: str,
        api_key: str = "",
        base_url: str = "",
        timeout_s: float = 60.0,
        retries: int = 2,
        first_wait_s: float = FIRST_WAIT_S,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """`base_url`: ending in /v1; empty is OpenAI's own. `timeout_s`: of one attempt, and between two pieces of a
        stream. Opens no connection."""
        self._model = model
        self._retries = Retries(retries, sleep, asked_s, first_wait_s)
        self._dialect = Dialect(limit="max_tokens" if base_url else "max_completion_tokens")
        self._client = openai.AsyncOpenAI(
            api_key=api_key or NO_KEY, base_url=base_url or OPENAI_URL, timeout=timeout_s, max_retries=0
        )

    @property
    def name(self) -> str:
        return f"openai:{self._model}"

    async def complete(self, prompt: Prompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        return await asked(
            prompt,
            schema,
            self.name,
            lambda question: self._retries.call(lambda: self._adapting(lambda: self._answer(question, schema))),
        )

    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int = 1_000) -> AsyncIterator[ChatDelta]:
        chunks = await self._retries.call(lambda: self._adapting(lambda: self._opened(messages, max_tokens)))
        finished, usage = "", None
        async with chunks:
            with self._our_errors():
                async for chunk in chunks:
                    seen = _Chunk.model_validate(chunk.model_dump())
                    usage = seen.usage or usage
                    for choice in (seen.choices or [])[:1]:
                        finished = choice.finish_reason or finished
                        if choice.delta is not None and choice.delta.content:
                            yield ChatDelta(choice.delta.content)
        if not finished:
            raise MalformedReply(f"the stream of {self.name} broke off")
        yield ChatDelta(usage=usage.counted() if usage else None)

    async def close(self) -> None:
        await self._client.close()

    async def _adapting(self, call: Callable[[], Awaitable[T]]) -> T:
        """The result of `call`, made again with less of the API as long as the server names what it does not know;
        some name it in a 500."""
        while True:
            used = self._dialect
            try:
                return await call()
            except (ModelRefused, ModelUnavailable) as error:
                told = isinstance(error.__cause__, openai.APIStatusError)
                adapted = used.without(str(error.__cause__)) if told else None
                if adapted is None:
                    raise
                self._dialect = adapted

    async def _answer(self, prompt: Prompt, schema: type[BaseModel]) -> Answer:
        dialect = self._dialect
        body: dict[str, object] = {dialect.limit: prompt.max_tokens}
        if dialect.temperature:
            body["temperature"] = 0
        if dialect.form == "schema":
            described = {"name": schema.__name__, "strict": True, "schema": strict_schema(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        elif dialect.form == "beside":
            body["response_format"] = {"type": "json_object", "schema": strict_schema(schema)}
        elif dialect.form == "json":
            body["response_format"] = {"type": "json_object"}
        with self._our_errors():
            response = await self._client.chat.completions.with_raw_response.create(
                model=self._model,
                messages=_messages([ChatMessage("system", prompt.system), ChatMessage("user", prompt.user)]),
                extra_body=body,
            )
            reply = _Reply.model_validate_json(response.http_response.content)
        usage = reply.usage.counted() if reply.usage else Usage()
        choice = reply.choices[0]
        if choice.message.refusal or choice.finish_reason == "content_filter":
            raise ModelRefused(f"{self.name} declined to answer", tokens_used=usage.total)
        if choice.finish_reason == "length":
            raise MalformedReply(
                f"the answer of {self.name} was cut off after {prompt.max_tokens} tokens", tokens_used=usage.total
            )
        return Answer(choice.message.content or "", usage)

    async def _opened(
        self, messages: Sequence[ChatMessage], max_tokens: int
    ) -> "openai.AsyncStream[ChatCompletionChunk]":
        dialect = self._dialect
        body: dict[str, object] = {dialect.limit: max_tokens}
        if dialect.stream_usage:
            body["stream_options"] = {"include_usage": True}
        with self._our_errors():
            return await self._client.chat.completions.create(
                model=self._model, messages=_messages(messages), stream=True, extra_body=body
            )

    @contextmanager
    def _our_errors(self) -> Iterator[None]:
        """Everything that the library raises, as an error of ours."""
        try:
            yield
        except openai.APIStatusError as error:
            raise refusal(self.name, error.status_code, error.response.headers, error.message, error.code) from error
        except openai.APITimeoutError as error:
            raise ModelUnavailable(f"{self.name} did not answer in time") from error
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            cause = error.__cause__ or error
            raise ModelUnavailable(f"{self.name} cannot be reached: {str(cause) or type(cause).__name__}") from error
        except (ValidationError, ValueError) as error:
            raise MalformedReply(f"{self.name} answered what is no chat completion") from error
        except openai.OpenAIError as error:
            raise ModelUnavailable(f"{self.name} failed: {error}") from error


def _messages(messages: Sequence[ChatMessage]) -> "list[ChatCompletionMessageParam]":
    made: list[ChatCompletionMessageParam] = []
    for message in messages:
        match message.role:
            case "system":
                made.append({"role": "system", "content": message.content})
            case "user":
                made.append({"role": "user", "content": message.content})
            case "assistant":
                made.append({"role": "assistant", "content": message.content})
    return made
