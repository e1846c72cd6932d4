"""What is kept of an item's entry, made when the item is written."""

from collections.abc import Mapping

from pydantic import JsonValue

from ragpp.entries.making import description_of, given_of, tags_of
from ragpp.text.port import TokenSpans
from ragpp_services.catalog.entries.rows import Written


def written(content: str, metadata: Mapping[str, JsonValue], counter: TokenSpans, most_summary: int) -> Written:
    """Of an item that says that, with a summary of at most so many characters. Raises what `counter` raises."""
    given = given_of(metadata)
    told = description_of(content, given, counter, most_summary)
    return Written(told, tags_of(given, told), given.priority, given.expires, given.external_id)
