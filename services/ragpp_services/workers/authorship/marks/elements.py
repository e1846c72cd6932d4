"""Text in elements of HTML, XML and forums, in comments, and in the words of a link. Pure, and linear."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from ragpp.text.spans import Span
from ragpp_services.workers.authorship.marks.quotations import says_something

_TAG: Final = re.compile(
    r"(?P<first>^[ \t]*+)?(?:"
    r"<(?P<ends>/?)(?P<tag>(?:(?!!--)[a-z!?][\w-]{0,60}+(?::[\w.-]{1,60}+)?|\d[\w-]{0,60}+(?=>))(?=[\s/>]))[^<>]*+>|"
    r"\[(?P<closes>/?)(?P<forum>quote|code|spoiler|cite)\b[^\[\]]*+\])",
    re.IGNORECASE | re.MULTILINE,
)
_EMPTY: Final = frozenset({"br", "hr", "img", "input", "meta", "link", "wbr", "col", "source"})
"""Elements that hold no text."""
_PAGE_TAGS: Final = """
p div span ul ol li dl dt dd table tr td th thead tbody html head body h1 h2 h3 h4 h5 h6 blockquote pre code section
article aside header footer main nav strong em small center font cite details summary form label button textarea select
option script style title figure figcaption quote spoiler
"""
_OF_PAGES: Final = frozenset(_PAGE_TAGS.split())
"""Elements that nobody means as a name to be filled in."""
_COMMENT: Final = re.compile(r"<!--[\s\S]*?(?:-->|\Z)|/\*[\s\S]*?(?:\*/|\Z)")
_BRACKET: Final = re.compile(r"\\.|\[|\](?P<links>[(\[]|:[ \t]*https?:)?")


def elements(text: str) -> Iterator[Span]:
    """Elements from tag to tag, comments, and everything behind the tag of an element of pages that nothing closes, or
    of any that begins a line."""
    for match in _COMMENT.finditer(text):
        yield Span(*match.span())
    opened: list[tuple[str, int, bool]] = []
    held = Counter[str]()
    for match in _TAG.finditer(text):
        name = (match["tag"] or match["forum"]).lower()
        if name in _EMPTY or match.group().endswith("/>"):
            continue
        if not (match["ends"] or match["closes"]):
            opened.append((name, match.start(), match["first"] is not None))
            held[name] += 1
        elif held[name]:
            start = match.start()
            while opened:
                other, start, _ = opened.pop()
                held[other] -= 1
                if other == name:
                    break
            yield Span(start, match.end())
    for name, start, begins_line in opened:
        if name in _OF_PAGES or begins_line:
            yield Span(start, len(text))
            return


def link_texts(text: str) -> Iterator[Span]:
    """The words of links and pictures of Markdown that say something: a page's own sentence."""
    opened: list[int] = []
    for match in _BRACKET.finditer(text):
        if match.group() == "[":
            opened.append(match.start())
        elif match.group().startswith("]") and opened:
            start = opened.pop()
            if match["links"] and says_something(text, Span(start, match.start())):
                yield Span(start, match.start() + 1)
