"""Knowledge from documents, beside what was said: stored, taken apart into facts, asked, and read as a page.

ragpp up   # in this folder; its client.json then says where the memory is
python examples/curated_knowledge.py
"""

import asyncio
import sys
from contextlib import suppress

from ragpp import MemoryManager, RetrievalMode
from ragpp.errors import CategoryExistsError, MemorySystemError

HANDBOOK = "# Returns\nGoods can be returned within 30 days. A refund takes 5 working days."


async def main(memory: MemoryManager) -> list[str]:
    """What is found on a question, and the page. Raises MemorySystemError when there is no such memory."""
    with suppress(CategoryExistsError):  # of an earlier run
        await memory.create_category("shop_rules", "How orders, returns and refunds are handled in the shop")
    resource = await memory.store_resource(HANDBOOK, "document", {"title": "Handbook"})
    await memory.extract_and_store(resource.resource_id, category_hint="shop_rules")
    found = await memory.retrieve("How many working days does a refund take?", mode=RetrievalMode.RAG, k=1)
    return [*(item.content for item in found.items), await memory.consolidate_category("shop_rules")]


async def run() -> None:
    """As the user `example`."""
    async with MemoryManager(user_id="example") as memory:
        print(*await main(memory), sep="\n\n")


if __name__ == "__main__":
    try:
        asyncio.run(run())
    except MemorySystemError as error:
        sys.exit(f"{error.title}: {error.message}. {' '.join(error.suggestions)}")
