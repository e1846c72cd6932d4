"""Language models that answer what they are told to."""

from collections.abc import AsyncIterator, Sequence

from pydantic import BaseModel

from ragpp.errors import ModelUnavailable
from ragpp.llm.port import ChatDelta, ChatMessage, Completion, Prompt, ReplyT, Usage
from ragpp.llm.replies import WindowReply


class Silent:
    """A model that is asked for shapes alone: it speaks to nobody."""

    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int = 1_000) -> AsyncIterator[ChatDelta]:
        del messages, max_tokens
        yield ChatDelta()

    async def close(self) -> None:
        return None


class Scripted(Silent):
    """A model that answers with one reply and keeps the prompts."""

    name = "scripted:one"

    def __init__(self, reply: WindowReply | None) -> None:
        self.reply, self.prompts = reply, list[Prompt]()

    async def complete(self, prompt: Prompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        self.prompts.append(prompt)
        if self.reply is None:
            raise ModelUnavailable("away")
        reply: BaseModel = self.reply
        return Completion(schema.model_validate(reply.model_dump()), Usage(), self.name)


class Suggests(Silent):
    """A model that answers with the reply of each shape, or an empty one, and keeps the prompts."""

    name = "scripted:two"

    def __init__(self, *replies: BaseModel) -> None:
        self.replies, self.prompts = replies, list[Prompt]()

    async def complete(self, prompt: Prompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        self.prompts.append(prompt)
        reply = next(reply for reply in self.replies if isinstance(reply, schema))
        return Completion(reply, Usage(), self.name)
