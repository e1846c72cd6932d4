"""Preferences and behavioural rules."""

from typing import Annotated

from pydantic import ConfigDict, Field

from ragpp.api.messages import ChosenId
from ragpp.fields import Confidence, Id, Listed, NewId, NewLabel, Said, Whole
from ragpp.models import Value
from ragpp.preference_values import PreferenceValue


class PreferenceIn(Value):
    """A preference to set: any JSON value, a text of 1 to 4,000 characters or what has as many at most as JSON. `id`
    makes a repeat harmless."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"user_id": "u1", "category": "editor", "key": "layout", "value": {"theme": "dark", "size": 12}}
        }
    )

    user_id: NewId
    id: ChosenId | None = None
    category: NewLabel
    key: NewLabel
    value: PreferenceValue
    confidence: Confidence = 0.8
    stated: bool = True


class RuleIn(Value):
    """A behavioural rule to create. `id` makes a repeat harmless."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "text": "Offer a vegetarian option first.",
                "triggers": ["restaurant", "dinner"],
                "priority": 7,
            }
        }
    )

    user_id: NewId
    id: ChosenId | None = None
    text: Annotated[Said, Field(min_length=1, max_length=4_000)]
    triggers: Annotated[Listed[NewLabel], Field(max_length=50)] = ()
    priority: Whole = Field(default=5, ge=0, le=10)
    active: bool = True


class RuleChange(Value):
    """A change to a rule; what is absent stays. `aside`: why it is put aside, which makes it inactive; making it
    active again clears the reason."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "priority": 9, "active": True}})

    user_id: Id
    text: Annotated[Said, Field(min_length=1, max_length=4_000)] | None = None
    triggers: Annotated[Listed[NewLabel], Field(max_length=50)] | None = None
    priority: Annotated[Whole, Field(ge=0, le=10)] | None = None
    active: bool | None = None
    aside: Annotated[Said, Field(min_length=1, max_length=4_000)] | None = None


class FindingChange(Value):
    """A person's words in place of a finding's."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "text": "Nora is allergic to hazelnuts"}})

    user_id: Id
    text: Annotated[Said, Field(min_length=1, max_length=4_000)]


class Restore(Value):
    """Which version to make current again."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "version": 2}})

    user_id: Id
    version: Whole = Field(ge=1, le=2**31 - 1)


class JudgementIn(Value):
    """A verdict on a preference. `value`: which of its values is meant, in case it has changed since it was read,
    `null` where that is it; absent, the one that it has now."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "value": "short and direct"}})

    user_id: Id
    value: PreferenceValue = None

    @property
    def names_a_value(self) -> bool:
        """True where one was given, which `null` may be."""
        return "value" in self.model_fields_set


class UserIn(Value):
    """Whose it is; the path says the rest."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1"}})

    user_id: Id


class ActivationIn(Value):
    """That the host activated a rule: took it into its prompt, or acted by it. `id` makes a repeat harmless."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "id": "turn-17"}})

    user_id: Id
    id: NewId | None = None


class Outcome(Value):
    """The outcome of following a rule: whether it worked. `id` makes a repeat harmless."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "success": True, "id": "turn-17"}})

    user_id: Id
    success: bool
    id: NewId | None = None
