"""Rules and preferences that hold whatever the question is. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from ragpp.learned import LEARNED_RULE, owned_key, owner_of
from ragpp.models import STANDING, Memory, Preference, Rule
from ragpp.names import is_same
from ragpp.text.lexical import terms
from ragpp.text.manner import is_about_answers

IDENTITY: Final = "identity"
COMMUNICATION: Final = "communication"
"""Categories of preferences of which some shape every answer: what to call the user, and how to speak with them."""
NAME_PRIORITY: Final = 8
"""A name to be called by is short and for every answer; a rule that a person made more urgent comes before it."""
ALWAYS: Final = "always"
"""The value of a wish that its key says in full."""
_NAME: Final = re.compile(r"\b(?:name|called|call)\b", re.IGNORECASE)


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
    is_name = _category_of(memory) == IDENTITY and _NAME.search(_key_of(memory)) is not None
    marks = {STANDING: True} | ({"priority": NAME_PRIORITY} if is_name else {})
    return memory.model_copy(update={"metadata": {**memory.metadata, **marks}})


def told_once(always: Sequence[Memory]) -> list[Memory]:
    """Those of `always` that a rule of the same message does not say in full: a wish on how to answer often is one."""
    rules = [(set(one.sources), frozenset(terms(one.text))) for one in always if one.kind == "rule"]

    def is_told(memory: Memory) -> bool:
        value = str(memory.metadata.get("value"))
        wanted = frozenset(terms(_key_of(memory) if value == ALWAYS else f"{_key_of(memory)} {value}"))
        return any(wanted <= said and not sources.isdisjoint(memory.sources) for sources, said in rules)

    return [one for one in always if one.kind == "rule" or _category_of(one) != COMMUNICATION or not is_told(one)]


def _category_of(memory: Memory) -> str:
    return str(memory.metadata.get("category", "")).casefold()


def _key_of(memory: Memory) -> str:
    key = str(memory.metadata.get("key", ""))
    owner = owner_of(key)
    return key if owner is None else key.removeprefix(owned_key(owner, ""))
