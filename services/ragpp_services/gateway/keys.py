"""Making, listing and revoking API keys, as the owner of the database.

    python -m ragpp_services.gateway.keys create --tenant default --scopes read,write,forget
    python -m ragpp_services.gateway.keys list --json
    python -m ragpp_services.gateway.keys revoke key_0123456789ab

Reads POSTGRES_OWNER_DSN from the environment. A key is shown once, when it is made.
"""

import asyncio
import json
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated

import asyncpg
import typer
from pydantic import ValidationError

from ragpp.api import MAX_KEY_DAYS
from ragpp.clock import system_clock
from ragpp.errors import ConfigurationError, InvalidInput, NotFound
from ragpp.errors.reasons import reason
from ragpp.errors.summaries import exit_on_error
from ragpp.fields import NewId
from ragpp.health import RESERVED_TENANTS
from ragpp.models import Value, Visibility
from ragpp.settings import PostgresSettings
from ragpp.stores.postgres import foreign_errors
from ragpp_services.gateway import store
from ragpp_services.gateway.identity import SCOPES, make_key, see_it_may_share

app = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True, add_completion=False)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def owner_dsn() -> str:
    """The owner's address of PostgreSQL. Raises ConfigurationError when POSTGRES_OWNER_DSN is not set."""
    dsn = PostgresSettings().owner_dsn
    if dsn is None:
        raise ConfigurationError("POSTGRES_OWNER_DSN is not set")
    return dsn.get_secret_value()


class _Bound(Value):
    """For whom a key is."""

    tenant_id: NewId
    user_id: NewId | None
    agent_id: NewId | None


async def create_key(
    dsn: str,
    tenant_id: str,
    scopes: frozenset[str],
    *,
    user_id: str | None = None,
    agent_id: str | None = None,
    days: int | None = None,
    visibility: Visibility | None = None,
) -> dict[str, object]:
    """Make a key; its text is only in what this returns. Raises InvalidInput for an unknown scope or an id
    that no request could carry, StorageError."""
    unknown = scopes - SCOPES
    if unknown or not scopes:
        raise InvalidInput(
            f"scopes are some of {', '.join(sorted(SCOPES))}; not {', '.join(sorted(unknown)) or 'none'}"
        )
    if tenant_id.startswith(RESERVED_TENANTS):
        raise InvalidInput(
            f"no key is made for a tenant whose id begins with {RESERVED_TENANTS!r}: it is the system's own"
        )
    try:
        _Bound(tenant_id=tenant_id, user_id=user_id, agent_id=agent_id)
    except ValidationError as error:
        wrong = "; ".join(f"{problem['loc'][0]}: {reason(problem)}" for problem in error.errors())
        raise InvalidInput(f"a key cannot be made for this ({wrong})") from error
    see_it_may_share(scopes, agent_id, visibility)
    new = make_key(tenant_id, scopes, user_id=user_id, agent_id=agent_id, visibility=visibility)
    expires_at = system_clock() + timedelta(days=days) if days else None
    async with foreign_errors("keys"):
        connection = await asyncpg.connect(dsn)
        try:
            await store.create_key(connection, new.row, new.prefix, expires_at)
        finally:
            await connection.close()
    bound = {"user_id": user_id, "agent_id": agent_id, "visibility": visibility}
    return {"key": new.text, "key_id": new.row.key_id, "tenant_id": tenant_id, "scopes": sorted(scopes), **bound}


@app.command()
def create(
    tenant: Annotated[str, typer.Option(help="The tenant that the key speaks for.")] = "default",
    scopes: Annotated[str, typer.Option(help="Comma-separated: read, write, forget, share, admin, global.")] = (
        "read,write,forget"
    ),
    user: Annotated[str | None, typer.Option(help="Bind the key to one user.")] = None,
    agent: Annotated[
        str | None, typer.Option(help="Bind the key to one agent, which then has a memory of its own.")
    ] = None,
    days: Annotated[
        int | None, typer.Option(min=1, max=MAX_KEY_DAYS, help="Days until it expires; never, if absent.")
    ] = None,
    visibility: Annotated[
        Visibility | None, typer.Option(help="Who sees what is written with it, where a write does not say.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a key and print it, once."""
    wanted = frozenset(part.strip() for part in scopes.split(",") if part.strip())
    bound = {"user_id": user, "agent_id": agent}
    made = asyncio.run(create_key(owner_dsn(), tenant, wanted, **bound, days=days, visibility=visibility))
    typer.echo(json.dumps(made) if as_json else made["key"])


@app.command("list")
def list_(
    tenant: Annotated[str | None, typer.Option(help="Only this tenant's.")] = None, as_json: Json = False
) -> None:
    """List keys; never their secrets."""

    async def run() -> list[store.KeyListing]:
        async with foreign_errors("keys"):
            connection = await asyncpg.connect(owner_dsn())
            try:
                return await store.list_keys(connection, tenant)
            finally:
                await connection.close()

    for key in asyncio.run(run()):
        if as_json:
            typer.echo(json.dumps(asdict(key), default=str))
        else:
            bound = f" user={key.user_id}" if key.user_id else ""
            bound += f" agent={key.agent_id}" if key.agent_id else ""
            bound += f" visibility={key.visibility}" if key.visibility else ""
            until = f" until {key.expires_at:%F %T}" if key.expires_at else ""
            typer.echo(
                f"{key.key_id}  {key.state_at(system_clock()):8} {key.tenant_id}  {','.join(key.scopes)}{bound}"
                f"  {key.created_at:%F %T}{until}"
            )


@app.command()
def revoke(key_id: Annotated[str, typer.Argument(help="As `list` shows it.")]) -> None:
    """Revoke a key; requests with it are refused within five seconds."""

    async def run() -> bool:
        async with foreign_errors("keys"):
            connection = await asyncpg.connect(owner_dsn())
            try:
                return await store.revoke_key(connection, key_id)
            finally:
                await connection.close()

    if not asyncio.run(run()):
        raise NotFound(f"there is no valid key {key_id}", suggestions=("See `list`.",))
    typer.echo(f"revoked {key_id}")


def main() -> None:
    """Run a command; an error of ours is one line on stderr and exit code 1."""
    with exit_on_error():
        app()


if __name__ == "__main__":
    main()
