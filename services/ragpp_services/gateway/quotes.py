"""What proposed rules were read from, so that a person can tell whether they are meant."""

from collections.abc import Sequence
from typing import Final

from ragpp.learned import ProposedRule, Quote
from ragpp.models import Interaction, Rule, Scope
from ragpp.text.lexical import words
from ragpp.text.sentences import clean, split
from ragpp_services.gateway.forgetting import readable
from ragpp_services.gateway.parts import Parts

MOST_QUOTES: Final = 5
"""Of one rule, the latest."""
MOST_READ: Final = 20
"""Messages of one rule that are looked up: those that it was last learned from."""
QUOTE_CHARS: Final = 300


async def with_quotes(parts: Parts, scope: Scope, rules: Sequence[Rule]) -> list[ProposedRule]:
    """The rules, each with what the messages say that it rests on, as far as the scope may read them.

    Raises TierUnavailable.
    """
    wanted = dict.fromkeys(source for rule in rules for source in rule.sources[-MOST_READ:])
    messages = {message.id: message for message in await readable(parts, scope, wanted)}
    return [ProposedRule(rule=rule, quotes=_quotes(rule, messages)) for rule in rules]


def _quotes(rule: Rule, messages: dict[str, Interaction]) -> tuple[Quote, ...]:
    heard = [messages[source] for source in rule.sources if source in messages]
    heard.sort(key=lambda message: (message.occurred_at, message.id), reverse=True)
    return tuple(
        Quote(
            interaction_id=message.id,
            session_id=message.session_id,
            said_by=message.name,
            occurred_at=message.occurred_at,
            text=part_about(message.content, rule.text),
        )
        for message in heard[:MOST_QUOTES]
    )


def part_about(content: str, text: str) -> str:
    """The sentence of `content` with most words of `text`, and what surrounds it, in one line of at most QUOTE_CHARS
    characters; an ellipsis stands for what is left out."""
    asked = set(words(text))
    spans = [(sentence.start, sentence.end) for sentence in split(clean(content))] or [(0, len(content))]
    start, end = max(spans, key=lambda span: len(asked & set(words(content[slice(*span)]))))
    start = max(0, start - max(0, QUOTE_CHARS - (end - start)) // 2)
    end = min(len(content), start + QUOTE_CHARS)
    cut = " ".join(content[start:end].split())
    return f"{'…' if start else ''}{cut[: QUOTE_CHARS - 2]}{'…' if end < len(content) else ''}"
