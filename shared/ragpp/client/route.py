"""A method of both faces of the client from one signature: `@route` makes its request of what it takes.

Of its parameters, those that the path names go there, a model of `ragpp.api` is the body, what stands behind the `*`
is the query, and so is everything of a GET or DELETE; of another method the rest is a JSON object. The annotation of
what it returns is what the answer is read as.
"""

import inspect
import re
from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property
from types import MethodType
from typing import (
    Concatenate,
    Final,
    Generic,
    ParamSpec,
    Self,
    TypeVar,
    cast,
    get_args,
    overload,
)
from uuid import uuid4

from pydantic import BaseModel, TypeAdapter

from ragpp.api import ItemsIn, StoreRequest
from ragpp.client.arguments import body_among, bound_to, by_field, see_ids
from ragpp.client.calls import Call, Flow, Method, Parameter, path_of
from ragpp.client.faces import AsyncRunner, Face, SyncRunner
from ragpp.client.plain import made
from ragpp.client.shown import TakesEither, TakesPlain, arguments_of, awaited, fields_of, shown_as

P = ParamSpec("P")
FieldsP = ParamSpec("FieldsP")
PlainP = ParamSpec("PlainP")
T = TypeVar("T")
ClientT = TypeVar("ClientT", bound=Face)
BodyT = TypeVar("BodyT", bound=BaseModel)
Repeat = bool | Callable[[Mapping[str, object]], bool]

_QUERIED: Final = frozenset({"GET", "DELETE"})


class Verb(Generic[P, T]):
    """A method that either face of the client has: a coroutine function of the one, a function of the other."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.function = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._made: dict[type[Face], Callable[..., object]] = {}

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: AsyncRunner, owner: type) -> Callable[P, Coroutine[object, None, T]]: ...
    @overload
    def __get__(self, client: SyncRunner, owner: type) -> Callable[P, T]: ...
    def __get__(self, client: Face | None, owner: type) -> object:
        return self._of(client, owner)

    def _of(self, client: Face | None, owner: type) -> object:
        """The function of a client's class, or the method of a client; the verb itself of what is no client."""
        face = next((face for face in (AsyncRunner, SyncRunner) if issubclass(owner, face)), None)
        if face is None:
            return self
        function = self._made.get(face) or self._made.setdefault(face, self._function(face, owner))
        return function if client is None else MethodType(function, client)

    def _function(self, face: type[AsyncRunner] | type[SyncRunner], owner: type) -> Callable[..., object]:
        made = face._function(self)  # noqa: SLF001 - of the client's own class
        told = awaited(self.told) if face is AsyncRunner else self.told
        return shown_as(made, self.function, self.signature, owner, told)

    @property
    def told(self) -> str:
        """The text that `help` shows."""
        return inspect.getdoc(self.function) or ""

    @property
    def signature(self) -> inspect.Signature:
        """The signature that it is called with, `self` first."""
        signature = inspect.signature(self.function)
        return signature.replace(return_annotation=get_args(signature.return_annotation)[-1])

    def flow(self, client: Face, *args: P.args, **kwargs: P.kwargs) -> Flow[T]:
        """The steps of one call, for the `client` to take, or a part of another's."""
        declared = inspect.signature(self.function)
        given = by_field(self.__name__, kwargs, declared.parameters)
        bound = bound_to(declared, self.__name__, (client, *args), given)
        return cast("Flow[T]", self.function(*bound.args, **bound.kwargs))


