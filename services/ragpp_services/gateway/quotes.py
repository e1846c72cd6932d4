"""Quotes that proposed rules were read from, so that a person can tell whether they are meant."""

from collections.abc import Sequence
from typing import Final

from ragpp.learned import ProposedRule, Quote
from ragpp.models import Interaction, Rule, Scope
from ragpp.text.quotes import part_about
from ragpp_services.gateway.forgetting import readable
from ragpp_services.gateway.parts import Parts

MOST_QUOTES: Final = 5
"""Quotes of one rule, the latest."""
MOST_READ: Final = 20
"""Messages of one rule that are looked up: those that it was last learned from."""


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
