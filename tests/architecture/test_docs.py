"""The README stays short, links lead somewhere, every page is in the site's navigation, and what can run is run."""

import re
import subprocess
from typing import Final

from tests.support.documentation import OF_THEIR_OWN, PAGES, RUN, blocks, pages, read
from tests.support.source import ROOT

LINK: Final = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def anchors(page: str) -> set[str]:
    """The fragments by which the page's headings are linked to."""
    headings = HEADING.findall(FENCED.sub("", read(page)))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: str) -> list[str]:
    """The page's links that lead nowhere in the repository."""
    found = []
    for path, anchor in LINK.findall(FENCED.sub("", read(page))):
        target = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        if not target.exists() or (anchor and anchor not in anchors(str(target.relative_to(ROOT)))):
            found.append(f"{path}#{anchor}")
    return found


def test_the_readme_has_at_most_120_lines_and_both_commands() -> None:
    text = read("README.md")
    assert len(text.splitlines()) <= 120
    for command in ("make run", "make test"):
        assert re.search(rf"^{command}\b", text, re.MULTILINE)


def test_every_link_leads_somewhere() -> None:
    assert {page: links for page in pages() if (links := broken(page))} == {}


def test_every_page_is_in_the_sites_navigation_and_in_the_index() -> None:
    names = {page.removeprefix("docs/") for page in pages() if page != "README.md"}
    assert set(re.findall(r"^ +- ([\w/-]+\.md)$", f"  {read('mkdocs.yml')}", re.MULTILINE)) == names
    linked = {path for page in ("index.md", "contributing/index.md") for path, _ in LINK.findall(read(f"docs/{page}"))}
    assert names - {"index.md"} - linked - {f"contributing/{path}" for path in linked} == set()


def test_every_page_with_blocks_that_can_run_is_followed() -> None:
    runnable = {page for page in pages() if any(block.language in RUN for block in blocks(page))}
    assert runnable == {*PAGES, *OF_THEIR_OWN}


def test_every_make_target_that_is_named_exists() -> None:
    named = {target for page in pages() for target in re.findall(r"(?:`|^)make ([a-z-]+)\b", read(page), re.MULTILINE)}
    assert {"run", "test", "docs"} <= named
    subprocess.run(["make", "--dry-run", *sorted(named)], cwd=ROOT, check=True, capture_output=True)
