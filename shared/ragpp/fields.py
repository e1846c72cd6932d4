"""The types of fields: what a text, a moment, an id or metadata must be to be stored and read back the same."""

import json
import math
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from numbers import Number
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, Strict
from pydantic_core import PydanticCustomError

from ragpp.errors.reasons import SECRET_IN_ID
from ragpp.names import says_nothing
from ragpp.redaction import secret_in

T = TypeVar("T")
if TYPE_CHECKING:
    Listed: TypeAlias = Sequence[T]
else:

    class Listed:
        """Several of a kind: a tuple, made of whatever sequence is given; a checker lets a list be given, too."""

        def __class_getitem__(cls, kind: object) -> object:
            return tuple[kind, ...]


MAX_ID_CHARS = 256
MAX_ID_BYTES = 512
"""Bytes of a new id in UTF-8: an index of PostgreSQL holds 2,704 bytes a row, and some have four ids in a row."""
MAX_CONTENT_CHARS = 100_000
MAX_MESSAGES = 1_000
MAX_METADATA_CHARS = 16_384
MAX_METADATA_DEPTH = 64
MAX_DEADLINE_MS = 60_000
MAX_TOKEN_BUDGET = 200_000
"""Limits of a recall, whether a request or the operator names them."""
TokenizerName = Literal["o200k", "cl100k", "mistral", "bytes"]
"""The tokenizer of a model that reads a context. `o200k`: OpenAI's since GPT-4o. `cl100k`: GPT-4's and GPT-3.5's.
`mistral`: Tekken, of Mistral's models since NeMo. `bytes`: a bound for every other."""
RESERVED = "\x1e"
"""No id has it: what it parts cannot be taken for an id."""
LONE_SURROGATE: Final = "contains a lone surrogate, which is not valid Unicode text"
_PARTING: Final = "\x1f"
_DAY_CHARS: Final = len("2026-03-08")
EARLIEST_YEAR: Final = 1900
"""The year before which nobody said anything to a machine; a clock that was never set says year 1."""
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def joined(*ids: str) -> str:
    """`ids` as one text that no other ids make: U+001F parts them, and is escaped within one."""
    return _PARTING.join(one.replace(RESERVED, f"{RESERVED}0").replace(_PARTING, f"{RESERVED}1") for one in ids)


def storable(text: str) -> str:
    """`text` itself; ValueError when PostgreSQL or UTF-8 cannot hold it (NUL, lone surrogates)."""
    if "\x00" in text:
        raise ValueError("contains a NUL character (U+0000), which cannot be stored")
    if has_surrogates(text):
        raise ValueError(LONE_SURROGATE)
    return text


def has_surrogates(text: str) -> bool:
    """True where `text` has lone surrogates."""
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


def folded(text: str) -> str:
    """`text` with one space for each white space in it, and none around it."""
    return " ".join(text.split())


def telling(text: str) -> str:
    """`text` itself; ValueError when nothing in it shows."""
    if text and says_nothing(text):
        raise ValueError("is blank: nothing in it shows")
    return text


def identifying(text: str) -> str:
    """`text` itself; ValueError when it cannot be stored, or has the RESERVED character."""
    if RESERVED in text:
        raise ValueError("contains a record separator (U+001E), which no id has")
    return storable(text)


def brief(text: str) -> str:
    """`text` itself; ValueError when it is over MAX_ID_BYTES."""
    if len(text.encode()) > MAX_ID_BYTES:
        raise ValueError(f"is over {MAX_ID_BYTES} bytes in UTF-8")
    return text


def uncontrolled(text: str) -> str:
    """`text` itself; ValueError when it holds a control character (C0, DEL, C1) or a separator of lines or paragraphs:
    in an id nobody sees it."""
    found = _CONTROLS.search(text)
    if found:
        raise ValueError(f"contains a control character (U+{ord(found[0]):04X}), which an id must not")
    return text


def innocuous(text: str) -> str:
    """`text` itself; refused when it holds a secret: ids go into every store, log and journal as they are, and nobody
    can take a secret out of them again. Personal data is no secret."""
    kind = secret_in(text)
    if kind is not None:
        raise PydanticCustomError(SECRET_IN_ID, "holds a secret ({kind}), which an id must not", {"kind": kind})
    return text


def storable_json(value: JsonValue) -> JsonValue:
    """`value` itself; ValueError when any text or number in it cannot be stored and read back the same, or when it is
    nested over MAX_METADATA_DEPTH levels deep: every parser on the way has a depth at which it gives up."""
    _see_storable(value, MAX_METADATA_DEPTH)
    return value


