"""The form of a page: its title, sections of facts with footnotes, the sources, and what it counts. Pure.

    # Lead Preferences

    ## Annual Billing

    - Ada wants to pay once a year [^1]
    - ~~Ada wants to pay monthly~~ (2026-03-01, until 2026-06-01) [^2]

    ---

    ## Sources

    [^1]: Extracted from conversation "Renewal" (res_…)
    [^2]: Extracted from document (res_…)

    ---
    *Last consolidated: 2026-06-02 10:45:00*
    *Items: 2 | Resources: 2*

Every line of it is one of these, whatever its facts and titles say.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from ragpp.names import as_name
from ragpp_services.catalog.pages.inline import as_reference, escaped, is_blank, struck
from ragpp_services.catalog.pages.values import Line, PageSource, Section

NO_ITEMS: Final = "*No items yet.*"
SOURCES: Final = "Sources"
RULE: Final = "---"
CONSOLIDATED: Final = "*Last consolidated: "
ITEM: Final = "- "


def title_of(name: str) -> str:
    """A category's name as a title: "lead_preferences" is "Lead Preferences"."""
    return " ".join(word[:1].upper() + word[1:] for word in as_name(name).replace("_", " ").split())


def empty(name: str) -> str:
    """The page of a category without items."""
    return f"# {title_of(name)}\n\n{NO_ITEMS}"


def page(name: str, sections: Sequence[Section], *, at: datetime, items: int) -> str:
    """The page of the category `name`. `at`: aware, when it was consolidated; `items`: how many it rests on. The
    footnotes are numbered as they first appear, one for each resource."""
    numbers: dict[str, int] = {}
    known: dict[str, PageSource] = {}
    parts = [f"# {title_of(name)}"]
    for section in sections:
        shown = []
        for line in section.lines:
            for source in line.sources:
                known.setdefault(source.resource_id, source)
            marks = [
                footnote(str(numbers.setdefault(one, len(numbers) + 1)))
                for one in dict.fromkeys(source.resource_id for source in line.sources)
            ]
            shown.append(" ".join((f"{ITEM}{line.markdown}", *marks)))
        parts.append(f"## {section.title}\n\n" + "\n".join(shown))
    if numbers:
        listed = "\n".join(definition(str(number), known[one]) for one, number in numbers.items())
        parts.append(f"{RULE}\n\n## {SOURCES}\n\n{listed}")
    parts.append(f"{RULE}\n{CONSOLIDATED}{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}*\n{counted(items, len(numbers))}")
    return "\n\n".join(parts)


def footnote(label: str) -> str:
    """A reference to a footnote."""
    return f"[^{label}]"


def definition(label: str, source: PageSource) -> str:
    """The definition of a footnote."""
    kind = as_name(source.resource_type) or "resource"
    title = "" if source.title is None or is_blank(source.title) else f' "{_quotable(source.title)}"'
    return f"{footnote(label)}: Extracted from {kind}{title} ({as_reference(source.resource_id)})"


def counted(items: int, resources: int) -> str:
    """The last line."""
    return f"*Items: {items} | Resources: {resources}*"


def replaced(text: str, since: datetime, until: datetime, sources: tuple[PageSource, ...]) -> Line:
    """A fact that held no longer from `until` on."""
    held = f"({since.astimezone(UTC):%Y-%m-%d}, until {until.astimezone(UTC):%Y-%m-%d})"
    return Line(f"{struck(text)} {held}", sources)


def _quotable(title: str) -> str:
    return escaped(title).replace('"', "'")
