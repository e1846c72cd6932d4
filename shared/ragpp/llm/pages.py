"""The page that a language model writes of a category: sections of lines, each with the items that it rests on."""

from collections.abc import Sequence

from ragpp.catalog import MemoryItem, PageLine, PageSection
from ragpp.llm.port import LanguageModel
from ragpp.llm.prompting import prompt
from ragpp.llm.replies import PageReply
from ragpp.llm.transcripts import cut, data, in_batches


async def write_page(
    model: LanguageModel, name: str, description: str, items: Sequence[MemoryItem]
) -> tuple[PageSection, ...]:
    """The page of the category `name` that is about `description`, of `items`, the oldest first. No items ask nothing.
    Raises LanguageModelError.

    Lines that name no item are left out, and sections without lines. More items than one prompt holds are read in
    parts, and sections of one title are one. Whether a line says what its items say is not checked here.
    """
    facts = (
        data(n=number, at=f"{item.occurred_at:%Y-%m-%d}", text=cut(item.content))
        for number, item in enumerate(items, start=1)
    )
    category = data(name=name, description=description)
    found: dict[str, tuple[str, list[PageLine]]] = {}
    for batch in in_batches(facts):
        filled = prompt("consolidate").filled({"category": category, "facts": batch.text})
        completion = await model.complete(filled, schema=PageReply)
        for section in completion.reply.sections:
            for line in section.lines:
                places = [one - 1 for one in dict.fromkeys(line.items) if batch.first < one <= batch.last + 1]
                if places:
                    _, lines = found.setdefault(section.title.casefold(), (section.title, []))
                    lines.append(PageLine(text=line.text, item_ids=tuple(items[place].item_id for place in places)))
    return tuple(PageSection(title=title, lines=tuple(lines)) for title, lines in found.values())
