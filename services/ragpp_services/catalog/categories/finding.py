"""A category by its name or id, or an error that says which there are."""

from ragpp.errors import CategoryNotFoundError
from ragpp_services.catalog.categories.values import CategoryRow
from ragpp_services.catalog.store import Rows


async def existing(rows: Rows, name: str, *, own: bool = False) -> CategoryRow:
    """One that the scope sees, or the user's `own` alone. Raises CategoryNotFoundError."""
    found = await rows.categories.find(name, own=own)
    return found if found is not None else await _missing(rows, name)


async def to_change(rows: Rows, name: str) -> CategoryRow:
    """The user's own, kept from changing until the transaction ends. Raises CategoryNotFoundError."""
    found = await rows.categories.find_to_change(name)
    return found if found is not None else await _missing(rows, name)


async def _missing(rows: Rows, name: str) -> CategoryRow:
    if await rows.categories.find(name) is not None:
        raise CategoryNotFoundError(
            name,
            message=f"{name!r} is a category of all users, and this user has none of that name",
            suggestions=("Create one of that name for this user, or change it with a key of the scope `global`.",),
        )
    raise CategoryNotFoundError(name, await rows.categories.available())
