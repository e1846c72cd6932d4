"""The entry that is kept of an item, made when the item is written."""

from collections.abc import Mapping

from pydantic import JsonValue

from ragpp.entries.making import description_of, given_of, tags_of
from ragpp.text.readers import Tokenizers
from ragpp_services.catalog.entries.rows import Written


def written(content: str, metadata: Mapping[str, JsonValue], tokenizers: Tokenizers, most_summary: int) -> Written:
    """The entry of an item with that `content`, with a summary of at most `most_summary` characters. Raises what the
    tokenizer raises."""
    given = given_of(metadata)
    told = description_of(content, given, tokenizers, most_summary)
    return Written(told, tags_of(given, told), given.priority, given.expires, given.external_id)