def _see_storable(value: JsonValue, levels: int) -> None:
    if levels == 0 and isinstance(value, list | dict):
        raise ValueError(f"is nested over {MAX_METADATA_DEPTH} levels deep")
    if isinstance(value, str):
        storable(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("contains a number that is not finite")
    elif isinstance(value, list):
        for item in value:
            _see_storable(item, levels - 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            storable(key)
            _see_storable(item, levels - 1)


def storable_metadata(metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """`metadata` itself; ValueError when it cannot be stored, or is over MAX_METADATA_CHARS as JSON."""
    if metadata:
        storable_json(metadata)
        if len(json.dumps(metadata, ensure_ascii=False)) > MAX_METADATA_CHARS:
            raise ValueError(f"is over {MAX_METADATA_CHARS:,} characters as JSON")
    return metadata


def utc(moment: datetime) -> datetime:
    """`moment` in UTC, which it is of where it names no zone; ValueError where UTC has no such year."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("is outside the years 1 to 9999 in UTC") from error


def no_number(moment: object) -> object:
    """`moment` itself; ValueError for a number, or a text of one in any notation: seconds and milliseconds since 1970
    look alike."""
    if isinstance(moment, Number) or (isinstance(moment, str | bytes) and _reads_as_number(moment)):
        raise ValueError("is a number: send the date and time with its UTC offset, such as 2026-03-08T13:56:00Z")
    return moment


def _reads_as_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def no_day(moment: object) -> object:
    """`moment` itself; ValueError for what `no_number` refuses, and for a day: it is of no zone, and no moment."""
    if isinstance(moment, datetime):
        return moment
    if isinstance(moment, str | bytes):
        if _reads_as_number(moment):
            return no_number(moment)
        if not moment[_DAY_CHARS:]:
            raise ValueError("is no date and time, such as 2026-03-08T13:56:00Z")
        return moment
    if isinstance(moment, date):
        raise ValueError("is a day: give a datetime")  # noqa: TRY004 - as pydantic wants it
    return no_number(moment)


def said_since_the_beginning(moment: datetime) -> datetime:
    """`moment` itself, with its own offset, or that of UTC; ValueError before EARLIEST_YEAR in UTC, or where UTC has no
    such year."""
    in_utc = after_the_beginning(utc(moment))
    return in_utc if moment.tzinfo is None else moment


def no_unset_clock(moment: datetime) -> datetime:
    """`moment` itself; ValueError for one of the year 1, which a clock says that was never set."""
    if moment.year == 1:
        raise ValueError("is of the year 1")
    return moment


def after_the_beginning(moment: datetime) -> datetime:
    """`moment`, in UTC; ValueError before EARLIEST_YEAR."""
    if moment.year < EARLIEST_YEAR:
        raise ValueError(f"is before the year {EARLIEST_YEAR}")
    return moment


def known_zone(name: str) -> str:
    """`name` itself; ValueError when it names no time zone (IANA)."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError("is not the name of a time zone, such as Europe/Lisbon or UTC") from error
    return name


Text = Annotated[str, AfterValidator(storable)]
Id = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS), AfterValidator(identifying)]
UserId = Annotated[str, Field(max_length=MAX_ID_CHARS), AfterValidator(identifying)]
"""The id of a user, or empty: what all users of a tenant share lives under no user's id, which no request can carry."""
NewId = Annotated[
    Id, AfterValidator(uncontrolled), AfterValidator(telling), AfterValidator(brief), AfterValidator(innocuous)
]
"""The id of what is to be stored; what is stored may have a longer one, or one that would be refused now."""
Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(storable)]
NewName = Annotated[Name, AfterValidator(telling)]
"""The name of somebody or something, as a caller gives it; what is stored may have one in which nothing shows."""
CalledName = Annotated[NewName, AfterValidator(folded)]
"""The same as a person gives it, whatever its white space."""
Label = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(storable)]
NewLabel = Annotated[Label, AfterValidator(telling)]
"""The label of what is to be stored; what is stored may have one in which nothing shows."""
Said = Annotated[Text, AfterValidator(telling)]
"""Text that is kept for what it says: something in it shows."""
Content = Annotated[
    str, Field(min_length=1, max_length=MAX_CONTENT_CHARS), AfterValidator(storable), AfterValidator(telling)
]
Moment = Annotated[datetime, BeforeValidator(no_day), AfterValidator(utc)]
"""A date and time, in UTC; one that names no zone is of UTC."""
GivenTime = Annotated[Moment, AfterValidator(after_the_beginning)]
"""A time as a caller gives it, of what is to be stored or to ask by; what is stored may be of any time."""
ValidTime = Annotated[Moment, AfterValidator(no_unset_clock)]
"""The same of when something began or ceased to be so, which may be long before anybody spoke of it."""
LocalSaidAt = Annotated[datetime, BeforeValidator(no_day), AfterValidator(said_since_the_beginning)]
"""The same of what was said, with the UTC offset that came with it: what day it was where it was said."""
GivenDay = Annotated[date, BeforeValidator(no_number), Field(ge=date(EARLIEST_YEAR, 1, 1), le=date(9998, 12, 31))]
"""A day as a caller gives it."""
Whole = Annotated[int, Strict()]
"""How much or how many, as a caller gives it in JSON: no truth value and no text, which read as numbers elsewhere."""
UtcOffset = Annotated[int, Field(ge=-1_439, le=1_439)]
"""In minutes, east of UTC positive."""
Metadata = Annotated[dict[str, JsonValue], AfterValidator(storable_metadata)]
# Redaction may lengthen what it touches: what is stored has more room than what is accepted.
StoredContent = Annotated[str, Field(min_length=1, max_length=16 * MAX_CONTENT_CHARS), AfterValidator(storable)]
StoredName = Annotated[str, Field(min_length=1, max_length=4_000), AfterValidator(storable)]
StoredStatement = Annotated[str, Field(min_length=1, max_length=16 * 16_000), AfterValidator(storable)]
StoredMetadata = Annotated[dict[str, JsonValue], AfterValidator(storable_json)]
Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
