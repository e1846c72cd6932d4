"""The promises of docker-compose.yml and of the image, whatever is changed in them."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import Any, Final

import yaml

from ragpp.settings import TierSettings
from ragpp.tiers import PROTOCOLS
from ragpp_infra.embedded.known_settings import known_settings
from ragpp_infra.embedded.servers import jars, neo4j, postgres, valkey
from ragpp_infra.secret_file import SECRETS
from ragpp_services.all_in_one import SERVICES as TIERS
from tests.support.each import each_case
from tests.support.source import ROOT

TEXT: Final = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: Final[dict[str, Any]] = yaml.safe_load(TEXT)
SERVICES: Final[dict[str, dict[str, Any]]] = COMPOSE["services"]
STORES: Final = ("postgres", "redis", "neo4j")
JOBS: Final = ("provision", "keys", "backup", "restore")
"""They end, so there is nobody whose health could be asked for."""
IMAGE: Final = (ROOT / "infra" / "docker" / "Dockerfile").read_text(encoding="utf-8")
ACCOUNTS: Final = {"POSTGRES_APP_PASSWORD", "FORGETTING_KEY", "TIER_CREDENTIAL"}
MAY_HAVE: Final[Mapping[str, set[str]]] = {
    "gateway": ACCOUNTS,
    "short-term": {"REDIS_APP_PASSWORD", "FORGETTING_KEY", "TIER_CREDENTIAL"},
    "episodic": ACCOUNTS,
    "procedural": ACCOUNTS,
    "catalog": ACCOUNTS,
    "semantic": {"NEO4J_PASSWORD", "FORGETTING_KEY", "TIER_CREDENTIAL"},
    "worker": {*ACCOUNTS, "POSTGRES_RELAY_PASSWORD", "REDIS_APP_PASSWORD", "REDIS_REWRITE_PASSWORD"},
    "provision": SECRETS.keys() - {"TIER_CREDENTIAL"},
    "backup": SECRETS.keys() - {"TIER_CREDENTIAL", "REDIS_ADMIN_PASSWORD", "NEO4J_ADMIN_PASSWORD"},
    "restore": SECRETS.keys() - {"TIER_CREDENTIAL", "REDIS_ADMIN_PASSWORD", "NEO4J_ADMIN_PASSWORD"},
    "keys": {"POSTGRES_APP_PASSWORD", "POSTGRES_OWNER_PASSWORD"},
    "postgres": {"POSTGRES_ADMIN_PASSWORD"},
    "redis": {"REDIS_ADMIN_PASSWORD"},
    "neo4j": {"NEO4J_ADMIN_PASSWORD"},
}
"""The secrets that each container is given, and no other."""


@each_case("name", sorted(SERVICES))
def test_a_container_can_write_nowhere_but_on_its_volumes_and_in_memory(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    in_memory = {place.split(":")[0] for place in service.get("tmpfs", [])}
    assert in_memory <= {"/tmp", "/run/ragpp", "/run/postgresql"}
    mounted = [volume.split(":") for volume in service.get("volumes", [])]
    assert all(parts[0] in COMPOSE["volumes"] for parts in mounted), "no folder of the host"


@each_case("name", sorted(SERVICES))
def test_a_container_has_few_rights_and_a_limit_of_memory(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert name in STORES or "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert "privileged" not in service
    assert {"max-size", "max-file"} <= service["logging"]["options"].keys(), "logs would fill the disk"


@each_case("name", sorted(SERVICES))
def test_a_container_that_ends_is_started_again_and_one_that_hangs_is_seen(name: str) -> None:
    service = SERVICES[name]
    if name in JOBS:
        assert service["restart"] == "no"
        return
    assert service["restart"] == "unless-stopped"
    check = service["healthcheck"]
    assert check["test"][0] in {"CMD", "CMD-SHELL"}
    assert "disable" not in check


def test_the_gateway_alone_is_published_and_on_loopback() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"gateway": ["127.0.0.1:${GATEWAY_PORT:-8700}:8700"]}
    assert all("network_mode" not in service for service in SERVICES.values())
    assert COMPOSE["networks"]["stores"]["internal"] is True
    assert all(SERVICES[name]["networks"] == ["stores"] for name in STORES)


def test_no_secret_has_a_default_and_all_of_them_are_made_by_init() -> None:
    variables = dict(re.findall(r"\$\{([A-Z_0-9]+)(:[-?])", TEXT))
    assert {name for name, how in variables.items() if how == ":?"} == set(SECRETS)
    assert not {name for name, how in variables.items() if how == ":-"} & set(SECRETS)
    assert len(re.findall(r"(?<!\$)\$\{", TEXT)) == len(re.findall(r"\$\{[A-Z_0-9]+:[-?]", TEXT))


@each_case("name", sorted(SERVICES))
def test_a_container_is_given_the_secrets_that_it_needs_and_no_other(name: str) -> None:
    given = set(re.findall(r"\$\{([A-Z_0-9]+):\?", str(SERVICES[name])))
    assert given == MAY_HAVE[name]


@each_case("name", sorted(SERVICES.keys() - {*STORES}))
def test_what_a_service_is_given_are_settings(name: str) -> None:
    """A name that is spelt wrongly would be taken for nothing, without a word."""
    ours = {name for name in SERVICES[name]["environment"] if not name.startswith("PROVISION_")}
    assert ours <= known_settings()


@each_case("name", sorted(SERVICES.keys() - {*STORES, "keys"}))
def test_settings_of_a_laptop_do_not_move_what_lies_in_the_image(name: str) -> None:
    """With a copy of .env.example as settings.env every container was healthy and every write 503: no embedding graph
    was where that said."""
    in_image = dict(
        re.findall(r"^ *(EMBEDDING_CACHE_DIR|GATEWAY_AUDIT_SPOOL)=([^\s\\\\]+)", _final_stage(), re.MULTILINE)
    )
    wanted = {"EMBEDDING_CACHE_DIR", *(["GATEWAY_AUDIT_SPOOL"] if name == "gateway" else [])}
    assert in_image.keys() >= wanted
    environment = SERVICES[name]["environment"]
    assert {setting: environment.get(setting) for setting in wanted} == {place: in_image[place] for place in wanted}


def test_every_tier_is_asked_where_it_listens() -> None:
    ports = {service.name: service.port for service in TIERS}
    for tier in PROTOCOLS:
        host = tier.replace("_", "-")
        variable = TierSettings.variable(f"{tier}_url")
        for asking in ("gateway", "worker"):
            assert SERVICES[asking]["environment"][variable] == f"http://{host}:{ports[tier]}"
        assert f"http://127.0.0.1:{ports[tier]}/health/ready" in SERVICES[host]["healthcheck"]["test"]
        assert SERVICES[host]["command"] == ["python", "-m", f"ragpp_services.{tier}", "--host", "0.0.0.0"]  # noqa: S104 - of a container


def test_every_module_that_a_container_runs_is_one() -> None:
    run = re.findall(r"-m, ([a-z_.]+)", TEXT) + re.findall(r'"-m", "([a-z_.]+)"', IMAGE)
    assert len(run) > 8
    assert [module for module in run if find_spec(module) is None] == []


def test_the_schemas_are_there_before_any_service() -> None:
    """One service alone brings the schemas up to date, before any of those that start at once."""
    before = {
        name: service.get("depends_on", {}).get("provision", {}).get("condition") for name, service in SERVICES.items()
    }
    assert {name for name, condition in before.items() if condition == "service_completed_successfully"} == {
        *("short-term", "episodic", "semantic", "procedural", "catalog", "worker")
    }
    assert set(SERVICES["gateway"]["depends_on"]) == {"short-term", "episodic", "semantic", "procedural", "catalog"}
    assert all(SERVICES["provision"]["depends_on"][store]["condition"] == "service_healthy" for store in STORES)


def _assignments(text: str, separator: str) -> dict[str, str]:
    """`name separator value` of each line that is one, without quotes."""
    lines = (line.partition(separator) for line in text.splitlines() if separator in line)
    return {name.strip(): value.strip().strip("'\"") for name, _, value in lines}


def test_postgresql_is_set_as_in_the_embedded_stack() -> None:
    """People's words would be in its log otherwise, and plans would be others."""
    embedded = _assignments(postgres.CONFIGURATION, "=")
    elsewhere = {"listen_addresses", "unix_socket_directories", "unix_socket_permissions", "log_line_prefix"}
    defaults = {"fsync": "on", "synchronous_commit": "on"}
    assert defaults.items() <= embedded.items()
    given = dict(flag.removeprefix("-c").split("=") for flag in SERVICES["postgres"]["command"][1:])
    assert given == {name: value for name, value in embedded.items() if name not in {*elsewhere, *defaults}}


