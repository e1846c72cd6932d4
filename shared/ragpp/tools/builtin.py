"""LangChain's tools over the memory that the environment names, as document 002 §8.2 has them. Extra: `langchain`.

    from ragpp.tools.builtin import recall, remember, list_categories, get_category

They are of the gateway and the user of `MemoryManager()`, which is looked for when the first of them is called; where a
process serves several users, `langchain_tools(SyncMemoryTools(MemoryManager(user_id=…)))` has those of one.
"""

from functools import cache
from typing import TYPE_CHECKING, Final

from ragpp.memory import MemoryManager
from ragpp.tools.langchain import langchain_tools
from ragpp.tools.sync import SyncMemoryTools

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    recall: BaseTool
    remember: BaseTool
    list_categories: BaseTool
    get_category: BaseTool

__all__ = ["get_category", "list_categories", "recall", "remember"]
_NAMES: Final = frozenset(__all__)


def __getattr__(name: str) -> "BaseTool":
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _tools()[name]


@cache
def _tools() -> "dict[str, BaseTool]":
    return {tool.name: tool for tool in langchain_tools(_environments)}


@cache
def _environments() -> SyncMemoryTools:
    """Those of the environment; one that could not be found is looked for again."""
    return SyncMemoryTools(MemoryManager())


def close() -> None:
    """End the connections; whichever tool is called next looks for its gateway anew."""
    if _environments.cache_info().currsize:
        _environments().close()
        _environments.cache_clear()
