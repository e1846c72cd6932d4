"""The options that the catalog's commands share, and what they make of them."""

from typing import Annotated, Final, TypeAlias

import typer
from pydantic import TypeAdapter, ValidationError

from ragpp.catalog import RESOURCE_TYPES, CatalogVisibility, CategoryName, ResourceType, RetrievalMode
from ragpp_infra.cli.arguments import WrongUsage
from ragpp_infra.cli.options import named

_CATEGORY: Final[TypeAdapter[str]] = TypeAdapter(CategoryName)
_TYPE: Final[TypeAdapter[str]] = TypeAdapter(ResourceType)


def _type_name(text: str | None) -> str | None:
    try:
        return None if text is None else _TYPE.validate_python(text)
    except ValidationError as error:
        hint = (f"Choose among {', '.join(RESOURCE_TYPES)} and what the operator named besides.",)
        raise WrongUsage.of({"--type": f"{text!r} is no type of a resource"}, suggestions=hint) from error


WhoseOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--user",
        "-u",
        envvar="RAGPP_USER",
        callback=named,
        help="Whose; default: the key's own user, or, with a key that may, what all users of the tenant share.",
        show_default=False,
    ),
]
TypeOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--type", "-t", callback=_type_name, help="conversation, document, config, feedback, or one of the operator's."
    ),
]
AnyTypeOption: TypeAlias = Annotated[
    str | None, typer.Option("--type", "-t", callback=_type_name, help="Only of this type, such as document.")
]
CategoryOption: TypeAlias = Annotated[
    str | None, typer.Option("--category", "-c", help="For what is taken from it; default: by what it is about.")
]
OnlyCategoryOption: TypeAlias = Annotated[str | None, typer.Option("--category", "-c", help="Only of this one.")]
AgentOption: TypeAlias = Annotated[str | None, typer.Option("--agent", help="The agent whose it is.")]
VisibilityOption: TypeAlias = Annotated[
    CatalogVisibility | None,
    typer.Option(help="Who may see it: one agent, all of the user's, or, as `global`, all users of the tenant."),
]
ModeOption: TypeAlias = Annotated[
    RetrievalMode,
    typer.Option("--mode", help="rag, llm, or hybrid, which asks a language model where rag is not sure."),
]
LimitOption: TypeAlias = Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000, help="Most rows.")]


def category_name(text: str | None, option: str = "--category") -> str | None:
    """A name that a category can have. Raises WrongUsage."""
    try:
        return None if text is None else _CATEGORY.validate_python(text)
    except ValidationError as error:
        hint = ("Write it in snake_case, as product_knowledge; at most 64 characters.",)
        raise WrongUsage.of({option: f"{text!r} is no name of a category"}, suggestions=hint) from error
