"""A request held to its user's policy: how its texts are redacted, and what of its ids is refused."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import UnionType
from typing import Annotated, Final, Literal, TypeVar, Union, cast, get_args, get_origin

from pydantic import AfterValidator, JsonValue, ValidationError
from pydantic.fields import FieldInfo

from ragpp.errors import PersonalDataRefused
from ragpp.errors.problems import invalid_fields
from ragpp.fields import innocuous, storable, storable_json, storable_metadata
from ragpp.filtering import MetadataFilter
from ragpp.models import Value
from ragpp.personal.kinds import KINDS
from ragpp.preference_values import given_value
from ragpp.redacting import each_text
from ragpp.redaction import SECRETS, Redacted, Redactor, secret_in

ValueT = TypeVar("ValueT", bound=Value)
Role = Literal["id", "text"]
_ROLES: Final[Mapping[Callable[..., object], Role]] = {
    innocuous: "id",
    **dict.fromkeys((storable, storable_metadata, storable_json, given_value), "text"),
}
"""The role of a field, by its validator: a new id is never changed, a text may be."""
_HELD: Final[ContextVar[Redactor]] = ContextVar("held", default=SECRETS)


class HeldRedactor:
    """The Redactor of whatever request is served: of its policy (`holding`), else of secrets alone."""

    def redact(self, text: str) -> Redacted:
        """See `Redactor.redact`. Raises PersonalDataRefused where the policy refuses what is in `text`."""
        return _HELD.get().redact(text)


@contextmanager
def holding(redactor: Redactor | None) -> Iterator[None]:
    """Have what is redacted inside, also in threads that are begun there, redacted by `redactor`; None: of secrets."""
    token = _HELD.set(redactor or SECRETS)
    try:
        yield
    finally:
        _HELD.reset(token)


def is_tellable(identifier: str, redactor: Redactor | None) -> bool:
    """True for an id that logs and the audit may have as it is: without a secret, and without what the policy of
    `redactor` keeps out, where there is one."""
    return secret_in(identifier) is None and (redactor is None or not _personal(redactor, identifier))


def refuse_in_ids(value: Value | None, ids: Mapping[str, str], redactor: Redactor) -> None:
    """Raises PersonalDataRefused for a new id in `value`, or among `ids` by their names, that has personal data: an id
    goes into every store and log as it is, and no mask can stand for it."""
    for name, one in [*ids.items(), *(() if value is None else _ids(value, ""))]:
        if kinds := _personal(redactor, one):
            raise PersonalDataRefused.of(kinds, name)


def mask_texts(value: ValueT, redactor: Redactor, above: str = "") -> ValueT:
    """`value` with each text in it as `redactor` gives it. Raises PersonalDataRefused with the field's name, behind
    `above`."""
    changed = {}
    for name, role in _roles(type(value)).items():
        held = getattr(value, name)
        new = _masked(held, role, redactor, f"{above}{name}")
        if new is not held:
            changed[name] = new
    return value.model_copy(update=changed) if changed else value


def role_of(field: FieldInfo) -> Role | None:
    """The role of a field of a body or a parameter; None for what is neither a new id nor a text."""
    return _role(Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation)


def _personal(redactor: Redactor, text: str) -> list[str]:
    try:
        return [kind for kind in redactor.redact(text).kinds if kind in KINDS]
    except PersonalDataRefused as refused:
        return list(refused.kinds)


def _ids(value: Value, above: str) -> Iterator[tuple[str, str]]:
    for name, role in _roles(type(value)).items():
        held = getattr(value, name)
        if role == "id":
            given = held if isinstance(held, tuple) else (held,)
            yield from ((f"{above}{name}", one) for one in given if isinstance(one, str))
        elif isinstance(held, Value):
            yield from _ids(held, f"{above}{name}.")
        elif isinstance(held, tuple):
            for index, one in enumerate(held):
                if isinstance(one, Value):
                    yield from _ids(one, f"{above}{name}.{index}.")


def _masked(held: object, role: Role | None, redactor: Redactor, field: str) -> object:
    if isinstance(held, Value):
        return mask_texts(held, redactor, f"{field}.")
    if isinstance(held, MetadataFilter):
        return mask_condition(held, redactor, field)
    if isinstance(held, tuple):
        new = tuple(_masked(one, role, redactor, f"{field}.{index}") for index, one in enumerate(held))
        return new if any(one is not old for one, old in zip(new, held, strict=True)) else held
    return redact_json(cast("JsonValue", held), redactor, field) if role == "text" else held


def mask_condition(condition: MetadataFilter, redactor: Redactor, field: str) -> MetadataFilter:
    """A condition on metadata with each value as `redactor` gives it, itself where that changes nothing. Raises
    PersonalDataRefused, and InvalidInput where a mask makes it too long."""
    given = condition.model_dump(mode="json")
    new = redact_json(given, redactor, field)
    try:
        return condition if new == given else MetadataFilter.model_validate(new)
    except ValidationError as error:
        raise invalid_fields([{**item, "loc": (field, *item["loc"])} for item in error.errors()]) from error


def redact_json(held: JsonValue, redactor: Redactor, field: str) -> JsonValue:
    """A text or JSON as `redactor` gives it. Raises PersonalDataRefused. Of JSON the field alone is told: a key may be
    what is refused."""
    try:
        return each_text(held, lambda text: redactor.redact(text).text)
    except PersonalDataRefused as refused:
        raise refused.in_field(field) from refused


@cache
def _roles(model: type[Value]) -> dict[str, Role | None]:
    return {name: role_of(field) for name, field in model.model_fields.items()}


def _role(annotation: object) -> Role | None:
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *metadata = get_args(annotation)
        looked = [one.func for one in metadata if isinstance(one, AfterValidator)]
        return next((_ROLES[func] for func in reversed(looked) if func in _ROLES), None) or _role(inner)
    if origin in (Union, UnionType, tuple):
        return next(filter(None, map(_role, get_args(annotation))), None)
    return None
