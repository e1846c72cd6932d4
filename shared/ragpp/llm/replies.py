"""The answers that the prompts ask for. Every field is required: providers' strict modes know no defaults.

Messages are cited by the number they have in the prompt, and with the words that say it, so that each claim can be
checked against what was said.
"""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ragpp.catalog import ItemKind
from ragpp.fields import Label, Name, Text, storable
from ragpp.models import EntityLabel, FindingKind

Share = Annotated[float, Field(ge=0, le=1)]
Line = Annotated[str, Field(min_length=1, max_length=2_000), AfterValidator(storable)]


class Reply(BaseModel):
    """A part of a model's answer; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Cited(Reply):
    """A claim. `messages`: numbers of the messages that it rests on. `quote`: words of one of them, verbatim."""

    messages: list[int]
    quote: Text


class SaidRelationship(Cited):
    """`source` `type` `target` reads as a sentence. `ended`: the message says that it holds no longer."""

    source: Name
    source_label: EntityLabel
    type: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")]
    target: Name
    target_label: EntityLabel
    ended: bool
    confidence: Share


class SaidPreference(Cited):
    """`stated`: said so, not inferred from behaviour."""

    category: Label
    key: Label
    value: Line
    stated: bool
    confidence: Share


class SaidFinding(Cited):
    """One finding, told in a sentence. `past`: over when it was said."""

    finding: FindingKind
    text: Line
    past: bool
    confidence: Share


class WindowReply(Reply):
    """The answer to `extract`."""

    relationships: list[SaidRelationship]
    preferences: list[SaidPreference]
    findings: list[SaidFinding]


class SaidEnding(Reply):
    """The statement of the number `later` says that that of `earlier` holds no longer."""

    earlier: int
    later: int


class EndingsReply(Reply):
    """The answer to `endings`."""

    ended: list[SaidEnding]


class SummaryReply(Reply):
    """The answer to `summarise`: lines, the oldest matter first; empty ones say nothing."""

    lines: list[Text]


class NamedTheme(Reply):
    """A theme of several messages. `messages`: their numbers."""

    text: Name
    messages: list[int]


class ThemesReply(Reply):
    """The answer to `themes`."""

    themes: list[NamedTheme]


class LearnedRule(Cited):
    """When one of `triggers` comes up, do what `text` says. `priority`: 0 to 10, higher first."""

    text: Line
    triggers: list[Label]
    priority: Annotated[int, Field(ge=0, le=10)]
    confidence: Share


class RulesReply(Reply):
    """The answer to `rules`."""

    rules: list[LearnedRule]


class SamePreferences(Reply):
    """`absorbed` are names of the same setting as `kept`; all are numbers of the list in the prompt."""

    kept: int
    absorbed: list[int]


class MergesReply(Reply):
    """The answer to `merges`."""

    merges: list[SamePreferences]


class SaidFact(Cited):
    """One fact that stands alone. `messages`: numbers of the parts of a resource that say it."""

    text: Line
    kind: ItemKind
    confidence: Share


class FactsReply(Reply):
    """The answer to `facts`."""

    facts: list[SaidFact]


class WrittenLine(Reply):
    """A statement of a page. `items`: numbers of the facts that it rests on."""

    text: Line
    items: list[int]


class WrittenSection(Reply):
    """A titled part of a page."""

    title: Label
    lines: list[WrittenLine]


class PageReply(Reply):
    """The answer to `consolidate`."""

    sections: list[WrittenSection]


class ChosenItem(Reply):
    """`n`: its number in the prompt."""

    n: int
    score: Share


class ChoiceReply(Reply):
    """The answer to `choose`: the items that answer the question, best first."""

    chosen: list[ChosenItem]
