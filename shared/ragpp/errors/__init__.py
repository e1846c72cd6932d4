"""Every error that RAG++ raises on purpose. Over 300 lines and one file all the same: a table more than code.

MemorySystemError
├── EmbeddingError      004   a text could not be turned into a vector; retryable
├── ExtractionError     005   nothing could be taken from a text
├── ConsolidationError  006   a page could not be made; the previous one is kept
├── RetrievalError      007   a search of the catalog failed
├── VectorIndexError    008   the catalog's index is not whole
├── StorageError        009   a store refused a statement
├── TierUnavailable     010   a tier did not answer; retryable
├── Conflict            011   an id is known with other content, or a version has moved on
│   └── CategoryExistsError 003  a category of that name is there
├── NotFound            012   nothing of that id in this scope
│   ├── ResourceNotFoundError 001  no resource of that id
│   └── CategoryNotFoundError 002  no category of that name
├── EmbeddingMismatch   013   a store holds vectors of another model
├── MigrationError      014   the schema cannot be brought up to date
├── ConfigurationError  015   a setting is missing or contradicts another
├── LedgerError         016   an event cannot be taken or finished
├── Outdated            017   something was forgotten since what a write rests on was read; retryable
├── InvalidInput        020   a value is outside what is accepted; also a ValueError
│   ├── SecretInId      039   an id holds a secret
│   ├── PersonalDataRefused 056  a text has personal data, which the policy refuses
│   └── TextTooLong     026   a text is over its limit
├── Unauthenticated     021   no key, or a wrong one
├── Forbidden           022   the key lacks the scope
├── PayloadTooLarge     023   the body exceeds the limit
├── MalformedBody       024   the body is not UTF-8 or not JSON
├── UnsupportedMediaType 025  the body is declared as something other than JSON
├── RateLimited         046   the key asked too often; retryable
├── TooMuchAtOnce       047   one request has more in it than is taken at once
├── TooManyAtOnce       048   the key has too many requests under way; retryable
├── BodyTooSlow         049   the body has not come in time; retryable
├── StackError          030   an embedded server cannot be installed, started or stopped
├── GatewayUnreachable  031   the client had no answer
├── ClientClosed        027   the client was called after its end; also a RuntimeError
├── NotRunning, BadLines, WrongUsage 032, 033, 034   of the command line (ragpp_infra.cli)
├── BackupFailed, BadBackup, RestoreRefused 052, 053, 054   of backups (ragpp_infra.backup)
├── ResponderFailed, ReplayDiverged 050, 051   of the governor (ragpp_services.governor)
└── LanguageModelError  040   a language model did not give what was asked of it
    ├── ModelUnavailable 041  it did not answer in time, or its server failed; retryable
    ├── ModelRateLimited 042  it wants to be asked later; retryable
    ├── MalformedReply  043   its answer is not of the form that was asked for, or was cut off
    ├── BudgetSpent     044   the tenant's tokens of today are spent
    └── ModelRefused    045   the endpoint refuses the request, or the model declines to answer
"""

from collections.abc import Callable, Sequence
from typing import ClassVar, Self


class _Advice:
    """The suggestions as document 002 calls them: of an error its own, of a class those of all of its errors."""

    def __get__(self, error: "MemorySystemError | None", kind: type["MemorySystemError"]) -> list[str]:
        return list(kind.default_suggestions if error is None else error.suggestions)


