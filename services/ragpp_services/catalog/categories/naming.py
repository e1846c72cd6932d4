"""Names that a category may have, and texts that a person may write of it. Pure."""

from typing import Final

from pydantic import TypeAdapter, ValidationError

from ragpp.catalog import CategoryName, Description
from ragpp.errors import InvalidInput
from ragpp.fields import storable

MAX_PAGE_CHARS: Final = 200_000
"""Characters of a page that a person wrote."""
_NAME: Final = TypeAdapter[str](CategoryName)
_DESCRIPTION: Final = TypeAdapter[str](Description)


def checked_name(name: str) -> str:
    """`name` itself. Raises InvalidInput unless it is snake_case of 1 to 64 characters."""
    try:
        return _NAME.validate_python(name)
    except ValidationError as error:
        raise InvalidInput(
            "a category's name is snake_case: 1 to 64 lower-case letters, digits and single underscores, a letter first"
        ) from error


def checked_description(description: str) -> str:
    """`description` itself. Raises InvalidInput unless it has 10 to 500 characters."""
    try:
        return _DESCRIPTION.validate_python(description)
    except ValidationError as error:
        raise InvalidInput("a category's description has 10 to 500 characters") from error


def checked_page(markdown: str) -> str:
    """`markdown` itself. Raises InvalidInput above MAX_PAGE_CHARS, or for what PostgreSQL does not store."""
    if len(markdown) > MAX_PAGE_CHARS:
        raise InvalidInput(f"a page has at most {MAX_PAGE_CHARS:,} characters")
    try:
        return storable(markdown)
    except ValueError as error:
        raise InvalidInput(f"the page {error}") from error
