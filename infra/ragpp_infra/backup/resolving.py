"""Which things of a restored memory the hashes of what was forgotten since are of."""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Final, NamedTuple, cast
from urllib.parse import unquote

from ragpp.fields import RESERVED
from ragpp.models import Scope
from ragpp.stores.forgetting import SourceMarks
from ragpp_infra.backup import conversations, unfinished
from ragpp_infra.backup.lines import AT_ONCE
from ragpp_infra.backup.places import Connection
from ragpp_infra.backup.unfinished import Wanted, want_forgotten
from ragpp_infra.provisioning.postgres import UNFINISHED as MARKER

_OBSERVED: Final = "o:"
"""The beginning of an interaction's observation in the graph (its queries.cypher)."""
_SESSIONS: Final = "SELECT DISTINCT tenant_id, user_id, session_id FROM episodic.interactions"


class Kind(NamedTuple):
    """Lines of `kind` and `what` are of the ids that `ids` selects; what they are of is then to be forgotten `by`."""

    kind: str
    what: str
    by: str
    ids: str


KINDS: Final = (
    Kind("m", "", "message", "SELECT tenant_id, user_id, id FROM episodic.interactions"),
    Kind("m", "", "resource", "SELECT tenant_id, user_id, id FROM catalog.resources"),
    Kind("m", "", "item", "SELECT tenant_id, user_id, id FROM catalog.items"),
    Kind("d", "resource", "stub", "SELECT tenant_id, user_id, id FROM catalog.resources"),
    Kind("d", "category", "category", "SELECT tenant_id, user_id, name FROM catalog.categories"),
    Kind(
        *("d", "procedural", "procedural"),
        "SELECT tenant_id, user_id, id FROM procedural.preferences UNION ALL SELECT tenant_id, user_id, id"
        " FROM procedural.rules UNION ALL SELECT tenant_id, user_id, id FROM procedural.findings",
    ),
    Kind("d", "session", "session", _SESSIONS),
    Kind("d", "conversation", "conversation", _SESSIONS),
)
_USERS: Final = """
SELECT tenant_id, user_id FROM episodic.interactions UNION SELECT tenant_id, user_id FROM catalog.resources
UNION SELECT tenant_id, user_id FROM catalog.items UNION SELECT tenant_id, user_id FROM catalog.categories
UNION SELECT tenant_id, user_id FROM procedural.preferences UNION SELECT tenant_id, user_id FROM procedural.rules
UNION SELECT tenant_id, user_id FROM procedural.findings UNION SELECT tenant_id, user_id FROM procedural.reflections
UNION SELECT tenant_id, user_id FROM ledger.user_settings UNION SELECT tenant_id, user_id FROM ledger.epochs
UNION SELECT tenant_id, user_id FROM ledger.events UNION SELECT tenant_id, user_id FROM ledger.pins
UNION SELECT tenant_id, user_id FROM ledger.personal_policies WHERE user_id <> ''
UNION SELECT tenant_id, user_id FROM identity.keys WHERE user_id IS NOT NULL
UNION SELECT tenant_id, user_id FROM audit.accesses WHERE user_id IS NOT NULL"""
_SAID: Final = f"""
SELECT mark, agent_id FROM {MARKER}.news
 WHERE kind = $1 AND what = $2 AND tenant_id = ANY ($3::text[]) AND mark = ANY ($4::text[])"""  # noqa: S608 - a constant
_ANY: Final = f"SELECT EXISTS (SELECT FROM {MARKER}.news WHERE kind = $1 AND what = $2)"  # noqa: S608 - a constant
_FORGOTTEN: Final = "SELECT mark FROM ledger.forgotten WHERE tenant_id = ANY ($1::text[]) AND mark = ANY ($2::text[])"
_UNKNOWN: Final = """
SELECT place FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS one (tenant_id, user_id, id, place)
 WHERE NOT EXISTS (SELECT FROM episodic.interactions AS said
                    WHERE said.tenant_id = one.tenant_id AND said.user_id = one.user_id AND said.id = one.id)"""


class Named(NamedTuple):
    """A thing by its id, whose it is, and in which view."""

    tenant_id: str
    user_id: str
    view: str
    id: str