class RouteVerb(Verb[P, T]):
    """One request to one route."""

    def __init__(
        self,
        function: Callable[..., object],
        method: Method,
        path: str,
        *,
        model: type[BaseModel] | None,
        repeat: Repeat,
        told: frozenset[int],
    ) -> None:
        super().__init__(function)
        self.method, self.path = method, path
        self._model, self._repeat, self._told = model, repeat, told
        self._signature = inspect.signature(function)
        self._in_path = frozenset(re.findall(r"{(\w+)}", path))
        kinds = {name: parameter.kind for name, parameter in self._signature.parameters.items()}
        self._in_query = frozenset(
            name for name, kind in kinds.items() if method in _QUERIED or kind is inspect.Parameter.KEYWORD_ONLY
        )

    @property
    def signature(self) -> inspect.Signature:
        """As it is declared; the body may be left out for its fields."""
        if self._model is None:
            return self._signature
        *before, body = self._signature.parameters.values()
        optional = body.replace(annotation=body.annotation | None, default=None)
        return self._signature.replace(parameters=[*before, optional, *fields_of(self._model, self._in_path)])

    @property
    def parameters(self) -> frozenset[str]:
        """The names of what it takes."""
        return frozenset(self._signature.parameters) - {"self"}

    @cached_property
    def _result(self) -> TypeAdapter[T]:
        return TypeAdapter(self._signature.return_annotation)

    def flow(self, client: Face, *args: P.args, **kwargs: P.kwargs) -> Flow[T]:
        """Its one request, repeated where need be."""
        return client._caller.ask(self.call(*args, **kwargs))  # noqa: SLF001 - of the client's own class

    def call(self, *args: P.args, **kwargs: P.kwargs) -> Call[T]:
        """The request for these arguments. Raises InvalidInput for fields that make no model."""
        given = self._bound(args, kwargs)
        see_ids(self._signature, given)
        repeat = self._repeat if isinstance(self._repeat, bool) else self._repeat(given)
        ids = {name: str(given.pop(name)) for name in self._in_path}
        bodies = (value for name, value in given.items() if name not in self._in_query and isinstance(value, BaseModel))
        body = next(bodies, None)
        query, rest = {}, {}
        for name, value in given.items():
            if name in self._in_query:
                query[name] = cast("Parameter", value)
            elif value is not body:
                rest[name] = cast("Parameter", value)
        return Call(
            method=self.method,
            path=path_of(self.path, ids),
            result=self._result,
            query=query,
            body=rest or None if body is None else identified(body),
            repeat=repeat,
            told=self._told,
        )

    def _bound(self, args: tuple[object, ...], kwargs: dict[str, object]) -> dict[str, object]:
        """Each parameter's argument; of the fields of a model that model."""
        own = self._signature.parameters
        given = by_field(self.__name__, kwargs, {*own, *(self._model.model_fields if self._model else ())})
        if self._model is not None:
            _, *before, whole = own
            fields = {name: given.pop(name) for name in list(given) if name not in own}
            body = body_among(args, self.__name__, before, self._model) or given.pop(whole, None)
            if fields and body is not None:
                raise TypeError(f"{self.__name__}() takes either a {self._model.__name__} or fields of one")
            args, given[whole] = args[: len(before)], made(self._model, fields if body is None else body)
        bound = bound_to(self._signature, self.__name__, (None, *args), given)
        bound.apply_defaults()
        return {name: value for name, value in bound.arguments.items() if name != "self"}


class BodyVerb(RouteVerb[P, T], Generic[P, FieldsP, T]):
    """One request with a body, which is given as a model or by its fields."""

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: AsyncRunner, owner: type) -> TakesEither[P, FieldsP, Coroutine[object, None, T]]: ...
    @overload
    def __get__(self, client: SyncRunner, owner: type) -> TakesEither[P, FieldsP, T]: ...
    def __get__(self, client: Face | None, owner: type) -> object:
        return self._of(client, owner)


