"""The two accounts that RAG++ has in a Redis or Valkey: in the access list that one starts with, or given to one that
runs."""

import hashlib
from typing import Final

from pydantic import SecretStr

from ragpp_infra.provisioning.endpoints import REDIS_REWRITER, REDIS_USER
from ragpp_infra.provisioning.errors import NotReady, ProvisioningError

KEY_PREFIX: Final = "ragpp:"
TIMEOUT_S: Final = 5.0


def accounts(password: str, rewriter: str) -> dict[str, list[str]]:
    """The rules of each account: the application's, confined to keys and channels of the project, and one who may have
    the append-only file rewritten and see nothing. No password can be read from them.

    Without the commands that Redis calls dangerous (they read or change the whole server), but with INFO, by which
    its version and memory are read. Celery works with it under the key prefix `ragpp:celery:`, without gossip, mingle
    and remote control: these subscribe to patterns, of which Redis wants each one granted literally.
    """
    digest, of_rewriter = (hashlib.sha256(text.encode()).hexdigest() for text in (password, rewriter))
    keys = (f"~{KEY_PREFIX}*", f"&{KEY_PREFIX}*")
    return {
        REDIS_USER: ["on", f"#{digest}", *keys, "+@all", "-@admin", "-@dangerous", "+info"],
        REDIS_REWRITER: ["on", f"#{of_rewriter}", "resetkeys", "resetchannels", "-@all", "+bgrewriteaof"],
    }


def access_list(password: str, rewriter: str) -> str:
    """The access list of a server of our own: these accounts, and nobody else."""
    lines = [f"user {name} {' '.join(rules)}\n" for name, rules in accounts(password, rewriter).items()]
    return "".join(["user default off\n", *lines])


async def provision_redis(admin_url: SecretStr, *, password: str, rewriter: str) -> bool:
    """Give a running server the accounts; whether it keeps them when it starts again, which one does that was started
    with an access list of its own (`--aclfile`). Raises NotReady, ProvisioningError.
    """
    import redis.asyncio  # noqa: PLC0415 - a sixth of a second that a stop need not wait
    from redis import exceptions  # noqa: PLC0415 - as above

    client = redis.asyncio.Redis.from_url(
        admin_url.get_secret_value(), socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S, retry=None
    )
    try:
        for name, rules in accounts(password, rewriter).items():
            await client.execute_command("ACL", "SETUSER", name, "reset", *rules)  # type: ignore[no-untyped-call]
        listed = await client.config_get("aclfile")
        if not listed.get("aclfile"):
            return False
        await client.acl_save()
    except exceptions.AuthenticationError as error:
        raise ProvisioningError(f"Redis refuses the administrator's password: {error}") from error
    except (exceptions.ConnectionError, exceptions.TimeoutError, exceptions.BusyLoadingError) as error:
        raise NotReady(f"Redis: {type(error).__name__}: {error}") from error
    except exceptions.ResponseError as error:
        raise ProvisioningError(f"Redis: {error}") from error
    else:
        return True
    finally:
        await client.aclose()
