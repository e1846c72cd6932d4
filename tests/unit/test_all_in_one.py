"""A tier with an address is taken over HTTP, whatever process asks for it."""

import pytest
from typer.testing import CliRunner

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import ConfigurationError, TierUnavailable
from ragpp.tierkit.deployment import Tools
from ragpp.tierkit.remote import RemoteTier
from ragpp.tiers import PROTOCOLS
from ragpp_services import all_in_one
from ragpp_services.all_in_one import open_tiers
from tests.support.each import each_case
from tests.support.scopes import new_scope


@pytest.fixture
def addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROTOCOLS:
        monkeypatch.setenv(f"TIER_{name.upper()}_URL", "http://127.0.0.1:9")


@pytest.mark.usefixtures("addresses")
async def test_every_tier_with_an_address_is_taken_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIER_CREDENTIAL", "a-service-credential")
    async with open_tiers(Tools(lambda: HashingEmbedder(8))) as tiers:
        for name, tier in vars(tiers).items():
            assert isinstance(tier, RemoteTier)
            assert tier.name == name
        with pytest.raises(TierUnavailable):
            await tiers.episodic.get(new_scope(), ["m1"])


@pytest.mark.usefixtures("addresses")
async def test_an_address_without_the_credential_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIER_CREDENTIAL", raising=False)
    with pytest.raises(ConfigurationError, match="TIER_CREDENTIAL"):
        async with open_tiers(Tools(lambda: HashingEmbedder(8))):
            pass


@each_case(("told", "answers"), [("begin\n", 0), ("", 1)])
def test_schemas_are_left_alone_by_a_start_that_died_before_its_stores_were_there(
    monkeypatch: pytest.MonkeyPatch, told: str, answers: int
) -> None:
    done = list[str]()

    async def migrate_all() -> int:
        done.append("migrated")
        return 0

    monkeypatch.setattr(all_in_one, "migrate_all", migrate_all)
    monkeypatch.setattr(all_in_one, "configure_logs", lambda *_: None)  # to a stream that is closed when this ends
    assert CliRunner().invoke(all_in_one.cli, ["--when-told", "migrate"], input=told).exit_code == answers
    assert done == ["migrated"] * (not answers)
