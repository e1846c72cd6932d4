"""Methods, classes and tools are called as document 002 calls them."""

import inspect
from collections.abc import Callable
from typing import Any, Final

import pytest

import ragpp
from ragpp.errors import ConfigurationError
from ragpp.memory import layers
from ragpp.tools import descriptions
from ragpp.tools.specifications import TOOLS
from tests.support.documents import ran, sample
from tests.support.each import each_case

NAMES: Final = {name: getattr(ragpp, name) for name in ragpp.__all__}
CALLED: Final[dict[str, Callable[..., object]]] = {
    "002.03": ragpp.MemoryManager.__init__,
    "002.04": ragpp.MemoryManager.store_resource,
    "002.07": ragpp.MemoryManager.extract_and_store,
    "002.10": ragpp.MemoryManager.retrieve,
    "002.13": ragpp.MemoryManager.get_category_content,
    "002.15": ragpp.MemoryManager.consolidate_category,
    "002.17": ragpp.MemoryManager.get_stats,
    "002.22": ragpp.MemoryManager.create_category,
    "002.24": ragpp.MemoryManager.list_categories,
    "002.25": ragpp.MemoryManager.delete_resource,
    "002.28": ragpp.RAGRetriever.__init__,
    "002.29": ragpp.RAGRetriever.retrieve,
    "002.32": ragpp.LLMRetriever.__init__,
    "002.33": ragpp.LLMRetriever.retrieve,
    "002.36": ragpp.HybridRetriever.__init__,
    "002.37": ragpp.HybridRetriever.retrieve,
}
ELSEWHERE: Final = {
    ("002.03", "storage_dir"): (None, "refused by name"),
    ("002.10", "k"): (None, "the configuration's, which is the document's"),
    ("002.28", "embedding_service"): (None, "refused by name"),
    ("002.28", "similarity_threshold"): (None, "counts in `total_found`; leaves out where it is given"),
    ("002.32", "model"): (None, "refused by name"),
}
"""Defaults that are others here, and why."""
CLASSES: Final[dict[str, type]] = {
    "002.02": ragpp.MemoryManager,
    "002.27": ragpp.RAGRetriever,
    "002.31": ragpp.LLMRetriever,
    "002.35": ragpp.HybridRetriever,
    "002.39": ragpp.ConfidenceScorer,
    "002.40": layers.ResourceLayer,
    "002.41": layers.ItemLayer,
    "002.42": layers.CategoryLayer,
}


def called(number: str) -> tuple[str, inspect.Signature]:
    """The name and signature of the only function that a sample makes."""
    ((name, function),) = (
        (name, one) for name, one in ran(number, **NAMES).items() if inspect.isfunction(one) and name not in NAMES
    )
    return name, inspect.signature(function)


@each_case(("number", "ours"), list(CALLED.items()))
def test_a_method_takes_what_the_documents_takes_in_its_order_with_its_defaults(
    number: str, ours: Callable[..., object]
) -> None:
    name, wanted = called(number)
    assert ours.__name__ == name
    taken = inspect.signature(ours).parameters
    positional = [one for one, how in taken.items() if how.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert positional[: len(wanted.parameters)] == list(wanted.parameters)
    for parameter in wanted.parameters.values():
        there, _ = ELSEWHERE.get((number, parameter.name), (parameter.default, ""))
        assert taken[parameter.name].default == there, parameter.name
    assert ragpp.MemoryConfig().default_k == called("002.10")[1].parameters["k"].default


@each_case(("number", "ours"), list(CLASSES.items()))
def test_a_class_has_the_documents_name_and_base_and_methods(number: str, ours: type) -> None:
    left = ran(number, **NAMES)
    theirs = left[ours.__name__]
    assert theirs is not ours
    assert {base.__name__ for base in theirs.__bases__} <= {base.__name__ for base in ours.__mro__}
    for name, method in vars(theirs).items():
        if inspect.isfunction(method):
            assert list(inspect.signature(method).parameters) == list(inspect.signature(getattr(ours, name)).parameters)


def test_health_is_a_property_as_the_document_has_it() -> None:
    assert isinstance(ran("002.20")["is_healthy"], property)
    assert isinstance(ragpp.MemoryManager.is_healthy, property)


@each_case("given", ["storage_dir", "embedding_service", "event_store"])
def test_what_the_document_gives_a_manager_and_the_servers_have_is_refused_with_what_takes_its_place(
    given: str,
) -> None:
    made: Callable[..., object] = ragpp.MemoryManager
    with pytest.raises(ConfigurationError, match=given) as caught:
        made(**{given: "outputs/memory"})
    assert any(place in caught.value.suggestions[0] for place in ("RAGPP_HOME", "EMBEDDING_MODEL", "GET /v1/events"))


@each_case(
    ("number", "name"),
    [("002.51", "recall"), ("002.53", "remember"), ("002.56", "list_categories"), ("002.57", "get_category")],
)
def test_a_tool_has_the_documents_arguments_and_is_described_in_its_words(
    number: str, name: descriptions.ToolName
) -> None:
    theirs = ran(number, tool=lambda function: function)[name]
    (ours,) = [tool for tool in TOOLS if tool.name == name]
    fields = ours.arguments.model_fields
    for parameter in inspect.signature(theirs).parameters.values():
        assert fields[parameter.name].is_required() is (parameter.default is inspect.Parameter.empty)
        if (number, parameter.name) != ("002.51", "mode"):  # the catalog's alone: None asks every tier
            assert fields[parameter.name].get_default() in {parameter.default, fields[parameter.name].default}
    written = inspect.getdoc(theirs)
    assert written is not None
    purpose, _, rest = written.partition("\n\nReturns:")
    assert rest, "with what it answers and an example of it"
    assert ours.description == purpose.partition("\n\nArgs:")[0] + "\n\nReturns:" + rest
    assert "\n\nExample:\n    >>> " in ours.description


def test_the_tools_are_imported_as_the_document_imports_them() -> None:
    left: dict[str, Any] = ran("002.68")
    assert [tool.name for tool in left["agent_tools"]] == [tool.name for tool in TOOLS]
    assert "from ragpp.tools.builtin import" in sample("002.68").code
