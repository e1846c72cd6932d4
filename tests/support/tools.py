"""A chat model of LangChain's that follows a script and can bind tools, for loops of agents without any provider."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

Call = tuple[str, dict[str, Any]]
Turn = Sequence[Call] | Callable[[list[str]], Sequence[Call]]
"""The model's calls in one turn, or what makes that of everything that the tools have answered."""
DONE: Final = "I am done."


class ScriptedModel(BaseChatModel):
    """Calls what `turns` have, one a turn, and is done then. `bound`: what it was told of the tools, in the form of
    OpenAI; it calls no other."""

    turns: list[Any]
    bound: list[dict[str, Any]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_given: Any) -> Runnable[Any, AIMessage]:
        self.bound[:] = [convert_to_openai_tool(tool) for tool in tools]
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **_given: Any,
    ) -> ChatResult:
        turn = sum(isinstance(message, AIMessage) for message in messages)
        calls: Sequence[Call] = ()
        if turn < len(self.turns):
            scripted = self.turns[turn]
            calls = scripted(answers(messages)) if callable(scripted) else scripted
        known = {tool["function"]["name"] for tool in self.bound}
        assert {name for name, _ in calls} <= known
        wanted = [{"name": name, "args": given, "id": f"call_{turn}_{n}"} for n, (name, given) in enumerate(calls)]
        return ChatResult(generations=[ChatGeneration(message=AIMessage("" if calls else DONE, tool_calls=wanted))])


def answers(messages: Sequence[BaseMessage]) -> list[str]:
    """The answers of the tools, in order."""
    return [str(message.content) for message in messages if isinstance(message, ToolMessage)]


def named(tools: Sequence[BaseTool], name: str) -> BaseTool:
    """The tool of that name."""
    return next(tool for tool in tools if tool.name == name)
