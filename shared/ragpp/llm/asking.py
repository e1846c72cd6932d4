"""The common part of asking, whatever the provider: trying again, and reading an answer of a given form."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from pydantic import JsonValue, ValidationError

from ragpp.errors import LanguageModelError, MalformedReply, ModelRateLimited, ModelRefused, ModelUnavailable
from ragpp.llm.port import Completion, Prompt, ReplyT, Usage
from ragpp.providers import NOT_AGAIN, PASSING_STATUS, retry_after_s

EXCERPT_CHARS: Final = 200
_OUT_OF_CREDIT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes of a 429 that waiting does not mend."""
_OBJECTS_LOOKED_AT: Final = 20
EXAMPLE_WORDS: Final = 5
"""A text of so many words that stands in the instructions, and not in the data, is of their example."""
SUGGESTIONS: Final = {
    401: ("Check the provider's key: LLM_OPENAI_API_KEY or LLM_ANTHROPIC_API_KEY.",),
    403: ("Check that the key may use the model.",),
    404: ("Check the model's name, and the endpoint's address (LLM_OPENAI_BASE_URL ends in /v1).",),
}


class Answer(NamedTuple):
    """A model's text, and the tokens that it cost."""

    text: str
    usage: Usage


def asked_s(error: Exception) -> float | None:
    """See `Retries`."""
    return error.retry_after_s if isinstance(error, ModelUnavailable | ModelRateLimited) else NOT_AGAIN


async def asked(
    prompt: Prompt, schema: type[ReplyT], model: str, send: Callable[[Prompt], Awaitable[Answer]]
) -> Completion[ReplyT]:
    """The answer to `prompt` as a value of `schema`; an answer of another form, or one that repeats the example that
    the instructions give, is asked for once more, with what is wrong about it. Raises LanguageModelError,
    MalformedReply with the tokens of both."""
    answer = await send(prompt)
    try:
        return Completion(_own_reply(answer.text, schema, prompt), answer.usage, model)
    except MalformedReply as error:
        complaint = f"Your previous answer could not be read: {error.message}. Answer with one JSON object."
        again = replace(prompt, user=f"{prompt.user}\n\n{complaint}")
        spent = answer.usage
    try:
        answer = await send(again)
        spent = Usage(spent.input_tokens + answer.usage.input_tokens, spent.output_tokens + answer.usage.output_tokens)
        return Completion(_own_reply(answer.text, schema, prompt), spent, model)
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


def _own_reply(text: str, schema: type[ReplyT], prompt: Prompt) -> ReplyT:
    """The value that `text` holds. Raises MalformedReply, also where it repeats the example of the instructions, as
    small models do: nobody said that."""
    reply = read_reply(text, schema)
    for said in _texts(reply.model_dump(mode="json")):
        if len(said.split()) >= EXAMPLE_WORDS and said in prompt.system and said not in prompt.user:
            raise MalformedReply("it repeats the example of the instructions")
    return reply


def _texts(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from _texts(one)
        case dict():
            yield from _texts(list(value.values()))
        case _:
            return


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
    if status == 429 and code not in _OUT_OF_CREDIT:
        return ModelRateLimited(said, retry_after_s=retry_after_s(headers))
    if status in PASSING_STATUS and status != 429:
        return ModelUnavailable(said, retry_after_s=retry_after_s(headers))
    return ModelRefused(said, suggestions=SUGGESTIONS.get(status, ()))
