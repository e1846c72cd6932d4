"""RFC 9457 problem documents: an error as JSON, and the error that such a document stands for."""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ragpp.errors import InvalidInput, MemorySystemError, SecretInId
from ragpp.errors.reasons import SECRET_IN_ID, reason, without_echoes

MEDIA_TYPE: Final = "application/problem+json"


class FieldProblem(BaseModel):
    """One field that was refused: a JSON pointer-like path, and why."""

    field: str
    reason: str


class Problem(BaseModel):
    """A problem document (RFC 9457) with our `code` and `recovery_suggestions`."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "about:blank",
                "title": "Invalid input",
                "status": 422,
                "detail": "messages.0.content: is empty",
                "code": "MEM-020",
                "recovery_suggestions": ["Correct what is named here, and send it again."],
                "errors": [{"field": "messages.0.content", "reason": "is empty"}],
            }
        }
    )

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    recovery_suggestions: list[str] = Field(default_factory=list)
    errors: list[FieldProblem] = Field(default_factory=list)
    details: dict[str, JsonValue] = Field(default_factory=dict)


def problem_of(error: MemorySystemError) -> Problem:
    """The document of one of our errors."""
    return Problem(
        title=error.title,
        status=error.status,
        detail=error.message,
        code=error.code,
        recovery_suggestions=list(error.suggestions),
        errors=[FieldProblem.model_validate(item) for item in _as_list(error.details.get("errors"))],
        details={key: _as_json(value) for key, value in error.details.items() if key != "errors"},
    )


def _as_list(value: object) -> list[object]:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []


def _as_json(value: object) -> JsonValue:
    if isinstance(value, list | tuple | set | frozenset):
        return [_as_json(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def error_of(problem: Problem) -> MemorySystemError:
    """The error that a service answered with, of the class that its code names."""
    kind = MemorySystemError.by_code.get(problem.code, MemorySystemError)
    details: dict[str, object] = dict(problem.details)
    if problem.errors:
        details["errors"] = [item.model_dump() for item in problem.errors]
    return kind.worded(problem.detail, suggestions=tuple(problem.recovery_suggestions), details=details)


def invalid_fields(errors: Sequence[dict[str, object]]) -> InvalidInput:
    """The InvalidInput of pydantic's list of errors, a SecretInId where an id holds a secret; the refused values
    themselves are never repeated."""
    fields = []
    kind = SecretInId if any(item.get("type") == SECRET_IN_ID for item in errors) else InvalidInput
    for item in without_echoes(errors):
        location = item.get("loc")
        path = [str(part) for part in location] if isinstance(location, tuple | list) else []
        fields.append({"field": printable(".".join(path)), "reason": printable(reason(item))})
    shown = "; ".join(f"{item['field']}: {item['reason']}" if item["field"] else item["reason"] for item in fields[:3])
    more = f" (and {len(fields) - 3} more)" if len(fields) > 3 else ""
    return kind(f"{shown}{more}", details={"errors": fields[:50]})


def printable(text: str, *, limit: int = 300) -> str:
    """`text` fit for an answer: what UTF-8 cannot encode is replaced, and it is cut at `limit` characters."""
    return text.encode("utf-8", "replace").decode("utf-8")[:limit]
