"""Where the three servers are: as the roles that do no more than their work, and as who may do everything."""

import re
import secrets
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from pydantic import SecretStr

OWNER: Final = "ragpp_owner"
APP: Final = "ragpp_app"
RELAY: Final = "ragpp_relay"
DATABASE: Final = "ragpp"
REDIS_USER: Final = "ragpp"
REDIS_REWRITER: Final = "ragpp_rewriter"
NEO4J_USER: Final = "neo4j"
_HOST: Final = re.compile(r"(\[[^]]*\]|[^:]*)(:\d*)?")


@dataclass(frozen=True)
class Endpoints:
    """Where the servers are and how to get in, each as the role that may do no more than its work."""

    postgres_owner_dsn: SecretStr
    postgres_app_dsn: SecretStr
    postgres_relay_dsn: SecretStr
    redis_url: SecretStr
    redis_rewrite_url: SecretStr
    neo4j_uri: str
    neo4j_user: str
    neo4j_password: SecretStr

    def addresses(self) -> dict[str, SecretStr]:
        """Those that hold an account and its password, by the environment variable that each is in."""
        return {
            "POSTGRES_OWNER_DSN": self.postgres_owner_dsn,
            "POSTGRES_DSN": self.postgres_app_dsn,
            "POSTGRES_RELAY_DSN": self.postgres_relay_dsn,
            "REDIS_URL": self.redis_url,
            "REDIS_REWRITE_URL": self.redis_rewrite_url,
        }

    def settings(self) -> dict[str, str]:
        """The environment variables by which a service takes them."""
        return {
            **{name: address.get_secret_value() for name, address in self.addresses().items()},
            "NEO4J_URI": self.neo4j_uri,
            "NEO4J_USER": self.neo4j_user,
            "NEO4J_PASSWORD": self.neo4j_password.get_secret_value(),
        }


@dataclass(frozen=True)
class Admin:
    """The servers as who may do everything in them. `neo4j_password` is the one that Neo4j was started with: it is
    taken where the endpoints' own is refused, and is good for nothing afterwards."""

    postgres_dsn: SecretStr
    redis_url: SecretStr
    neo4j_uri: str
    neo4j_password: SecretStr


def _generated() -> SecretStr:
    return SecretStr(secrets.token_urlsafe(24))


@dataclass(frozen=True)
class AccountPasswords:
    """One password an account, generated where none is given."""

    postgres_owner: SecretStr = field(default_factory=_generated)
    postgres_app: SecretStr = field(default_factory=_generated)
    postgres_relay: SecretStr = field(default_factory=_generated)
    redis: SecretStr = field(default_factory=_generated)
    redis_rewrite: SecretStr = field(default_factory=_generated)
    neo4j: SecretStr = field(default_factory=_generated)


def endpoints_beside(admin: Admin, passwords: AccountPasswords) -> Endpoints:
    """The endpoints of the servers that `admin` leads to, with these passwords; `provision` makes them work."""

    def postgres(role: str, password: SecretStr) -> SecretStr:
        return _as(in_database(admin.postgres_dsn, DATABASE), role, password)

    return Endpoints(
        postgres_owner_dsn=postgres(OWNER, passwords.postgres_owner),
        postgres_app_dsn=postgres(APP, passwords.postgres_app),
        postgres_relay_dsn=postgres(RELAY, passwords.postgres_relay),
        redis_url=_as(admin.redis_url, REDIS_USER, passwords.redis),
        redis_rewrite_url=_as(admin.redis_url, REDIS_REWRITER, passwords.redis_rewrite),
        neo4j_uri=admin.neo4j_uri,
        neo4j_user=NEO4J_USER,
        neo4j_password=passwords.neo4j,
    )


def is_address(url: SecretStr) -> bool:
    """True where each of its hosts has a port that is a number, or none, and its account ends before them."""
    try:
        parts = urlsplit(url.get_secret_value())
    except ValueError:  # of brackets that are no address in them
        return False
    hosts = parts.netloc.rpartition("@")[2].split(",")
    return all(_HOST.fullmatch(host) for host in hosts) and not parts.fragment and "@" not in parts.path


def in_database(dsn: SecretStr, database: str) -> SecretStr:
    """The same server and role, and that database."""
    return SecretStr(urlunsplit(urlsplit(dsn.get_secret_value())._replace(path=f"/{database}")))


def in_role(dsn: SecretStr, role: str) -> SecretStr:
    """The same server, database and account, which takes `role` at once: one that it is a member of."""
    parts = urlsplit(dsn.get_secret_value())
    query = "&".join(one for one in (parts.query, f"role={role}") if one)
    return SecretStr(urlunsplit(parts._replace(query=query)))


def account_of(url: SecretStr) -> tuple[str, str]:
    """User and password of an address, each empty where it has none."""
    parts = urlsplit(url.get_secret_value())
    return unquote(parts.username or ""), unquote(parts.password or "")


def database_of(dsn: SecretStr) -> str:
    """The name of its database, empty where it has none."""
    return unquote(urlsplit(dsn.get_secret_value()).path.removeprefix("/"))


def _as(url: SecretStr, user: str, password: SecretStr) -> SecretStr:
    parts = urlsplit(url.get_secret_value())
    where = parts.netloc.rpartition("@")[2]
    account = f"{user}:{quote(password.get_secret_value(), safe='')}"
    return SecretStr(urlunsplit(parts._replace(netloc=f"{account}@{where}")))
