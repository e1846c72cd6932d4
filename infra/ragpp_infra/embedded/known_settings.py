"""Which environment variables there are, and what is wrong with those that are given."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from ragpp.errors import ConfigurationError
from ragpp_infra.secret_file import SECRETS

if TYPE_CHECKING:
    from ragpp.settings.variables import Settings

SERVICES: Final = "ragpp_services"
OF_OTHERS_TOO: Final = ("POSTGRES_", "REDIS_", "NEO4J_", "LOG_")
"""Prefixes that variables of other programs have, too."""
COMMAND_LINE: Final[Mapping[str, tuple[str, str]]] = {
    "RAGPP_HOME": (".ragpp", "Folder of the embedded stack."),
    "RAGPP_CACHE": (
        "",
        "Downloads and assembled models, shared by all stacks of this user; default: `ragpp` in XDG_CACHE_HOME, else "
        "in ~/.cache.",
    ),
    "RAGPP_URL": ("", "A gateway elsewhere."),
    "RAGPP_API_KEY": ("", "Its key."),
    "RAGPP_USER": ("", "Whose memory."),
    "PROVISION_POSTGRES_DSN": ("", "For `ragpp provision`: PostgreSQL as its superuser."),
    "PROVISION_REDIS_URL": ("", "Redis as its administrator."),
    "PROVISION_NEO4J_PASSWORD": ("", "What Neo4j has as long as it does not have NEO4J_PASSWORD."),
}
"""Variables that the command line reads and no service: its default and what it is for."""
OF_THE_HOUSE: Final = frozenset({"RAGPP_VERSION", "RAGPP_EVAL_DIR", "RAGPP_TEST_HOME"})
"""Read by docker-compose.yml, the benchmarks and the tests."""
PREFIXES_OF_COMMAND_LINE: Final = ("RAGPP_", "PROVISION_")


def settings_classes() -> "list[type[Settings]]":
    """Those that several services read, then each service's own: what is run is known here by its modules' names."""
    from ragpp.settings.variables import Settings  # noqa: PLC0415 - a quarter of a second that recall need not wait

    folders = sorted(one.name for one in files(SERVICES).iterdir() if one.joinpath("settings.py").is_file())
    modules = ["ragpp.settings", "ragpp.settings.observability", *(f"{SERVICES}.{name}.settings" for name in folders)]
    return [
        kind
        for module in modules
        for kind in vars(import_module(module)).values()
        if isinstance(kind, type) and issubclass(kind, Settings) and kind.__module__ == module
    ]


def known_settings() -> frozenset[str]:
    """The environment variables that a service reads."""
    return frozenset(kind.variable(field) for kind in settings_classes() for field in kind.model_fields)


def check_settings() -> None:
    """Raises ConfigurationError, which names each variable of the caller's environment that no service could take."""
    problems = []
    for kind in settings_classes():
        set_by_the_stack = {name: "" for name, field in kind.model_fields.items() if field.is_required()}
        try:
            kind(**set_by_the_stack)
        except ConfigurationError as error:
            problems.append(error.message)
    if problems:
        raise ConfigurationError("; ".join(problems))


def unknown_settings(names: Iterable[str]) -> dict[str, str | None]:
    """Those of `names` that look like settings and are none, each with the setting that was probably meant.

    POSTGRES_USER and its like are other programs': under a prefix of a server's own, only what is nearly a setting
    of ours is named.
    """
    known = known_settings()
    prefixes = tuple(str(kind.model_config.get("env_prefix")) for kind in settings_classes())
    found = dict[str, str | None]()
    for name in sorted(names):
        if name.startswith(prefixes) and name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.85 if name.startswith(OF_OTHERS_TOO) else 0.7)
            if near or not name.startswith(OF_OTHERS_TOO):
                found[name] = near[0] if near else None
    return found


def misspelt_in_file(names: Iterable[str]) -> dict[str, str | None]:
    """Those of `names`, all in a file of ours, that are no settings, each with the one that was probably meant: what
    looks like one, under whatever prefix. What is near none is another program's, and so is a setting of ours without
    its prefix, as OPENAI_API_KEY.
    """
    given = set(names) - SECRETS.keys() - OF_THE_HOUSE
    found = {**unknown_settings(given), **unknown_of_command_line(given)}
    ours = {*known_settings(), *COMMAND_LINE}
    for name in sorted(given - ours - found.keys()):
        near = get_close_matches(name.upper(), ours, n=1, cutoff=0.8)
        if near and not near[0].endswith(name) and not name.startswith(OF_OTHERS_TOO):
            found[name] = near[0]
    return dict(sorted(found.items()))


def unknown_of_command_line(names: Iterable[str]) -> dict[str, str | None]:
    """The same of what the command line reads; it imports nothing."""
    found = dict[str, str | None]()
    for name in sorted(names):
        if name.startswith(PREFIXES_OF_COMMAND_LINE) and name not in COMMAND_LINE and name not in OF_THE_HOUSE:
            near = get_close_matches(name, COMMAND_LINE, n=1, cutoff=0.7)
            found[name] = near[0] if near else None
    return found
