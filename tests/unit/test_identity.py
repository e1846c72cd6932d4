"""A key opens its own tenant, for what it was made for, and nothing else."""

import pytest

from ragpp.errors import Forbidden, TierUnavailable, Unauthenticated
from ragpp_services.gateway.identity import FRESH_S, STALE_READ_S, Identity, Principal, make_key, prefix_of
from ragpp_services.gateway.store import KeyRow
from tests.support.each import each_case


class Keys:
    """A key store in memory that can be taken down."""

    def __init__(self) -> None:
        self.rows: dict[str, KeyRow] = {}
        self.down = False
        self.looked_up = 0

    async def find_key(self, prefix: str, *, timeout_s: float) -> KeyRow | None:
        del timeout_s
        self.looked_up += 1
        if self.down:
            raise TierUnavailable("down")
        return self.rows.get(prefix)


class Seconds:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def keys() -> Keys:
    return Keys()


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def identity(keys: Keys, seconds: Seconds) -> Identity:
    return Identity(keys, seconds)


def issue(keys: Keys, *scopes: str, user_id: str | None = None) -> str:
    new = make_key("acme", frozenset(scopes or {"read"}), user_id=user_id)
    keys.rows[new.prefix] = new.row
    return f"Bearer {new.text}"


async def test_a_valid_key_names_its_tenant(identity: Identity, keys: Keys) -> None:
    principal = await identity.verify(issue(keys), reading=True)
    assert principal.scope("read", "ann").user_key == ("acme", "ann")


@each_case("header", [None, "", "Bearer", "Bearer x", "Basic abc", "Bearer rp_000000000000_" + "A" * 43])
async def test_what_is_not_a_known_key_is_refused(identity: Identity, header: str | None) -> None:
    with pytest.raises(Unauthenticated):
        await identity.verify(header, reading=True)


async def test_the_scheme_may_be_spelt_in_any_case(identity: Identity, keys: Keys) -> None:
    header = issue(keys).replace("Bearer", "bearer")
    assert (await identity.verify(header, reading=True)).tenant_id == "acme"


async def test_the_right_prefix_with_another_secret_is_refused(identity: Identity, keys: Keys) -> None:
    header = issue(keys)
    await identity.verify(header, reading=True)
    with pytest.raises(Unauthenticated):
        await identity.verify(header[:-3] + ("AAA" if not header.endswith("AAA") else "BBB"), reading=True)


async def test_a_prefix_is_known_as_long_as_there_is_a_key_of_it(
    identity: Identity, keys: Keys, seconds: Seconds
) -> None:
    wrong = "Bearer " + make_key("acme", frozenset({"read"})).text
    prefix = prefix_of(wrong)
    for there_is_one in (False, True, False):
        keys.rows = {prefix: make_key("acme", frozenset({"read"})).row} if there_is_one else {}
        with pytest.raises(Unauthenticated):
            await identity.verify(wrong, reading=True)
        assert identity.knows(prefix) == there_is_one
        seconds.now += FRESH_S + 0.1


async def test_a_key_is_looked_up_once_in_seconds_and_a_revocation_takes_effect_after_them(
    identity: Identity, keys: Keys, seconds: Seconds
) -> None:
    header = issue(keys)
    await identity.verify(header, reading=True)
    await identity.verify(header, reading=True)
    assert keys.looked_up == 1
    keys.rows.clear()
    seconds.now += FRESH_S + 0.1
    with pytest.raises(Unauthenticated):
        await identity.verify(header, reading=True)


async def test_while_the_key_store_is_down_a_recent_key_may_read_but_not_write(
    identity: Identity, keys: Keys, seconds: Seconds
) -> None:
    header, stranger = issue(keys), issue(keys)
    await identity.verify(header, reading=True)
    keys.down = True
    seconds.now += FRESH_S + 0.1
    assert (await identity.verify(header, reading=True)).tenant_id == "acme"
    with pytest.raises(TierUnavailable):
        await identity.verify(header, reading=False)
    with pytest.raises(TierUnavailable):
        await identity.verify(stranger, reading=True)
    seconds.now += STALE_READ_S
    with pytest.raises(TierUnavailable):
        await identity.verify(header, reading=True)


def test_a_key_without_the_scope_or_bound_to_another_user_is_forbidden() -> None:
    bound = Principal("k", "acme", frozenset({"read"}), "ann", None)
    assert bound.scope("read", "ann").user_id == "ann"
    with pytest.raises(Forbidden, match="write"):
        bound.scope("write", "ann")
    with pytest.raises(Forbidden, match="another user"):
        bound.scope("read", "bob")


def test_the_stored_row_does_not_contain_the_key() -> None:
    new = make_key("acme", frozenset({"read"}))
    assert new.text.encode() not in new.row.secret_hash
    assert new.text not in repr(new.row)
