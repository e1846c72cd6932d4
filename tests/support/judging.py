"""Messages as they are judged."""

from ragpp_services.workers.language.cutting import cut
from ragpp_services.workers.language.judging import Judge, Judgement


async def judged(judge: Judge, text: str) -> list[Judgement]:
    """The judgements of a message's sentences, in order."""
    return await judge.judge(text, list(cut(text)))
