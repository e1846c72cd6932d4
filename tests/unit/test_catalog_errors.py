"""The catalog's errors have the codes, the titles and the advice of document 002 §7."""

from ragpp.errors import (
    CategoryExistsError,
    CategoryNotFoundError,
    Conflict,
    ConsolidationError,
    EmbeddingError,
    ExtractionError,
    InvalidInput,
    MemorySystemError,
    NotFound,
    ResourceNotFoundError,
    RetrievalError,
    StorageError,
    VectorIndexError,
)
from ragpp.errors.problems import problem_of
from tests.support.each import each_case

CODES: dict[type[MemorySystemError], tuple[str, int, str]] = {
    ResourceNotFoundError: ("MEM-001", 404, "Resource not found"),
    CategoryNotFoundError: ("MEM-002", 404, "Category not found"),
    CategoryExistsError: ("MEM-003", 409, "Category exists"),
    EmbeddingError: ("MEM-004", 503, "Embedding failed"),
    ExtractionError: ("MEM-005", 500, "Extraction failed"),
    ConsolidationError: ("MEM-006", 503, "Consolidation failed"),
    RetrievalError: ("MEM-007", 503, "Retrieval failed"),
    VectorIndexError: ("MEM-008", 503, "The catalog's index is not whole"),
    StorageError: ("MEM-009", 500, "Storage failed"),
}


@each_case("kind", list(CODES))
def test_an_error_has_its_code_a_title_for_people_and_advice(kind: type[MemorySystemError]) -> None:
    code, status, title = CODES[kind]
    problem = problem_of(kind.worded("told why"))
    assert (problem.code, problem.status, problem.title) == (code, status, title)
    assert MemorySystemError.by_code[code] is kind
    assert problem.recovery_suggestions


def test_all_of_them_are_one_family_and_can_be_caught_as_what_they_are() -> None:
    assert MemorySystemError.code == "MEM-000"
    assert not issubclass(MemorySystemError, MemoryError), "Python's own is about RAM"
    assert issubclass(ResourceNotFoundError, NotFound)
    assert issubclass(CategoryNotFoundError, NotFound)
    assert issubclass(CategoryExistsError, Conflict)
    assert issubclass(InvalidInput, ValueError)


def test_a_category_that_is_not_there_is_told_with_those_that_are() -> None:
    error = CategoryNotFoundError("prices", ["leads", "plans"])
    assert error.details == {"category_name": "prices", "available": ["leads", "plans"]}
    assert any("create_category()" in one for one in error.suggestions)
    assert "Available categories: leads, plans" in error.suggestions
    assert not any("Available" in one for one in CategoryNotFoundError("prices", []).suggestions)


@each_case(
    ("kind", "words"),
    [
        (ResourceNotFoundError, "list_by_type()"),
        (CategoryExistsError, "get_by_name()"),
        (ConsolidationError, "Previous category content is preserved"),
        (RetrievalError, "mode=rag"),
        (VectorIndexError, "rebuild_index()"),
    ],
)
def test_the_advice_names_what_helps(kind: type[MemorySystemError], words: str) -> None:
    assert words in " ".join(kind.worded("told why").suggestions)
