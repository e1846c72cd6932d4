"""An id that holds a secret is refused, wherever it would be stored: nobody could take the secret out again."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from ragpp.api import StoreRequest
from ragpp.api.entries import EntryIn
from ragpp.errors import SecretInId
from ragpp.errors.problems import invalid_fields, problem_of
from ragpp.fields import NewId
from ragpp.redaction import secret_in
from ragpp_infra.cli.lines import BadLine, read_lines
from tests.support.command_line import Done
from tests.support.each import each_case

IDS = TypeAdapter[str](NewId)
SECRETS = (
    "sk-proj-abc123def456ghi789jkl012",
    "user:password=hunter2x",
    f"rp_0123456789ab_{'a1B' * 14}c",
    "ghp_" + "a1" * 18,
    "https://me:pw123@host/x",
    "4111 1111 1111 1111",
)


def test_an_id_that_holds_a_secret_is_refused_by_its_field_and_never_repeated() -> None:
    """Catches a form of a secret that is stored as an id, or that its refusal tells again."""
    offenders = [
        f"{field} {secret!r}: {wrong}"
        for field in ("user_id", "session_id", "agent_id", "id")
        for secret in SECRETS
        for wrong in _not_refused(field, secret)
    ]
    assert not offenders, "\n".join(offenders)


def _not_refused(field: str, secret: str) -> Iterator[str]:
    message = {"role": "user", "content": "hello"}
    body = {"user_id": "u1", "messages": [message | ({"id": secret} if field == "id" else {})]}
    try:
        StoreRequest.model_validate(body | ({} if field == "id" else {field: secret}))
    except ValidationError as refused:
        problem = problem_of(invalid_fields([dict(item) for item in refused.errors()]))
    else:
        yield "is taken"
        return
    if (problem.code, problem.status) != (SecretInId.code, 422):
        yield f"is refused as {problem.code} {problem.status}"
    if (named := [one.field.rpartition(".")[2] for one in problem.errors]) != [field]:
        yield f"is refused by {named}"
    if secret in problem.model_dump_json():
        yield "is told again"


@each_case(
    "identifier",
    [
        *("ann@example.com", "+351 912 345 678", "Ana Sousa, Rua do Carmo 5", "1990-05-01"),  # of persons: kept
        *("+4915112345678", "whatsapp:+4915112345678", "psid:4111111111111111"),
        *("4111111111111111", "1234567890123456789", "D1:3", "550e8400-e29b-41d4-a716-446655440000"),
        *("session-2026-11-24T11:30:00Z", "agent:sales", "password-reset", "[REDACTED:password]", "line-" + "0a" * 16),
    ],
)
def test_an_id_that_holds_none_is_taken_as_it_is(identifier: str) -> None:
    assert IDS.validate_python(identifier) == identifier


@given(st.uuids(), st.integers(min_value=0, max_value=10**20), st.text("0123456789abcdef", min_size=1, max_size=32))
def test_ids_as_programs_make_them_are_never_refused(made: object, number: int, digest: str) -> None:
    assert [one for one in (str(made), str(number), digest) if secret_in(one)] == []


@pytest.mark.parametrize("before", ["+49151", "whatsapp:+49151", "psid:4"])
@given(number=st.integers(min_value=0, max_value=10**12 - 1))
def test_no_number_of_a_telephone_or_an_account_is_taken_for_a_card(before: str, number: int) -> None:
    assert secret_in(f"{before}{number:012}") is None


def test_a_memory_of_a_file_is_refused_by_itself() -> None:
    with pytest.raises(ValidationError, match="holds a secret"):
        EntryIn.model_validate({"memory_id": SECRETS[0], "content": "x", "user_id": "u1"})


def test_a_line_of_a_file_is_named_by_its_number_and_not_by_its_id() -> None:
    lines = io.BytesIO(b'{"id": "password=hunter2x", "content": "hi"}\n{"id": "m1", "content": "hi"}\n')
    bad, good = read_lines(lines)
    assert isinstance(bad, BadLine)
    assert "hunter2" not in str(bad)
    assert "holds a secret (password)" in str(bad)
    assert not isinstance(good, BadLine)


def test_the_command_line_refuses_it_as_wrong_usage(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    done = ragpp("remember", "hello", "--user", "u1", "--session", SECRETS[1], home=tmp_path / "none")
    assert done.returncode == 2
    assert "--session" in done.stderr
    assert "hunter2" not in done.stderr
