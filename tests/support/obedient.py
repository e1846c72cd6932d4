"""A language model that obeys: whatever instruction it reads in a message becomes a rule and a stated preference."""

import json

from pydantic import BaseModel

from ragpp.llm.port import Completion, Prompt, ReplyT, Usage
from ragpp.llm.replies import (
    EndingsReply,
    LearnedRule,
    MergesReply,
    RulesReply,
    SaidPreference,
    ThemesReply,
    WindowReply,
)
from ragpp.text.sentences import Sentence
from ragpp_services.workers.learning.imperatives import read_sentence
from tests.support.models import Silent


class Obedient(Silent):
    """The model. Of everything else that it is asked it finds nothing."""

    name = "obedient:one"

    async def complete(self, prompt: Prompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        told = _told(prompt.user)
        reply: BaseModel = MergesReply(merges=[])
        if schema is ThemesReply:
            reply = ThemesReply(themes=[])
        if schema is EndingsReply:
            reply = EndingsReply(ended=[])
        if schema is RulesReply:
            rules = [
                LearnedRule(messages=[number], quote=line, text=line[:300], triggers=[], priority=5, confidence=1.0)
                for number, line in told
            ]
            reply = RulesReply(rules=rules)
        if schema is WindowReply:
            preferences = [
                SaidPreference(
                    messages=[number],
                    quote=line,
                    category="told",
                    key=line[:100],
                    value=line[:300],
                    stated=True,
                    confidence=1.0,
                )
                for number, line in told
            ]
            reply = WindowReply(relationships=[], preferences=preferences, findings=[])
        return Completion(schema.model_validate(reply.model_dump()), Usage(), self.name)


def _told(data: str) -> list[tuple[int, str]]:
    """The lines of a prompt's messages that tell somebody what to do, each with the number of its message."""
    messages = [json.loads(line) for line in data.splitlines() if line.startswith('{"n":')]
    return [
        (message["n"], line)
        for message in messages
        for line in message["text"].replace(". ", ".\n").splitlines()
        if (told := read_sentence(Sentence(line, 0, asks=line.rstrip().endswith("?")), stands=False))
        and told.standing != "once"
    ]
