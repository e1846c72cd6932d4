"""Whose policy a request is held to, and the request as that policy lets it in."""

from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import parse_qsl, urlencode

from fastapi import Request
from fastapi._compat import ModelField
from fastapi.dependencies.models import Dependant
from pydantic import ValidationError

from ragpp.fields import identifying
from ragpp.filtering import MetadataFilter
from ragpp.ledger.policies import OF_ALL
from ragpp.models import Scope, Value
from ragpp.redaction import Redactor
from ragpp_services.gateway.identity import Principal
from ragpp_services.gateway.personal.choices import UserChoices
from ragpp_services.gateway.personal.holding import Role, mask_condition, redact_json, refuse_in_ids, role_of

_QUERY: Final = "query_string"
_CONDITION: Final = "filter"


class Parameters:
    """The parameters of a route that a policy is about: new ids in its path, and texts in its query. `begins`: its body
    may have a new id, so that something may be stored even of what is only asked."""

    def __init__(self, route: Dependant, body: type[Value] | None) -> None:
        self.ids = frozenset(_of_role("id", route.path_params))
        self.texts = frozenset(_of_role("text", route.query_params))
        self.begins = body is not None and any(role_of(field) == "id" for field in body.model_fields.values())


def whose_policy(request: Request, principal: Principal, value: Value | None) -> tuple[str, str]:
    """The tenant and the user whose policy a request is held to: who is named in its body, path or query, else the
    key's own; nobody, so the tenant's policy, where it is of what all users share alone. An import holds what it has
    for all users to the tenant's by itself."""
    things = getattr(value, "memories", None) or (value,)
    if all(getattr(one, "visibility", None) == "global" for one in things):
        return principal.tenant_id, OF_ALL
    named = (
        getattr(value, "user_id", None)
        or request.path_params.get("user_id")
        or request.query_params.get("user_id")
        or principal.user_id
        or OF_ALL
    )
    return principal.tenant_id, named


async def redactor_for(
    choices: UserChoices, request: Request, principal: Principal, value: Value | None, *, reading: bool
) -> Redactor | None:
    """The redactor of the policy that the request is held to; None for what holds without one. Raises MemorySystemError
    where nobody can tell, and something may be stored."""
    whose = whose_policy(request, principal, value)
    held = choices.fresh(whose)
    if held is None:
        try:
            identifying(whose[1])
        except ValueError:  # nobody's id, which the route refuses
            whose = (principal.tenant_id, OF_ALL)
        scope = Scope.trusted(tenant_id=whose[0], user_id=whose[1])
        held = await (choices.known_of(scope) if reading else choices.of(scope))
    return held.redactor


def see_ids(request: Request, value: Value | None, route: Parameters, redactor: Redactor) -> None:
    """Raises PersonalDataRefused for a new id with personal data: some questions begin what is asked about."""
    refuse_in_ids(value, {name: str(request.path_params[name]) for name in route.ids}, redactor)


def held_to_ask(request: Request, route: Parameters, redactor: Redactor) -> Request:
    """`request` with the texts of its query as the policy lets them in, so that a question finds what is masked alike.
    Raises PersonalDataRefused."""
    given = parse_qsl(request.url.query, keep_blank_values=True)
    if not any(name in route.texts or name == _CONDITION for name, _ in given):
        return request
    asked = [(name, _redacted(name, text, redactor) if name in route.texts else text) for name, text in given]
    asked = [(name, _condition(text, redactor) if name == _CONDITION else text) for name, text in asked]
    return Request({**request.scope, _QUERY: urlencode(asked).encode()}, request.receive)


def _redacted(name: str, text: str, redactor: Redactor) -> str:
    return str(redact_json(text, redactor, name))


def _condition(text: str, redactor: Redactor) -> str:
    """A condition on metadata, value by value; what is none is left to the route, which refuses it."""
    try:
        given = MetadataFilter.model_validate_json(text)
    except ValidationError:
        return text
    held = mask_condition(given, redactor, _CONDITION)
    return text if held is given else held.model_dump_json()


def _of_role(role: Role, fields: Iterable[ModelField]) -> Iterator[str]:
    return (field.alias for field in fields if role_of(field.field_info) == role)