class Resolver:
    """Notes what is to be forgotten (`unfinished.want_forgotten`). `connection` has the restored tables."""

    def __init__(self, connection: Connection, marks: SourceMarks) -> None:
        self._connection, self._marks = connection, marks

    async def tables(self) -> None:
        """Note what is to be forgotten in PostgreSQL."""
        for kind in KINDS:
            if await self._connection.fetchval(_ANY, kind.kind, kind.what):
                async for some in self._selected(kind.ids):
                    await self._note(kind.kind, kind.what, kind.by, some)
        if await self._connection.fetchval(_ANY, "u", ""):
            async for some in self._selected(_USERS):
                await self._users(some)

    async def conversations(self, lines: Iterable[object]) -> None:
        """Messages of running conversations, which were copied before the tables: whatever is marked as forgotten. And
        the conversations themselves, and whose they are, of sessions and users whom no table may have."""
        found, sessions, users = [], set[Named](), set[Named]()
        for line in lines:
            key, _, value = conversations.checked(line)
            if "{" not in key:  # what is everybody's
                continue
            tag, _, session = key.partition("{")[2].partition("}")
            tenant, user, view = whose(tag)
            users.add(Named(tenant, user, view, ""))
            if conversations.area_of(key) in conversations.OF_SESSION:
                sessions.add(Named(tenant, user, view, unquote(session.removeprefix(":"))))
            if conversations.area_of(key) == "st:ids":
                found += [Named(tenant, user, view, one) for one in cast("dict[str, str]", value)]
        await self._users(list(users))
        for what in ("session", "conversation"):
            await self._note("d", what, what, list(sessions))
        for start in range(0, len(found), AT_ONCE):
            by_mark = self._by_mark(found[start : start + AT_ONCE])
            tenants = sorted({one.tenant_id for one in found})
            rows = await self._connection.fetch(_FORGOTTEN, tenants, list(by_mark))
            await want_forgotten(
                self._connection, [_wanted("message", one) for row in rows for one in by_mark[row["mark"]]]
            )

    async def graph(self, lines: Iterable[object]) -> None:
        """Note what a person deleted of the graph; and what it observed of messages that the tables do not have, which
        were stored after them and taught something all the same, where a forgetting had them looked at again. And whose
        graphs they are, of users whom no table may have."""
        things, observed, users = [], [], set[Named]()
        for line in lines:
            match line:
                case ["n", "User", {"scope": str(scope)}]:
                    users.add(_in_graph(scope, ""))
                case ["n", "Entity", {"scope": str(scope), "id": str(one)}]:
                    things.append(_in_graph(scope, one))
                case ["r", str(scope), "RELATES_TO", *_, {"id": str(one)}]:
                    things.append(_in_graph(scope, one))
                case ["n", "Applied", {"scope": str(scope), "event_id": str(event), "sources": list(sources)}]:
                    if event.startswith(_OBSERVED):
                        observed += [_in_graph(scope, str(one)) for one in sources]
                    else:
                        things.append(_in_graph(scope, event.partition(":")[2]))
        await self._users(list(users))
        for start in range(0, len(things), AT_ONCE):
            await self._note("d", "graph", "graph", things[start : start + AT_ONCE])
        columns = ([one.tenant_id for one in observed], [one.user_id for one in observed], [one.id for one in observed])
        rows = await self._connection.fetch(_UNKNOWN, *columns)
        await want_forgotten(self._connection, {_wanted("ghost", observed[row["place"] - 1]) for row in rows})

    async def ghosts(self) -> list[str]:
        """Marks of messages that the graph is to forget without anybody having asked for it: they may come again. One
        that was forgotten, and whose withdrawal from the graph was still to be done, is none."""
        found = await unfinished.ghosts(self._connection)
        by_mark = self._by_mark(Named(tenant, user, "", one) for tenant, user, one in found)
        tenants = sorted({tenant for tenant, _, _ in found})
        rows = await self._connection.fetch(_FORGOTTEN, tenants, list(by_mark))
        return sorted(by_mark.keys() - {row["mark"] for row in rows})

    async def _selected(self, query: str) -> AsyncIterator[list[Named]]:
        """Some at a time."""
        async with self._connection.transaction():
            cursor = await self._connection.cursor(query)
            while rows := await cursor.fetch(AT_ONCE):
                found = []
                for tenant, held_by, *rest in rows:
                    user, parted, view = held_by.partition(RESERVED)
                    found.append(Named(tenant, user, f"={view}" if parted else "", rest[0] if rest else ""))
                yield found

    async def _note(self, kind: str, what: str, by: str, named: Sequence[Named]) -> None:
        by_mark = self._by_mark(named)
        tenants = sorted({one.tenant_id for one in named})
        rows = await self._connection.fetch(_SAID, kind, what, tenants, list(by_mark))
        await want_forgotten(
            self._connection, {_wanted(by, one, agent=row["agent_id"]) for row in rows for one in by_mark[row["mark"]]}
        )

    async def _users(self, named: Sequence[Named]) -> None:
        by_mark: dict[str, list[Named]] = {}
        for one in named:
            scope = Scope.trusted(tenant_id=one.tenant_id, user_id=one.user_id)
            by_mark.setdefault(self._marks.of_user(scope), []).append(one)
        tenants = sorted({one.tenant_id for one in named})
        rows = await self._connection.fetch(_SAID, "u", "", tenants, list(by_mark))
        erased = [one for row in rows for one in by_mark[row["mark"]]]
        views = {_wanted("view", one) for one in erased if one.view}  # of which the tables may not tell any more
        await want_forgotten(self._connection, views | {_wanted("user", one._replace(view="")) for one in erased})

    def _by_mark(self, named: Iterable[Named]) -> dict[str, list[Named]]:
        scopes: dict[tuple[str, str], Scope] = {}
        found: dict[str, list[Named]] = {}
        for one in named:
            key = one.tenant_id, one.user_id
            scope = scopes.get(key) or scopes.setdefault(key, Scope.trusted(tenant_id=key[0], user_id=key[1]))
            for mark in self._marks.known_by(scope, one.id):
                found.setdefault(mark, []).append(one)
        return found


def whose(tag: str) -> tuple[str, str, str]:
    """Tenant, user and view of what keys and scopes say of whose something is: `tenant/user`, percent-encoded."""
    tenant, _, held_by = tag.partition("/")
    user, parted, view = unquote(held_by).partition(RESERVED)
    return unquote(tenant), user, f"={view}" if parted else ""


def _in_graph(scope: str, identifier: str) -> Named:
    return Named(*whose(scope.partition(":")[2]), identifier)


def _wanted(by: str, one: Named, *, agent: str = "") -> Wanted:
    return by, one.tenant_id, one.user_id, one.view, agent, one.id
