"""What asking has in common whatever the provider: trying again, and reading an answer of a given form."""

import json
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeVar

from pydantic import JsonValue, ValidationError

from ragpp.errors import LanguageModelError, MalformedReply, ModelRateLimited, ModelRefused, ModelUnavailable
from ragpp.llm.port import Completion, Prompt, ReplyT, Usage

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 60.0
"""A provider that asks for more patience than this is not waited for."""
EXCERPT_CHARS: Final = 200
_TRIED_AGAIN: Final = frozenset({408, 409, 425, 500, 502, 503, 504, 529})
_OUT_OF_CREDIT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes of a 429 that waiting does not mend."""
_OBJECTS_LOOKED_AT: Final = 20
_RANDOM: Final = random.SystemRandom()
SUGGESTIONS: Final = {
    401: ("Check the provider's key: LLM_OPENAI_API_KEY or LLM_ANTHROPIC_API_KEY.",),
    403: ("Check that the key may use the model.",),
    404: ("Check the model's name, and the endpoint's address (LLM_OPENAI_BASE_URL ends in /v1).",),
}


class Answer(NamedTuple):
    """What a model wrote, and what it cost."""

    text: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how patiently a failed call is made again: after what the provider asks for, else after 0.5 s
    doubled each time, at random between half and all of it."""

    most: int
    sleep: Sleep

    async def call(self, once: Callable[[], Awaitable[T]]) -> T:
        """The result of `once`. Raises its last LanguageModelError; one that is not retryable at once."""
        for attempt in range(self.most + 1):
            try:
                return await once()
            except (ModelUnavailable, ModelRateLimited) as error:
                wait_s = error.retry_after_s
                if wait_s is None:
                    wait_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**attempt) * _RANDOM.uniform(0.5, 1.0)
                if attempt == self.most or wait_s > LONGEST_WAIT_S:
                    raise
            await self.sleep(wait_s)
        raise AssertionError("unreachable: the last attempt returns or raises")


async def asked(
    prompt: Prompt, schema: type[ReplyT], model: str, send: Callable[[Prompt], Awaitable[Answer]]
) -> Completion[ReplyT]:
    """The answer to `prompt` as a value of `schema`; an answer of another form is asked for once more, with what is
    wrong about it. Raises LanguageModelError, MalformedReply with the tokens of both."""
    answer = await send(prompt)
    try:
        return Completion(read_reply(answer.text, schema), answer.usage, model)
    except MalformedReply as error:
        complaint = f"Your previous answer could not be read: {error.message}. Answer with one JSON object."
        again = replace(prompt, user=f"{prompt.user}\n\n{complaint}")
        spent = answer.usage
    try:
        answer = await send(again)
        spent = Usage(spent.input_tokens + answer.usage.input_tokens, spent.output_tokens + answer.usage.output_tokens)
        return Completion(read_reply(answer.text, schema), spent, model)
    except LanguageModelError as error:
        error.tokens_used = max(error.tokens_used, spent.total)
        raise


def read_reply(text: str, schema: type[ReplyT]) -> ReplyT:
    """The value that `text` holds, which may stand between other words. Raises MalformedReply."""
    found = _first_object(text.rpartition("</think>")[2])
    if found is None:
        raise MalformedReply("the answer holds no JSON object")
    try:
        return schema.model_validate(found, strict=False)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the object"
        raise MalformedReply(f"{place}: {first['msg']} ({error.error_count()} problems)") from error


def _first_object(text: str) -> dict[str, JsonValue] | None:
    decoder = json.JSONDecoder()
    start = text.find("{")
    for _ in range(_OBJECTS_LOOKED_AT):
        if start < 0:
            break
        try:
            found, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        if isinstance(found, dict):
            return found
        start = text.find("{", start + 1)
    return None


def refusal(model: str, status: int, headers: Mapping[str, str], message: str, code: str | None) -> LanguageModelError:
    """The error for an answer with this status, whose body says `message` and `code`."""
    said = f"{model} answered {status}: {message[:EXCERPT_CHARS]}"
    suggestions = SUGGESTIONS.get(status, ())
    if status == 429 and code not in _OUT_OF_CREDIT:
        return ModelRateLimited(said, retry_after_s=_asked_wait_s(headers))
    if status in _TRIED_AGAIN:
        return ModelUnavailable(said, retry_after_s=_asked_wait_s(headers))
    return ModelRefused(said, suggestions=suggestions)


def _asked_wait_s(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` where it is a number of seconds; None for a date or nothing."""
    try:
        wait_s = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return wait_s if 0 <= wait_s < float("inf") else None
