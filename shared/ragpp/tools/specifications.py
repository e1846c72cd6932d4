"""The tools as a language model is told of them: name, when to use each, and its arguments. Source: document 002 §5,
whose words the descriptions are; what it says of arguments is said of each in its schema."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Self

from pydantic import ConfigDict, Field, JsonValue, field_validator, model_validator

from ragpp.api.items import MAX_STATEMENT_CHARS
from ragpp.catalog import DEFAULT_K, Importance
from ragpp.fields import Said, Text
from ragpp.models import Value
from ragpp.tools.descriptions import DESCRIPTIONS, ToolName

MAX_RECALLED: Final = 20
MAX_QUESTION_CHARS: Final = 10_000
MAX_NAME_CHARS: Final = 200
"""The most characters of a category as a model may spell it; a longer one is no name."""
_CategoryName = Annotated[Text, Field(min_length=1, max_length=MAX_NAME_CHARS)]


class _Arguments(Value):
    """A model's arguments of a tool. `null` stands for an argument that is left out, as many models have it."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def _left_out(cls, given: object) -> object:
        return {key: value for key, value in given.items() if value is not None} if isinstance(given, dict) else given


class RecallArguments(_Arguments):
    """Arguments of `recall`, which asks every tier of the memory unless `mode` or `category`, which only the catalog
    has, says otherwise; `scope` says it outright."""

    query: Annotated[Said, Field(min_length=1, max_length=MAX_QUESTION_CHARS)] = Field(
        description="What to search for. Be specific for better results."
    )
    k: int = Field(
        default=DEFAULT_K, ge=1, le=MAX_RECALLED, description="Maximum number of results to return (1-20, default 5)."
    )
    mode: Literal["rag", "llm", "hybrid"] | None = Field(
        default=None,
        description="Search mode of curated knowledge, which alone is searched then - "
        '"rag" (fast), "llm" (accurate), "hybrid" (balanced).',
    )
    category: _CategoryName | None = Field(
        default=None,
        description='Optional category of curated knowledge to filter results (e.g., "lead_preferences").',
    )
    scope: Literal["catalog", "all"] | None = Field(
        default=None,
        description='Where to search - "all" (past conversations, people, relationships, preferences and curated '
        'knowledge; the default), "catalog" (curated knowledge alone, the default with a mode or a category).',
    )

    @property
    def of_catalog(self) -> bool:
        """True where the catalog alone is asked."""
        if self.scope is None:
            return self.mode is not None or self.category is not None
        return self.scope == "catalog"

    @model_validator(mode="after")
    def _one_narrowing(self) -> Self:
        if self.scope == "all" and self.category is not None:
            raise ValueError('`category` is of the catalog alone: leave it out, or ask with `scope` "catalog"')
        return self


class RememberArguments(_Arguments):
    """The arguments of `remember`."""

    content: Annotated[Said, Field(min_length=1, max_length=MAX_STATEMENT_CHARS)] = Field(
        description="The fact or insight to remember. Be specific and complete."
    )
    category: _CategoryName | None = Field(
        default=None,
        description='Category to file under (e.g., "lead_preferences", "product_knowledge"). '
        "If not specified, will be auto-categorized.",
    )
    importance: Importance = Field(
        default="normal",
        description='Priority level - "low", "normal", "high". High importance items are prioritized in retrieval.',
    )

    @field_validator("importance", mode="before")
    @classmethod
    def _in_small_letters(cls, importance: object) -> object:
        return importance.lower() if isinstance(importance, str) else importance


class ListCategoriesArguments(_Arguments):
    """The arguments of `list_categories`: none."""


class GetCategoryArguments(_Arguments):
    """The arguments of `get_category`."""

    name: _CategoryName = Field(description='Category name (e.g., "lead_preferences", "product_knowledge").')


Arguments = RecallArguments | RememberArguments | ListCategoriesArguments | GetCategoryArguments


@dataclass(frozen=True)
class Tool:
    """One tool. `description`: what it does, when to use it, and what it answers, for the model."""

    name: ToolName
    description: str
    arguments: type[Arguments]

    def properties(self) -> dict[str, dict[str, JsonValue]]:
        """A JSON schema of each argument, without references."""
        return {name: _described(field) for name, field in _fields(self.arguments).items()}

    def required(self) -> list[str]:
        """The names of those that may not be left out."""
        return [name for name, field in self.arguments.model_fields.items() if field.is_required()]

    def parameters(self) -> dict[str, JsonValue]:
        """A JSON schema of them together."""
        return object_of(self.properties(), self.required())


def object_of(properties: Mapping[str, Mapping[str, JsonValue]], required: Iterable[str]) -> dict[str, JsonValue]:
    """A JSON schema of an object that has these properties and no other."""
    shown: dict[str, JsonValue] = {name: dict(field) for name, field in properties.items()}
    return {"type": "object", "properties": shown, "required": list(required), "additionalProperties": False}


TOOLS: Final[tuple[Tool, ...]] = (
    Tool("recall", DESCRIPTIONS["recall"], RecallArguments),
    Tool("remember", DESCRIPTIONS["remember"], RememberArguments),
    Tool("list_categories", DESCRIPTIONS["list_categories"], ListCategoriesArguments),
    Tool("get_category", DESCRIPTIONS["get_category"], GetCategoryArguments),
)


def _fields(arguments: type[Arguments]) -> dict[str, dict[str, JsonValue]]:
    fields: dict[str, dict[str, JsonValue]] = arguments.model_json_schema().get("properties", {})
    return fields


def _described(field: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A property as a model needs it: no title, and not that it may be null, which is the same as left out."""
    kinds = field.get("anyOf")
    own: dict[str, JsonValue] = {}
    for kind in kinds if isinstance(kinds, list) else []:
        if isinstance(kind, dict) and kind.get("type") != "null":
            own |= kind
    own |= {key: value for key, value in field.items() if key not in {"anyOf", "title"}}
    if own.get("default", "") is None:
        del own["default"]
    return own
