"""Values that a careless or hostile client may send, as texts and as Hypothesis strategies made from JSON schemas.

Each strategy is made once: to make and check one takes far longer than to draw from it."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import Final, TypeAlias, cast

from hypothesis import strategies as st

from ragpp.names import says_nothing
from tests.support.operations import Operation, Schema, resolved

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
Known: TypeAlias = Mapping[str, Sequence[str]]
"""Values that exist, by the name of the field or parameter that takes them."""

METACHARACTERS: Final = (
    "'; DROP TABLE episodic.interactions; --",
    "x' OR '1'='1",
    "$1 $scope ${jndi:x} {{7*7}} %s %(a)s",
    "MATCH (n) DETACH DELETE n //",
    "`}) RETURN 1 UNION MATCH (m) RETURN m",
    "{tag}:*?[x]",
    "*3\r\n$3\r\nSET\r\n$1\r\na\r\n",
    "a\nb\r\nc\td\x0b\x0c\x1c\x85\u2028e",
    "\\u0000 \\x00 %00 %2F %C3%28",
    "../../etc/passwd",
    "a/b//c/versions",
    "?user_id=other&x#y",
    "..",
    " leading and trailing ",
    "\u202eright-to-left\u202c\u200d\ufeff",
    "🜁" * 25,
    "e\u0301 é İ ß ﬁ ﷺ ",
    "\x01\x1b[31m\x7f\x9f",
    "\uffff\ufdd0",
    '"quoted" \\backslash\\ <tag> & </script>',
    "null",
    "default",
)
"""Texts that may be stored, and must come back as they are, wherever a text may be."""

SECRETS: Final = (
    "my password is hunter2secret!9, keep it",
    "token AKIA" + "Q3EGVFRMTUVA5N7X" + " in the middle",
    "postgres://user:pa55w0rd@db.example:5432/x",
    "card 4111 1111 1111 1111",
)
"""Texts that may be stored only without what is secret in them."""

CONTROLS: Final = ("\x01", "\n", "\x1f", "\x7f", "\x85", "\x9f", "\u2028", "\u2029")
"""Some of each kind that no new id may hold: C0, DEL, C1, and what parts lines and paragraphs."""

UNSTORABLE: Final = ("", "\x00", "a\x00b", "\ud800", "a\udfffb", "\udc00\ud800")
"""Texts that no store can hold, or that say nothing."""

MOMENTS: Final = (
    "1900-01-01T00:00:00Z",
    "1900-01-01T00:00:00.000001+00:00",
    "1969-12-31T23:59:59.999999Z",
    "2024-02-29T12:00:00+14:00",
    "2024-05-01T10:00:00.123456-05:30",
)
"""Moments that are accepted, though they are unusual."""

REFUSED_MOMENTS: Final = (
    "0001-01-01T00:00:00+05:00",
    "0001-01-01T00:00:00Z",
    "1899-12-31T23:59:59.999999Z",
    "1900-01-01T00:30:00+05:00",
    "1.714e9",
    "1714000000",
    "9999-12-31T23:59:59-01:00",
    "2024-05-01",
    "2024-13-01T10:00:00Z",
    "yesterday",
    "10000-01-01T00:00:00Z",
)
"""Before the year 1900 or after 9999 in UTC, a number, a day, or no moment at all."""

_NUMBERS: Final = (-1, 0, 1, 2**31, 2**53 + 1, 2**63, 2**64, 10**30, -(2**63) - 1, 0.5, -0.0, 1e-320, 1.5e308)
_NOT_NUMBERS: Final = (float("nan"), float("inf"), float("-inf"))


@cache
def texts(longest: int = 100) -> st.SearchStrategy[str]:
    """Texts of 1 to `longest` characters that may be stored: something in each shows."""
    plain = st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00\x1e"), min_size=1, max_size=longest
    )
    fitting = [text for text in (*METACHARACTERS, *SECRETS) if len(text) <= longest]
    telling = plain.filter(lambda text: not says_nothing(text))
    return st.sampled_from(fitting) | telling if fitting else telling


@cache
def moments() -> st.SearchStrategy[str]:
    """ISO 8601 with an offset, from the year 1900 to now."""
    offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
    usual = st.datetimes(datetime(1900, 1, 2), datetime(2026, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds are naive
    shifted = st.builds(lambda moment, offset: moment.astimezone(offset).isoformat(), usual, offsets)
    return st.sampled_from(MOMENTS) | shifted


@cache
def json_values() -> st.SearchStrategy[Json]:
    """Any JSON that may be stored, numbers at the edges included."""
    finite = st.floats(allow_nan=False, allow_infinity=False)
    leaves = st.none() | st.booleans() | st.integers() | st.sampled_from(_NUMBERS) | finite | texts(40)
    return cast(
        "st.SearchStrategy[Json]",
        st.recursive(
            leaves,
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(20), inner, max_size=3),
            max_leaves=6,
        ),
    )


@cache
def wrong_values() -> st.SearchStrategy[Json]:
    """Values that are out of place nearly everywhere."""
    return cast(
        "st.SearchStrategy[Json]",
        st.sampled_from([None, True, [], {}, [[[[]]]], *_NUMBERS, *_NOT_NUMBERS, *UNSTORABLE, *REFUSED_MOMENTS])
        | st.sampled_from([300, 5_000]).map(lambda size: "x" * size)
        | json_values(),
    )


class Values:
    """Strategies for one request. `known`: values that exist; `aimed`: they are used wherever there are any."""

    def __init__(self, known: Known, *, aimed: bool) -> None:
        self._known, self._aimed = known, aimed
        self._made: dict[tuple[int, str], st.SearchStrategy[Json]] = {}

    def of(self, schema: Schema, name: str = "") -> st.SearchStrategy[Json]:
        """Values that `schema` allows, nearly always; `name`: of the field or parameter that takes them."""
        key = id(schema), name  # the schemas of the description live as long as the process
        if key not in self._made:
            self._made[key] = self._of(resolved(schema), name)
        return self._made[key]

    def _of(self, schema: Schema, name: str) -> st.SearchStrategy[Json]:
        existing = st.sampled_from(list(self._known[name])) if self._known.get(name) else None
        if existing is not None and self._aimed:
            return existing
        made = self._by_type(schema)
        return made if existing is None else existing | made

    def _by_type(self, schema: Schema) -> st.SearchStrategy[Json]:
        if "anyOf" in schema:
            return st.one_of([self.of(option) for option in cast("list[Schema]", schema["anyOf"])])
        if "enum" in schema:
            return st.sampled_from(cast("list[Json]", schema["enum"]))
        if "properties" in schema:
            return cast("st.SearchStrategy[Json]", self.objects(schema))
        makers: dict[str, Callable[[Schema], object]] = {
            "string": _strings,
            "integer": _integers,
            "number": _floats,
            "boolean": lambda _: st.booleans(),
            "null": lambda _: st.none(),
            "array": self._arrays,
        }
        kind = schema.get("type")
        make = makers.get(str(kind), _maps)
        return cast("st.SearchStrategy[Json]", make(schema))

    def _arrays(self, schema: Schema) -> st.SearchStrategy[list[Json]]:
        least = cast("int", schema.get("minItems", 0))
        return st.lists(self.of(cast("Schema", schema["items"])), min_size=least, max_size=3)

    def objects(self, schema: Schema, *, hostile: bool = False) -> st.SearchStrategy[dict[str, Json]]:
        """Objects of `schema`. `hostile`: a field is out of place, left out, or unknown."""
        properties = cast("dict[str, Schema]", schema["properties"])
        required = set(cast("list[str]", schema.get("required", [])))
        victims = st.sampled_from([*sorted(properties), "unknown field"])

        @st.composite
        def make(draw: st.DrawFn) -> dict[str, Json]:
            chosen = {name for name in properties if name in required or draw(st.booleans())}
            made = {name: draw(self.of(properties[name], name)) for name in sorted(chosen)}
            if hostile:
                victim = draw(victims)
                made[victim] = draw(wrong_values())
                if draw(st.integers(0, 9)) == 0:
                    del made[victim]
            return made

        return make()


def _maps(_schema: Schema) -> st.SearchStrategy[dict[str, Json]]:
    return st.dictionaries(texts(20), json_values(), max_size=3)


def _strings(schema: Schema) -> st.SearchStrategy[str]:
    longest = min(cast("int", schema.get("maxLength", 100)), 100)
    return moments() if schema.get("format") == "date-time" else texts(longest)


def _integers(schema: Schema) -> st.SearchStrategy[int]:
    low, high = int(cast("float", schema.get("minimum", -9))), int(cast("float", schema.get("maximum", 2**31)))
    return st.integers(low, high) | st.sampled_from([low, high])


def _floats(schema: Schema) -> st.SearchStrategy[float]:
    return st.floats(cast("float", schema.get("minimum", -1)), cast("float", schema.get("maximum", 1)))


def requests(operation: Operation, known: Known) -> st.SearchStrategy[tuple[str, Json]]:
    """(address, body) of requests for `operation`; the body is None where it takes none.

    Some are good, and about what exists; some are good, about anything; in some, one thing or another is wrong.
    """
    aims = st.sampled_from(["aimed", "aimed", "anywhere", "wrong", "wrong"])
    unstorable = st.sampled_from(UNSTORABLE[1:])
    values = {aimed: Values(known, aimed=aimed) for aimed in (True, False)}
    bodies = {
        aim: values[aim == "aimed"].objects(operation.body, hostile=aim == "wrong")
        for aim in ("aimed", "anywhere", "wrong")
        if operation.body is not None
    }

    @st.composite
    def make(draw: st.DrawFn) -> tuple[str, Json]:
        aim = draw(aims)
        wrong = aim == "wrong"
        path: dict[str, str] = {}
        query: dict[str, object] = {}
        for parameter in operation.parameters:
            usual = values[aim == "aimed"].of(parameter.schema, parameter.name)
            if parameter.place == "path":
                spoilt = wrong and draw(st.integers(0, 4)) == 0
                path[parameter.name] = draw(unstorable) if spoilt else str(draw(usual))
            elif parameter.required or draw(st.integers(0, 3)) == 0:
                query[parameter.name] = draw(wrong_values() if wrong and draw(st.booleans()) else usual)
        return operation.url(path, query), draw(bodies[aim]) if bodies else None

    return make()


def as_json(value: Json) -> bytes:
    """`value` as a careless client writes it: NaN and Infinity as such, lone surrogates as escapes."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()
