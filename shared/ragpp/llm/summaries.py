"""A rolling summary of a conversation in a language model's words."""

from collections.abc import Sequence
from typing import Final

from ragpp.errors import MalformedReply
from ragpp.llm.port import LanguageModel
from ragpp.llm.prompting import prompt
from ragpp.llm.replies import SummaryReply
from ragpp.llm.transcripts import Numbered, Said, batches, data
from ragpp.text.port import TokenMeter

WORDS_PER_TOKEN: Final = 0.7
"""The words that a model is told for each token of its budget: models keep to words better."""


class LlmSummariser:
    """Has a language model write the lines. Whoever uses it keeps what the short-term tier quoted until this one has
    answered, and goes on with that when it raises."""

    def __init__(self, model: LanguageModel, counter: TokenMeter) -> None:
        self._model, self._counter = model, counter

    async def summarise(self, previous: str, messages: Sequence[Said], max_tokens: int) -> str:
        """The new summary: lines that tell what `previous` and then `messages`, oldest first, said; messages too long
        for one prompt are folded in one part after the other. Never more than `max_tokens` tokens: what the model
        writes over them is cut; empty when there is nothing to tell or no room. ValueError when `max_tokens` < 0.
        Raises LanguageModelError; MalformedReply also for no line at all."""
        if max_tokens < 0:
            raise ValueError(f"max_tokens is {max_tokens}, and must not be negative")
        if max_tokens == 0 or not (messages or previous.strip()):
            return ""
        summary = previous
        for batch in list(batches(messages)) or [Numbered(0, 0, "")]:
            lines = [data(line=line) for line in summary.split("\n") if line.strip()]
            fields = {
                "words": str(max(20, int(max_tokens * WORDS_PER_TOKEN))),
                "summary": "\n".join(lines),
                "messages": batch.text,
            }
            completion = await self._model.complete(prompt("summarise").filled(fields), schema=SummaryReply)
            written = (" ".join(line.split()) for line in completion.reply.lines)
            summary = "\n".join(line for line in written if line)
            if not summary:
                raise MalformedReply(f"{completion.model} wrote an empty summary", tokens_used=completion.usage.total)
        return self._counter.truncate(summary, max_tokens).rstrip()
