"""Category pages: a category's facts as a document that people and models read, every line with its sources.

`consolidated` makes one without a language model, `modelled` one of what a model wrote; `resolved` says where a page's
footnotes lead. `without` takes out what is forgotten and `untitled` what a stub was called, also of a page that a
person edited. `DEFAULT_CATEGORIES` are what a catalog begins with, and `classify` says which category a fact belongs
to. All of it is pure.
"""

from ragpp_services.catalog.pages.categories import DEFAULT_CATEGORIES, DefaultCategory, classify, prototype
from ragpp_services.catalog.pages.consolidating import consolidated
from ragpp_services.catalog.pages.layout import title_of
from ragpp_services.catalog.pages.modelling import ModelledPage, modelled
from ragpp_services.catalog.pages.reading import PageParts, resolved
from ragpp_services.catalog.pages.values import PageItem, PageSource
from ragpp_services.catalog.pages.withdrawing import untitled, without

__all__ = [
    "DEFAULT_CATEGORIES",
    "DefaultCategory",
    "ModelledPage",
    "PageItem",
    "PageParts",
    "PageSource",
    "classify",
    "consolidated",
    "modelled",
    "prototype",
    "resolved",
    "title_of",
    "untitled",
    "without",
]