class MemorySystemError(Exception):
    """Root of every error raised on purpose; what is not below it is a bug. MEM-001 to 009 are the catalog's.

    `message` says what happened, in a sentence that may be shown to the caller.
    `suggestions` say what to do about it; without any, the class's own are used.
    `speaks_plainly`: every message of the class is made of our own words, numbers and settings alone; it may be stored
    and logged. What others said, such as an endpoint's answer, is in `details` then, or in the cause.
    `name`, `context`, `recovery_suggestions`: the class's name, `details` and `suggestions` as document 002 calls them.
    """

    by_code: ClassVar[dict[str, type["MemorySystemError"]]] = {}
    code: ClassVar[str] = "MEM-000"
    name: ClassVar[str] = "MemorySystemError"
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Internal error"
    retryable: ClassVar[bool] = False
    speaks_plainly: ClassVar[bool] = False
    default_suggestions: ClassVar[tuple[str, ...]] = ()
    recovery_suggestions = _Advice()
    of_something: ClassVar[bool] = False
    """True of a class whose errors are made of what they are about, and make their message of it."""

    def __init__(
        self, message: str, *, suggestions: tuple[str, ...] = (), details: dict[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.suggestions = suggestions or self.default_suggestions
        self.details: dict[str, object] = details or {}

    @classmethod
    def worded(
        cls, message: str, *, suggestions: tuple[str, ...] = (), details: dict[str, object] | None = None
    ) -> Self:
        """One whose message is known, such as that of an answer, whatever the class is made of."""
        if not cls.of_something:
            return cls(message, suggestions=suggestions, details=details)
        error = cls.__new__(cls)
        MemorySystemError.__init__(error, message, suggestions=suggestions, details=details)
        return error

    def __reduce__(self) -> "tuple[Callable[..., MemorySystemError], tuple[object, ...]]":
        """As a copy and a pickle make it, whatever the class is made of."""
        return _restored, (type(self), self.message, self.suggestions, self.details)

    @property
    def context(self) -> dict[str, object]:
        return self.details

    def advise(self) -> None:
        """Let the text, which a traceback ends with, end with the suggestions; `message` stays as it is."""
        self.args = ("\n  ".join((self.message, *self.suggestions)),)

    def __init_subclass__(
        cls,
        *,
        code: str,
        status: int,
        title: str,
        retryable: bool = False,
        speaks_plainly: bool = False,
        suggestions: tuple[str, ...] = (),
    ) -> None:
        if code in cls.by_code:
            raise TypeError(f"{code!r} already names {cls.by_code[code].__name__}")
        cls.code, cls.name, cls.status, cls.title = code, cls.__name__, status, title
        cls.retryable, cls.speaks_plainly, cls.default_suggestions = retryable, speaks_plainly, suggestions
        cls.by_code[code] = cls


def _restored(
    of: "type[MemorySystemError]", message: str, suggestions: tuple[str, ...], details: dict[str, object]
) -> "MemorySystemError":
    return of.worded(message, suggestions=suggestions, details=details)


class EmbeddingError(
    MemorySystemError,
    code="MEM-004",
    status=503,
    title="Embedding failed",
    retryable=True,
    speaks_plainly=True,
    suggestions=(
        "Check embedding service API key",
        "Verify network connectivity",
        "Retry with exponential backoff",
        "Check the embedder's settings and its endpoint or model files, then repeat the request.",
    ),
):
    """A text could not be turned into a vector."""


class ExtractionError(
    MemorySystemError,
    code="MEM-005",
    status=500,
    title="Extraction failed",
    speaks_plainly=True,
    suggestions=(
        "Check extraction model API key",
        "Try with smaller content",
        "Retry with simpler extraction prompt",
        "What was to be read is stored; its digestion is retried. See the event's error in the ledger.",
    ),
):
    """Entities, relationships or preferences could not be taken from a text."""


class ConsolidationError(
    MemorySystemError,
    code="MEM-006",
    status=503,
    title="Consolidation failed",
    retryable=True,
    speaks_plainly=True,
    suggestions=(
        "Previous category content is preserved",
        "Retry consolidation later",
        "Check consolidation model API key",
        "Check the model of LLM_CONSOLIDATION.",
    ),
):
    """A category's page could not be made; what it was it is."""


class RetrievalError(
    MemorySystemError,
    code="MEM-007",
    status=503,
    title="Retrieval failed",
    retryable=True,
    speaks_plainly=True,
    suggestions=(
        "Ask again with mode=rag, which needs no language model.",
        "Try with simpler query",
        "Check the index: GET /health/ready.",
    ),
):
    """The catalog could not be searched in the way that was asked for."""


class VectorIndexError(
    MemorySystemError,
    code="MEM-008",
    status=503,
    title="The catalog's index is not whole",
    speaks_plainly=True,
    suggestions=(
        "Rebuild index with rebuild_index()",
        "Make it anew by `ragpp catalog rebuild`, where no manager is at hand.",
        "Check what it is made of: GET /health/ready.",
    ),
):
    """An index and what is stored do not agree."""


class StorageError(
    MemorySystemError,
    code="MEM-009",
    status=500,
    title="Storage failed",
    speaks_plainly=True,
    suggestions=(
        "Check disk space",
        "Verify directory permissions",
        "Check the stack's folder, RAGPP_HOME, which takes the place of a storage_dir.",
        "Nothing was stored. Repeat the request with the same ids; see the store's log for the cause.",
    ),
):
    """A store refused a statement for a reason that repeating does not mend."""


class TierUnavailable(
    MemorySystemError,
    code="MEM-010",
    status=503,
    title="A memory tier is unavailable",
    retryable=True,
    speaks_plainly=True,
    suggestions=("Repeat the request with the same ids.", "See GET /health/ready for the tier that is down."),
):
    """A tier did not answer in time. A write may have happened: repeat it with the same ids."""


class Conflict(
    MemorySystemError,
    code="MEM-011",
    status=409,
    title="Conflict",
    suggestions=("Use a new id for new content: what is stored is never overwritten.",),
):
    """An id is known with other content, or what was to be changed has changed since it was read."""


class NotFound(
    MemorySystemError,
    code="MEM-012",
    status=404,
    title="Not found",
    suggestions=("Check the id and the user; list what exists with the collection's GET route.",),
):
    """Nothing of that id in this scope: it never was, was forgotten, or belongs to another."""


class ResourceNotFoundError(
    NotFound,
    code="MEM-001",
    status=404,
    title="Resource not found",
    suggestions=(
        "Verify the resource ID is correct",
        "Use list_by_type() to see available resources",
        "List what exists: GET /v1/resources?resource_type=….",
    ),
):
    """No resource of that id in this scope."""

    of_something = True

    def __init__(self, resource_id: str, *, message: str = "") -> None:
        super().__init__(message or f"Resource '{resource_id}' not found", details={"resource_id": resource_id})

    @property
    def resource_id(self) -> str:
        """The id of which there is none."""
        return str(self.details.get("resource_id", ""))


class CategoryNotFoundError(
    NotFound,
    code="MEM-002",
    status=404,
    title="Category not found",
    suggestions=("Create the category with create_category()", "Create one: POST /v1/categories."),
):
    """No category of that name in this scope; `details["available"]` are those that exist."""

    of_something = True

    def __init__(
        self,
        category_name: str,
        available: Sequence[str] | None = None,
        *,
        message: str = "",
        suggestions: tuple[str, ...] = (),
    ) -> None:
        known = None if available is None else list(available)
        first, *others = suggestions or self.default_suggestions
        there = (f"Available categories: {', '.join(known)}",) if known else ()
        super().__init__(
            message or f"Category '{category_name}' not found",
            suggestions=(first, *there, *others),
            details={"category_name": category_name, "available": known},
        )

    @property
    def category_name(self) -> str:
        """The name that there is none of."""
        return str(self.details.get("category_name", ""))


class CategoryExistsError(
    Conflict,
    code="MEM-003",
    status=409,
    title="Category exists",
    suggestions=(
        "Use a different name",
        "Use get_by_name() to access existing category",
        "Read the one that exists: GET /v1/categories/{name}.",
    ),
):
    """A category of that name is there."""

    of_something = True

    def __init__(self, category_name: str) -> None:
        super().__init__(f"Category '{category_name}' already exists", details={"category_name": category_name})

    @property
    def category_name(self) -> str:
        """The name that is taken."""
        return str(self.details.get("category_name", ""))


class EmbeddingMismatch(
    MemorySystemError,
    code="MEM-013",
    status=503,
    title="The store holds vectors of another embedding model",
    speaks_plainly=True,
    suggestions=("Configure the embedding model that the store was filled with, or start with an empty store.",),
):
    """Model or dimension recorded in a store differ from the configured embedder's."""


class MigrationError(
    MemorySystemError,
    code="MEM-014",
    status=503,
    title="The schema cannot be migrated",
    suggestions=("Use the version of RAG++ that wrote this database, or a newer one; migrations only go forward.",),
):
    """A migration failed, was changed after it was applied, or the database is newer than the code."""


class ConfigurationError(
    MemorySystemError,
    code="MEM-015",
    status=500,
    title="Configuration error",
    speaks_plainly=True,
    suggestions=("Check the settings named in the message against .env.example.",),
):
    """A setting is missing, malformed or contradicts another."""


class LedgerError(
    MemorySystemError,
    code="MEM-016",
    status=500,
    title="Ledger error",
    speaks_plainly=True,
    suggestions=("The event stays in the ledger and is handed out again when its lease ends.",),
):
    """An event could not be taken, renewed or finished: its lease was lost or its state forbids the step."""


class Outdated(
    MemorySystemError,
    code="MEM-017",
    status=409,
    title="Something was forgotten meanwhile",
    retryable=True,
    suggestions=("Read again what the write was derived from, and derive it anew.",),
):
    """A derived write carries an epoch that is not the store's: something of the user was forgotten since its inputs
    were read. Nothing was written."""


class InvalidInput(
    MemorySystemError,
    ValueError,
    code="MEM-020",
    status=422,
    title="Invalid input",
    suggestions=("Correct what is named here, and send it again.",),
):
    """A value is outside what is accepted."""

    @classmethod
    def of_field(cls, field: str, reason: str, *suggestions: str) -> "InvalidInput":
        """The error of one `field`, named by its place in the request; `reason` follows its name in the message."""
        details: dict[str, object] = {"errors": [{"field": field, "reason": reason}]}
        return InvalidInput(f"{field} {reason}", suggestions=suggestions, details=details)


class SecretInId(
    InvalidInput,
    code="MEM-039",
    status=422,
    title="An id holds a secret",
    suggestions=(
        "Use another id: ids are stored and logged as they are. Nothing of the request was stored.",
        "Take the secret for known to whoever reads logs on the way, and change it.",
    ),
):
    """An id of a user, session, agent, interaction or the like holds what a secret is known by."""


class PersonalDataRefused(
    InvalidInput,
    code="MEM-056",
    status=422,
    title="Personal data is refused",
    suggestions=(
        "Send it without the personal data. Nothing of the request was stored.",
        "To have it masked or kept instead, change the policy for personal data.",
    ),
):
    """A text has personal data, and the policy of the tenant or the user refuses it. `kinds` names what was found, and
    nothing repeats it."""

    @classmethod
    def of(cls, kinds: Sequence[str], field: str | None = None) -> Self:
        """With the `kinds` in their order, and the `field` that has the text, where it is known."""
        reason = f"has personal data ({', '.join(kinds)}), which is refused here"
        details: dict[str, object] = {"kinds": list(kinds)}
        if field is None:
            return cls(f"the text {reason}", details=details)
        return cls(f"{field}: {reason}", details={**details, "errors": [{"field": field, "reason": reason}]})

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of personal data that the text has."""
        kinds = self.details.get("kinds")
        return tuple(map(str, kinds)) if isinstance(kinds, list) else ()

    def in_field(self, field: str) -> Self:
        """The same of a text that stands in `field`, such as `messages.0.content`."""
        return self.of(self.kinds, field)


class TextTooLong(
    InvalidInput,
    code="MEM-026",
    status=422,
    title="A text is too long",
    suggestions=("Split it, and send the parts one after the other; of a long question the end is what matters.",),
):
    """A text has more characters than its field takes: a message 100,000, a question 20,000. Nothing was sent."""

    @property
    def most(self) -> int | None:
        """How many characters the first such field takes; None where that is not told."""
        most = self.details.get("most")
        return most if isinstance(most, int) else None


class Unauthenticated(
    MemorySystemError,
    code="MEM-021",
    status=401,
    title="A valid API key is required",
    suggestions=(
        "Send the key as `Authorization: Bearer <key>`; `ragpp status` names the file that has the embedded stack's.",
        "Have one made: `ragpp key create`, for containers `docker compose run --rm -T keys create`; the embedded "
        "stack's own, where that was revoked: `ragpp up`.",
    ),
):
    """No key was sent, or it is unknown, revoked or expired."""


class Forbidden(
    MemorySystemError,
    code="MEM-022",
    status=403,
    title="The key does not allow this",
    suggestions=("Use a key with the scope that the message names, or one that is bound to nobody else.",),
):
    """The key is valid but lacks the scope, or is bound to another user or agent."""


class PayloadTooLarge(
    MemorySystemError,
    code="MEM-023",
    status=413,
    title="The request body is too large",
    suggestions=("Send fewer or shorter messages per request.",),
):
    """The body exceeds the configured limit."""


class MalformedBody(
    MemorySystemError,
    code="MEM-024",
    status=400,
    title="The request body cannot be read",
    suggestions=("Send UTF-8 encoded JSON with `Content-Type: application/json`.",),
):
    """The body is not valid UTF-8 or not valid JSON."""


class UnsupportedMediaType(
    MemorySystemError,
    code="MEM-025",
    status=415,
    title="The request body is of another type",
    suggestions=("Send JSON with `Content-Type: application/json`.",),
):
    """The body's declared type is not JSON."""


class _AskedAgainLater:
    """The part of an error that tells when to ask again."""

    details: dict[str, object]

    @property
    def retry_after(self) -> float | None:
        """In how many seconds to ask again; None where it does not say."""
        seconds = self.details.get("retry_after_s")
        return float(seconds) if isinstance(seconds, int | float) else None


class RateLimited(
    _AskedAgainLater,
    MemorySystemError,
    code="MEM-046",
    status=429,
    title="Too many requests",
    retryable=True,
    speaks_plainly=True,
    suggestions=("Wait as many seconds as `Retry-After` says, and send the same again.",),
):
    """The key has asked more often than it may. Nothing was done; `retry_after` is when to ask again."""


class TooMuchAtOnce(
    MemorySystemError,
    code="MEM-047",
    status=413,
    title="Too much in one request",
    speaks_plainly=True,
    suggestions=("Send it in several requests, each below the limit that `details` name.",),
):
    """The request has more in it than is taken at once: messages, characters as docs/limits.md counts them, or values
    of metadata. Nothing was done. `details`: what there is too much of (`of`), how much may be (`most`), and how much
    there is (`found`)."""


class TooManyAtOnce(
    _AskedAgainLater,
    MemorySystemError,
    code="MEM-048",
    status=429,
    title="Too many requests at once",
    retryable=True,
    speaks_plainly=True,
    suggestions=("Wait for answers before sending more, or as many seconds as `Retry-After` says.",),
):
    """The key has as many requests under way as it may, or as much in their bodies, or all keys together have. Nothing
    was done; `retry_after` is when to ask again."""


class BodyTooSlow(
    MemorySystemError,
    code="MEM-049",
    status=408,
    title="The request body came too slowly",
    retryable=True,
    speaks_plainly=True,
    suggestions=(
        "Send all of the body at once, and the same again; over a slow line less of it at a time.",
        "Give bodies longer: GATEWAY_BODY_TIMEOUT_S.",
    ),
):
    """The body has not all come in the time that there is for it. Nothing was done, and the connection is closed."""


class StackError(
    MemorySystemError,
    code="MEM-030",
    status=500,
    title="The embedded stack failed",
    suggestions=("See `ragpp logs` for the server named in the message.",),
):
    """An embedded server could not be installed, started, reached or stopped."""


class GatewayUnreachable(
    MemorySystemError,
    code="MEM-031",
    status=503,
    title="The gateway cannot be reached",
    retryable=True,
    suggestions=("Start it with `ragpp up`, in containers `docker compose up --wait`, or check the address.",),
):
    """No answer came back. A write may have happened: repeat it with the same ids."""


class ClientClosed(
    MemorySystemError,
    RuntimeError,
    code="MEM-027",
    status=500,
    title="The client is closed",
    suggestions=("Make a new client, or call it within its `with`.",),
):
    """A client was called after it was closed. Nothing was sent."""


class LanguageModelError(
    MemorySystemError,
    code="MEM-040",
    status=503,
    title="The language model failed",
    suggestions=("Nothing is lost: what needs no model goes on without it. See the LLM_ settings.",),
):
    """A language model did not give what was asked of it. Whoever asks has another way, and takes it.

    `kind` names the failure in counts and job results. `tokens_used`: what the failed call cost, as far as known.
    `retry_after_s`: when the provider wants to be asked again, where it said so.
    """

    kind: ClassVar[str] = "failed"

    def __init__(
        self,
        message: str,
        *,
        tokens_used: int = 0,
        retry_after_s: float | None = None,
        suggestions: tuple[str, ...] = (),
        details: dict[str, object] | None = None,
    ) -> None:
        super().__init__(message, suggestions=suggestions, details=details)
        self.tokens_used = tokens_used
        self.retry_after_s = retry_after_s


class ModelUnavailable(
    LanguageModelError,
    code="MEM-041",
    status=503,
    title="The language model is unavailable",
    retryable=True,
    suggestions=("Check that the endpoint is up, and LLM_OPENAI_BASE_URL and LLM_TIMEOUT_S.",),
):
    """It cannot be reached, did not answer in time, or its server failed, each time it was tried."""

    kind = "unavailable"


class ModelRateLimited(
    LanguageModelError,
    code="MEM-042",
    status=503,
    title="The language model's rate limit is reached",
    retryable=True,
    suggestions=("Repeat it later, lower LLM_CONCURRENCY, or raise the account's limit.",),
):
    """The provider wants to be asked later, each time it was tried, or later than is worth waiting for."""

    kind = "rate_limited"


class MalformedReply(
    LanguageModelError,
    code="MEM-043",
    status=502,
    title="The language model's reply cannot be read",
    suggestions=("Use a model that can answer in JSON after a schema.",),
):
    """The answer is no JSON, not of the schema that was asked for, or was cut off."""

    kind = "malformed"


class BudgetSpent(
    LanguageModelError,
    code="MEM-044",
    status=429,
    title="Today's tokens are spent",
    speaks_plainly=True,
    suggestions=("Wait for the next day (UTC), or raise LLM_TOKENS_PER_DAY.",),
):
    """The tenant has spent what it may spend on language models today."""

    kind = "budget_spent"


class ModelRefused(
    LanguageModelError,
    code="MEM-045",
    status=502,
    title="The language model refused",
    suggestions=("Check the model's name, the key, and what the provider allows.",),
):
    """The endpoint does not accept the request (key, model, content), or the model declined. Repeating is no use."""

    kind = "refused"
