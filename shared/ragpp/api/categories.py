"""Categories of the catalog, and their pages."""

from typing import Annotated, Final

from pydantic import AfterValidator, ConfigDict, Field, field_validator

from ragpp.api.items import MAX_ITEMS
from ragpp.catalog import (
    CatalogVisibility,
    CategoryName,
    Description,
)
from ragpp.fields import Id, Listed, NewId, Said, telling
from ragpp.models import Value

MAX_PAGE_CHARS: Final = 200_000
"""Characters of a page that a person writes."""


class CategoryIn(Value):
    """A category to create. `visibility`: `shared` or `global`; one agent alone has none."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "name": "product_knowledge",
                "description": "Information about products, pricing, features, and comparisons",
            }
        }
    )

    user_id: NewId | None = None
    name: CategoryName
    description: Annotated[Description, AfterValidator(telling)]
    visibility: CatalogVisibility | None = None

    @field_validator("visibility")
    @classmethod
    def _all_agents_see_it(cls, visibility: CatalogVisibility | None) -> CatalogVisibility | None:
        if visibility == "agent":
            raise ValueError("a category is shared or global")
        return visibility


class DefaultsIn(Value):
    """For whom the default categories are created."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1"}})

    user_id: NewId | None = None


class CategoryPageIn(Value):
    """The page as a person writes it, in Markdown."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"user_id": "u1", "content": "# Product Knowledge\n\nPro costs $299 a month.\n"}}
    )

    user_id: Id | None = None
    content: Annotated[Said, Field(min_length=1, max_length=MAX_PAGE_CHARS)]


class CategoryItemsIn(Value):
    """Items to move into a category; ids of none are ignored."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "item_ids": ["item_123"]}})

    user_id: Id | None = None
    item_ids: Annotated[Listed[Id], Field(min_length=1, max_length=MAX_ITEMS)]


class ConsolidateIn(Value):
    """Whose category it is. `force`: also without anything new, and over what a person wrote."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "force": False}})

    user_id: Id | None = None
    force: bool = False