def test_redis_keeps_what_the_embedded_stack_keeps_and_logs_as_little() -> None:
    embedded = _assignments(valkey.CONFIGURATION, " ")
    script = SERVICES["redis"]["command"][-1]
    for name in ("appendonly", "appendfsync", "maxmemory-policy"):
        assert f"--{name} {embedded[name]} " in script
    assert '--save "" ' in script
    assert embedded["save"] == ""
    assert embedded["commandlog-execution-slower-than"] == "-1"
    assert "--slowlog-log-slower-than -1" in script


def test_neo4j_is_set_as_in_the_embedded_stack_and_of_its_version() -> None:
    embedded = _assignments(neo4j.CONFIGURATION, "=")
    given = {
        name.removeprefix("NEO4J_").replace("__", "\0").replace("_", ".").replace("\0", "_"): value
        for name, value in SERVICES["neo4j"]["environment"].items()
        if name != "NEO4J_AUTH"
    }
    assert given == {name: embedded[name] for name in given}
    assert {"server.memory.heap.max_size", "db.tx_log.rotation.size", "dbms.usage_report.enabled"} <= given.keys()
    locked = jars.LOCK_FILE.read_text(encoding="utf-8")
    assert f"org.neo4j:neo4j:{SERVICES['neo4j']['image'].removeprefix('neo4j:').removesuffix('-community')} " in locked


