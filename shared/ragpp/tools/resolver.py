"""The one place where a tool is called: its arguments are read, the memory is asked, and the model is told."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter, ValidationError

from ragpp.catalog import CategoryName
from ragpp.errors import CategoryNotFoundError, MemorySystemError
from ragpp.errors.problems import printable
from ragpp.memory import MemoryManager
from ragpp.models import LEAST_RELEVANCE
from ragpp.tools import formats
from ragpp.tools.reading import arguments_of
from ragpp.tools.specifications import (
    TOOLS,
    Arguments,
    GetCategoryArguments,
    ListCategoriesArguments,
    RecallArguments,
    RememberArguments,
    Tool,
)

_BY_NAME: Final[Mapping[str, Tool]] = {tool.name: tool for tool in TOOLS}
OFFERED: Final = 50
"""So many of a ranking the memories are chosen from: the tiers' scales differ, and its order keeps each tier's own."""
_OF_NOW: Final = frozenset({"message", "summary"})
"""The running conversation, which the model sees."""
_CATEGORY_NAME: Final[TypeAdapter[str]] = TypeAdapter(CategoryName)


@dataclass(frozen=True)
class ToolAnswer:
    """A tool's answer to the model. `ok`: it did what was asked of it."""

    text: str
    ok: bool = True


class MemoryTools:
    """The tools over one memory; one instance serves many tasks at once, of the event loop of its manager."""

    def __init__(self, memory: MemoryManager) -> None:
        self._memory = memory

    async def call(self, name: str, arguments: object = None) -> str:
        """The answer of the tool `name` to the model; `arguments` as that gave them, JSON or a mapping.

        Whatever they are, and whatever the memory says, the answer is a text: of what fails why, and what to do about
        it.
        """
        return (await self.answer(name, arguments)).text

    async def answer(self, name: str, arguments: object = None) -> ToolAnswer:
        """The same, with whether it went well."""
        tool = _BY_NAME.get(name)
        if tool is None:
            return ToolAnswer(
                f"There is no tool {printable(name, limit=64)!r}. Tools: {', '.join(_BY_NAME)}.", ok=False
            )
        try:
            return ToolAnswer(await self._answered(arguments_of(tool, arguments)))
        except CategoryNotFoundError as error:
            return ToolAnswer(_no_category(tool, error), ok=False)
        except MemorySystemError as error:
            return ToolAnswer(formats.failed(tool.name, error), ok=False)

    async def _answered(self, given: Arguments) -> str:
        match given:
            case RecallArguments():
                of_catalog = given.of_catalog or (given.scope is None and self._memory.whose.user_id is None)
                return await (self._retrieved(given) if of_catalog else self._recalled(given))
            case RememberArguments():
                await self._named(given.category)
                item = await self._memory.remember(given.content, given.category, given.importance)
                return formats.remembered(item)
            case ListCategoriesArguments():
                return formats.listed(await self._memory.list_categories())
            case GetCategoryArguments():
                await self._named(given.name)
                return await self._memory.get_category_content(given.name)

    async def _recalled(self, given: RecallArguments) -> str:
        """Memories of every tier, as many as earn their place in a context, by how well they answer; none where none
        seems to be about the query. Where nothing can be told of that, the first of the ranking."""
        answer = await self._memory.recall_whole(given.query, OFFERED)
        about = [one for one in answer.memories if not one.always_holds or one.score >= LEAST_RELEVANCE]
        best = [] if answer.relevance == "none" else about
        shown = [one for one in best if one.in_context and one.kind not in _OF_NOW]
        best = sorted(shown, key=lambda one: -one.score) or best
        return formats.recalled(given.query, [formats.Found.of_memory(one) for one in best[: given.k]])

    async def _retrieved(self, given: RecallArguments) -> str:
        await self._named(given.category)
        result = await self._memory.retrieve(given.query, given.mode or "hybrid", given.k, given.category)
        scored = zip(result.items, result.confidence_scores, strict=True)
        about = [formats.Found.of_item(item, score) for item, score in scored if score >= LEAST_RELEVANCE]
        return formats.recalled(given.query, about)

    async def _named(self, category: str | None) -> None:
        """Raises CategoryNotFoundError for what cannot be the name of one."""
        try:
            if category is not None:
                _CATEGORY_NAME.validate_python(category)
        except ValidationError as error:
            there = [one.name for one in await self._memory.list_categories()]
            raise CategoryNotFoundError(category or "", there) from error


def _no_category(tool: Tool, error: CategoryNotFoundError) -> str:
    """The text of the error's details, in the form of document 002."""
    available = error.details.get("available")
    names = [str(one) for one in available] if isinstance(available, list) else []
    told = formats.no_category(str(error.details.get("category_name", "")), names)
    return formats.refused(tool.name, told) if tool.name == "remember" else told
