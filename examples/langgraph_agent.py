"""A memory for an agent that you have already: the governor's graph around a LangGraph agent."""

import asyncio
import os

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from ragpp import AsyncMemoryClient
from ragpp_services.governor.graph import Governor
from ragpp_services.governor.langgraph import GovernorState, agent_responder, memory_graph
from ragpp_services.governor.values import Limits


def model(state: MessagesState) -> dict[str, list[AIMessage]]:
    """Your agent's node; the system message holds what is remembered."""
    return {"messages": [AIMessage(f"{len(state['messages'][0].text)} characters of memory and instructions")]}


agent = StateGraph(MessagesState).add_node("model", model).add_edge(START, "model").compile()


async def main(url: str, key: str, user: str = "example", limits: Limits | None = None) -> str:
    """One message, answered by the agent, with the memory before and after it."""
    async with (
        AsyncMemoryClient(url, key) as memory,
        Governor(memory, agent_responder(agent), limits=limits) as governor,
    ):
        graph = memory_graph(governor, checkpointer=InMemorySaver())
        said = GovernorState(event={"user_id": user, "content": "What do you know about me?"})
        result = await graph.ainvoke(said, RunnableConfig(configurable={"thread_id": user}))
        return str(result["response"]["content"])


if __name__ == "__main__":
    print(asyncio.run(main(os.environ.get("RAGPP_URL", "http://127.0.0.1:8700"), os.environ["RAGPP_API_KEY"])))