class PlainVerb(BodyVerb[P, FieldsP, T], Generic[P, FieldsP, PlainP, T]):
    """One request with a body, which is given in plain words as well: a text, and for whom."""

    plain: Callable[..., BaseModel]

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(
        self, client: AsyncRunner, owner: type
    ) -> TakesPlain[P, FieldsP, PlainP, Coroutine[object, None, T]]: ...
    @overload
    def __get__(self, client: SyncRunner, owner: type) -> TakesPlain[P, FieldsP, PlainP, T]: ...
    def __get__(self, client: Face | None, owner: type) -> object:
        return self._of(client, owner)

    @property
    def signature(self) -> inspect.Signature:
        """The plain one."""
        plain = inspect.signature(self.plain)
        own = self._signature.parameters["self"]
        return self._signature.replace(parameters=[own, *plain.parameters.values()])

    @property
    def told(self) -> str:
        """The same, and each plain argument."""
        return f"{super().told}\n\n{arguments_of(self.plain)}"

    def _bound(self, args: tuple[object, ...], kwargs: dict[str, object]) -> dict[str, object]:
        if self._is_plain(args, kwargs):
            said = bound_to(inspect.signature(self.plain), self.__name__, args, kwargs)
            args, kwargs = (self.plain(*said.args, **said.kwargs),), {}
        return super()._bound(args, kwargs)

    def _is_plain(self, args: tuple[object, ...], kwargs: dict[str, object]) -> bool:
        """True where a call is in plain words: with no model, and no field that these do not have."""
        if args or not kwargs:
            return not args or not isinstance(args[0], BaseModel | Mapping)
        words, fields = inspect.signature(self.plain).parameters, self._model.model_fields if self._model else {}
        text = next(iter(words))
        is_of_fields = any(name in fields and name not in words for name in kwargs)
        return (text in kwargs and text not in fields) or ("user" in kwargs and not is_of_fields)


@overload
def route(
    method: Method, path: str, *, repeat: Repeat = True, told: frozenset[int] = frozenset()
) -> Callable[[Callable[Concatenate[ClientT, P], T]], RouteVerb[P, T]]: ...
@overload
def route(
    method: Method, path: str, *, body: Callable[FieldsP, BodyT], repeat: Repeat = True
) -> Callable[[Callable[Concatenate[ClientT, P], T]], BodyVerb[P, FieldsP, T]]: ...
@overload
def route(
    method: Method, path: str, *, body: Callable[FieldsP, BodyT], plain: Callable[PlainP, BodyT]
) -> Callable[[Callable[Concatenate[ClientT, P], T]], PlainVerb[P, FieldsP, PlainP, T]]: ...
@overload
def route(
    method: Method, path: str, *, after_id: Callable[FieldsP, BodyT], repeat: Repeat = True
) -> Callable[[Callable[Concatenate[ClientT, P], T]], BodyVerb[P, Concatenate[str, FieldsP], T]]: ...
def route(
    method: Method,
    path: str,
    *,
    body: object = None,
    plain: Callable[..., BaseModel] | None = None,
    after_id: object = None,
    repeat: Repeat = True,
    told: frozenset[int] = frozenset(),
) -> Callable[[Callable[..., object]], object]:
    """Decorates a signature, which has no code of its own.

    `body`: the model that is all of its arguments; `after_id`: the one that follows the id in the path. Either may be
    given by its fields instead, and the first by the arguments of `plain`, which makes it. `repeat`: whether a request
    may be sent again that has perhaps arrived, or what tells it from the arguments. `told`: statuses besides 2xx that
    carry a result.
    """
    model = cast("type[BaseModel] | None", body or after_id)

    def declared(function: Callable[..., object]) -> object:
        kind: type[RouteVerb[..., object]] = RouteVerb if model is None else BodyVerb if plain is None else PlainVerb
        verb = kind(function, method, path, model=model, repeat=repeat, told=told)
        if isinstance(verb, PlainVerb) and plain is not None:
            verb.plain = plain
        return verb

    return declared


def composed(function: Callable[Concatenate[ClientT, P], Flow[T]]) -> Verb[P, T]:
    """Decorates a generator that takes the steps of other verbs, by `yield from` their `flow`."""
    return Verb(function)


def identified(body: BodyT) -> BodyT:
    """`body` with an id for whatever should have one and has none: by it, a repeat is known as one."""
    if isinstance(body, StoreRequest):
        return body.model_copy(update={"messages": tuple(map(identified, body.messages))})
    if isinstance(body, ItemsIn):
        return body.model_copy(update={"items": tuple(map(identified, body.items))})
    if getattr(body, "id", "") is not None:
        return body
    prefix = getattr(body, "id_prefix", None)
    return body.model_copy(update={"id": uuid4().hex if prefix is None else f"{prefix}{uuid4()}"})
