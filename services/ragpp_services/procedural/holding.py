"""Rules and preferences that hold whatever the question is. Pure."""

from collections.abc import Sequence
from typing import Final

from ragpp.learned import LEARNED_RULE, owner_of
from ragpp.models import STANDING, Memory, Preference, Rule
from ragpp.names import is_same
from ragpp.text.lexical import terms
from ragpp.text.manner import is_about_answers

IDENTITY: Final = "identity"
COMMUNICATION: Final = "communication"
"""Categories of preferences of which some shape every answer: what to call the user, and how to speak with them."""
NAME_PRIORITY: Final = 8
"""What to be called is short and for every answer; what a person made more urgent comes before it."""


def always_holds(rule: Rule) -> bool:
    """True for a rule that is for every question. One that was learned has to tell how to answer: that an instruction
    names no occasion says little, since people leave out what both know."""
    return not rule.triggers and (not rule.id.startswith(LEARNED_RULE) or is_about_answers(rule.text))


def shapes_every_answer(preference: Preference, asker: str | None = None) -> bool:
    """True for what to call the user, and how to answer them; not for when and how they want to be reached. Of what
    somebody with a name wants (`owner_of`), only where nobody else by their name is who asks."""
    owner = owner_of(preference.key)
    if owner is not None and asker is not None and not is_same(owner, asker):
        return False
    category = preference.category.casefold()
    return category == IDENTITY or (
        category == COMMUNICATION and is_about_answers(f"{preference.key}: {preference.value}")
    )


def standing(memory: Memory) -> Memory:
    """`memory`, marked as what always holds, whatever the query is; a name to be called by before other wishes."""
    marks = {STANDING: True} | ({"priority": NAME_PRIORITY} if memory.metadata.get("category") == IDENTITY else {})
    return memory.model_copy(update={"metadata": {**memory.metadata, **marks}})


def told_once(always: Sequence[Memory]) -> list[Memory]:
    """What always holds without the preferences that a rule of the same message says in full."""
    rules = [(set(one.sources), frozenset(terms(one.text))) for one in always if one.kind == "rule"]

    def is_told(memory: Memory) -> bool:
        wanted = frozenset(terms(str(memory.metadata.get("key"))))
        return any(wanted <= said and not sources.isdisjoint(memory.sources) for sources, said in rules)

    return [one for one in always if one.kind == "rule" or not is_told(one)]
