"""The tools as LangChain has them, for `create_agent` and whatever else binds tools. Extra: `langchain`.

with SyncMemoryTools(MemoryManager(user_id="u1")) as tools:
    agent = create_agent(model, tools=langchain_tools(tools))
    agent.invoke({"messages": [HumanMessage("What does the studio plan cost?")]})  # or await agent.ainvoke(…)
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from ragpp.errors import ConfigurationError
from ragpp.tools.resolver import MemoryTools, ToolAnswer
from ragpp.tools.specifications import TOOLS
from ragpp.tools.sync import SyncMemoryTools

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

Later: TypeAlias = Callable[[], SyncMemoryTools]


def langchain_tools(tools: MemoryTools | SyncMemoryTools | Later) -> "list[BaseTool]":
    """A tool of LangChain's for each; what fails is answered as an error is. Of SyncMemoryTools they may be called
    either way; of MemoryTools they are to be awaited, in the event loop of its manager; of a function they are those of
    what it answers when the first is called.

    Raises ConfigurationError where LangChain is not installed.
    """
    try:  # not at import: an optional extra, and one whose import looks for the network
        from langchain_core.tools import BaseTool, ToolException  # noqa: PLC0415
    except ImportError as error:
        hint = ("Install it: pip install 'ragpp[langchain]'.",)
        raise ConfigurationError(f"LangChain cannot be imported: {error}", suggestions=hint) from error

    def told(answer: ToolAnswer) -> str:
        if not answer.ok:
            raise ToolException(answer.text)
        return answer.text

    class MemoryTool(BaseTool):
        """Arguments reach the resolver as the model gave them: `self` may be one of their names."""

        def _run(self, /, **arguments: object) -> str:
            asked = _opened(tools)
            if isinstance(asked, SyncMemoryTools):
                return told(asked.answer(self.name, arguments))
            _only_awaited()

        async def _arun(self, /, **arguments: object) -> str:
            asked = _opened(tools)
            if isinstance(asked, SyncMemoryTools):
                return told(await asyncio.wrap_future(asked.submit(self.name, arguments)))
            return told(await asked.answer(self.name, arguments))

    return [
        MemoryTool(name=tool.name, description=tool.description, args_schema=tool.parameters(), handle_tool_error=True)
        for tool in TOOLS
    ]


def _opened(tools: MemoryTools | SyncMemoryTools | Later) -> MemoryTools | SyncMemoryTools:
    return tools if isinstance(tools, MemoryTools | SyncMemoryTools) else tools()


def _only_awaited() -> NoReturn:
    raise ConfigurationError(
        "these tools are to be awaited: ainvoke",
        suggestions=("Make them of SyncMemoryTools, which may be called either way.",),
    )
