"""Policies for personal data: what a tenant or a user chose, read and set."""

from typing import Final

from ragpp.api.personal import PersonalPolicyIn, PersonalPolicyOut
from ragpp.errors import Forbidden
from ragpp.ledger.policies import OF_ALL
from ragpp.models import Scope
from ragpp.personal.policy import KEEP
from ragpp_services.gateway.http import GatewayParts, PathUser, keyed_router
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.requester import Reader, Requester, Writer

router = keyed_router("personal data")
WITH_ADMIN: Final = ("Use a key with the scope `admin`: what is kept of people is decided by whoever runs the memory.",)


@router.get("/v1/personal-data", summary="Read the tenant's policy")
async def get_policy(requester: Reader, parts: GatewayParts) -> PersonalPolicyOut:
    """The policy for users who have none of their own. Needs the scope `read` or `admin`."""
    return await _holding(parts, _of_tenant(requester, _to_read(requester)))


@router.put("/v1/personal-data", summary="Set the tenant's policy")
async def set_policy(requester: Writer, parts: GatewayParts, body: PersonalPolicyIn) -> PersonalPolicyOut:
    """It holds for what comes in from now on, at other gateways within five seconds; what is stored stays as it is. Not
    with a key that is bound to a user or an agent. Needs the scope `admin`."""
    return await _set(requester, parts, _of_tenant(requester, "admin"), body)


@router.delete("/v1/personal-data", summary="Drop the tenant's policy")
async def drop_policy(requester: Writer, parts: GatewayParts) -> PersonalPolicyOut:
    """Personal data is kept then, but for users with a policy of their own. Needs the scope `admin`."""
    return await _dropped(requester, parts, _of_tenant(requester, "admin"))


@router.get("/v1/users/{user_id:id}/personal-data", summary="Read a user's policy")
async def get_user_policy(requester: Reader, parts: GatewayParts, user_id: PathUser) -> PersonalPolicyOut:
    """The policy that holds for the user, and who set it. Needs the scope `read` or `admin`."""
    return await _holding(parts, requester.scope(_to_read(requester), user_id))


@router.put("/v1/users/{user_id:id}/personal-data", summary="Set a user's policy")
async def set_user_policy(
    requester: Writer, parts: GatewayParts, user_id: PathUser, body: PersonalPolicyIn
) -> PersonalPolicyOut:
    """It takes the place of the tenant's for this user, from now on. Needs the scope `admin`."""
    return await _set(requester, parts, _of_user(requester, user_id), body)


@router.delete("/v1/users/{user_id:id}/personal-data", summary="Drop a user's policy")
async def drop_user_policy(requester: Writer, parts: GatewayParts, user_id: PathUser) -> PersonalPolicyOut:
    """The tenant's holds for the user again, and is answered. Needs the scope `admin`."""
    return await _dropped(requester, parts, _of_user(requester, user_id))


def _to_read(requester: Requester) -> str:
    return "admin" if "admin" in requester.principal.scopes else "read"


def _of_tenant(requester: Requester, needed: str) -> Scope:
    requester.principal.need(needed, suggestions=WITH_ADMIN)
    if requester.principal.user_id is not None or requester.principal.agent_id is not None:
        raise Forbidden(
            "this key is bound to a user or an agent, and this is the policy of all users",
            suggestions=("Use a key that is bound to nobody, or set a user's own: /v1/users/{user_id}/personal-data.",),
        )
    return Scope.trusted(tenant_id=requester.principal.tenant_id, user_id=OF_ALL)


def _of_user(requester: Requester, user_id: str) -> Scope:
    requester.principal.need("admin", suggestions=WITH_ADMIN)
    return requester.whole("admin", user_id)


async def _set(requester: Requester, parts: Parts, scope: Scope, body: PersonalPolicyIn) -> PersonalPolicyOut:
    requester.items, requester.details = 1, {"personal_data": body.mode}
    await parts.policies.set_policy(scope, body.policy)
    parts.choices.set(scope)
    return PersonalPolicyOut.of(body.policy, "user" if scope.user_id else "tenant")


async def _dropped(requester: Requester, parts: Parts, scope: Scope) -> PersonalPolicyOut:
    requester.items = int(await parts.policies.drop_policy(scope))
    requester.details = {"personal_data": "dropped"}
    parts.choices.set(scope)
    return await _holding(parts, scope)


async def _holding(parts: Parts, scope: Scope) -> PersonalPolicyOut:
    """The policy that holds in `scope`, of its user or of the tenant."""
    if scope.user_id and (own := await parts.policies.policy(scope)) is not None:
        return PersonalPolicyOut.of(own, "user")
    of_tenant = await parts.policies.policy(Scope.trusted(tenant_id=scope.tenant_id, user_id=OF_ALL))
    return PersonalPolicyOut.of(KEEP, "default") if of_tenant is None else PersonalPolicyOut.of(of_tenant, "tenant")