def test_neo4j_of_another_version_does_not_start_with_the_configuration_of_the_former() -> None:
    """A volume hides what the image has there, so a setting that is gone would keep the new version from starting."""
    version = SERVICES["neo4j"]["image"].removeprefix("neo4j:").removesuffix("-community")
    places = {place: volume for volume, place in (mount.split(":") for mount in SERVICES["neo4j"]["volumes"])}
    assert places["/var/lib/neo4j/conf"] == f"neo4j-{version}-conf"


@cache
def _final_stage() -> str:
    return IMAGE.rpartition("\nFROM ")[2]


def test_the_image_is_that_of_a_user_without_rights_and_has_no_compiler() -> None:
    assert re.search(r"^USER [1-9]\d+:[1-9]\d+$", _final_stage(), re.MULTILINE)
    assert "apt-get" not in IMAGE
    assert "PIP_ONLY_BINARY=:all:" in IMAGE, "what has no wheel would want a compiler"
    assert "pip" not in _final_stage()


def test_the_image_builds_with_an_engine_without_buildkit() -> None:
    assert not re.search(r"--mount|<<|# *syntax=|--chmod|--link", IMAGE)


def test_the_image_has_the_locked_versions() -> None:
    installs = re.findall(r"(?<!un)install [^\\\n]*", IMAGE)
    from_the_registry = [line for line in installs if "wheels/" not in line and not line.startswith("install -d")]
    assert len(from_the_registry) == 3
    assert all("-c requirements.lock" in line for line in from_the_registry)


def test_neither_secrets_nor_anything_unasked_gets_into_the_image() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in ignored if line and not line.startswith("#")]
    assert rules[0] == "*"
    copied = {part for line in re.findall(r"^COPY (?!--from)(.+) \S+$", IMAGE, re.MULTILINE) for part in line.split()}
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == copied


def test_a_folder_in_memory_is_one_that_the_image_lets_its_user_write() -> None:
    """It takes the mode of the folder below it, from the second start on even where the image has none."""
    for name in sorted(SERVICES.keys() - {*STORES}):
        for place in (mount.split(":")[0] for mount in SERVICES[name]["tmpfs"]):
            assert place == "/tmp" or f"install -d -m 1777 {place}" in _final_stage()


def test_the_audit_spool_outlives_its_container() -> None:
    spool = re.search(r"GATEWAY_AUDIT_SPOOL=(\S+)", _final_stage())
    assert spool
    mounts = [volume.split(":")[1] for volume in SERVICES["gateway"]["volumes"]]
    assert str(PurePosixPath(spool[1]).parent) in mounts
