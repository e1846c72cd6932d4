"""Document 004 sketches classes that leave out what they call. Each is made as it is written, what it leaves out is
named, and what it does tell is held beside ours."""

import ast
import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import ModuleType, SimpleNamespace
from typing import Any, Final

import pytest
from pydantic import BaseModel

from ragpp import AsyncMemoryClient
from ragpp.api import RecallRequest
from ragpp.context import layout
from ragpp.fading import FADES
from ragpp.models import Memory
from ragpp.tiers import MemoryTier
from ragpp_services.governor.graph import Governor
from ragpp_services.short_term.settings import ShortTermSettings
from tests.support.documents import ran, sample
from tests.support.each import each_case

DRIVERS: Final = ("asyncpg", "numpy", "redis.asyncio", "sentence_transformers", "neo4j", "spacy")
"""Imported by sketches, whose classes are made without them."""
LEFT_OUT: Final[dict[str, set[str]]] = {
    "004.03": {"MemoryTier", "LLMSummarizer", "datetime", "_get_session", "_estimate_tokens"},
    "004.04": {"MemoryTier", "MemoryQuery", "json"},
    "004.05": {"MemoryTier", "datetime", "json", "_extract_relationships", "_create_user_node", "_create_entity"},
    "004.06": {"MemoryTier", "json"},
    "004.07": {
        *{"MemoryManager", "EntityExtractor", "GovernorState", "MemoryQuery"},
        *{"_get_short_term_context", "_get_semantic_context", "_get_procedural_context"},
        *{"_build_persona_section", "_build_tools_section", "_build_situation_section"},
    },
    "004.08": {
        *{"MemoryManager", "LLMClient", "EntityExtractor", "RelationshipExtractor", "MemoryQuery"},
        *{"_extract_behavioral_patterns", "_extract_preferences", "_extract_relationship_updates"},
        *{"_incremental_reflection", "_analyze_daily_themes", "_update_relationship_weights"},
        *{"_consolidate_preferences", "_identify_new_behavioral_rules", "_apply_reflection_updates"},
    },
    "004.09": {
        *{"MemoryConfig", "ShortTermMemory", "EpisodicMemory", "SemanticMemory", "ProceduralMemory"},
        *{"OERLearningLoop", "MemoryHealthMetrics", "MemoryQuery"},
        *{"_health_monitor_loop", "_quick_short_term_retrieval", "_extract_entities_fast"},
    },
    "004.10": {
        *{"GovernorGraph", "MemoryManager", "EnhancedContextAssembler", "Dict", "Any"},
        "_process_with_memory_context",
    },
}
"""Names and own methods that a sketch uses and nothing in it makes: for them it does not run by itself."""
MADE_HERE: Final[dict[str, tuple[object, ...]]] = {
    "004.03": (AsyncMemoryClient.remember, AsyncMemoryClient.session),
    "004.04": (AsyncMemoryClient.remember, AsyncMemoryClient.recall, AsyncMemoryClient.interactions),
    "004.05": (AsyncMemoryClient.entities, AsyncMemoryClient.relationships),
    "004.06": (AsyncMemoryClient.set_preference, AsyncMemoryClient.rules),
    "004.07": (AsyncMemoryClient.recall,),
    "004.08": (AsyncMemoryClient.extract, AsyncMemoryClient.reflect),
    "004.09": (AsyncMemoryClient.remember, AsyncMemoryClient.recall, AsyncMemoryClient.ready),
    "004.10": (Governor.invoke,),
}
"""The calls that do here what each sketch is of."""


def left_out(number: str) -> set[str]:
    """Names that the only class of a sketch uses, of its own or of `self`, and nothing in it makes."""
    tree = sample(number).tree()
    (sketch,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    made = set(dir(builtins)) | {
        alias.asname or alias.name for node in tree.body for alias in getattr(node, "names", ())
    }
    own: set[str] = set()
    used, called = set(), set()
    for node in ast.walk(sketch):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                own.add(node.name)
                made |= {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
                made |= {one.arg for one in (node.args.vararg, node.args.kwarg) if one is not None}
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                own.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                made.add(name)
            case ast.Name(id=name):
                used.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                called.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name.startswith("_"):
                called.add(name)
    return (used - made) | (called - own)


@contextmanager
def without_drivers(**members: object) -> Iterator[None]:
    """Empty modules in place of the drivers while inside."""
    with pytest.MonkeyPatch.context() as patch:
        for name in DRIVERS:
            module = ModuleType(name)
            vars(module).update(SentenceTransformer=object, AsyncGraphDatabase=object, **members)
            patch.setitem(sys.modules, name, module)
        patch.setitem(sys.modules, "redis", SimpleNamespace(asyncio=sys.modules["redis.asyncio"]))
        yield


def made(number: str) -> dict[str, Any]:
    """Names that a sketch leaves, with a class in place of each that it does not make."""
    given = {name: type(name, (), {}) for name in LEFT_OUT[number] if not name.startswith("_")}
    with without_drivers():
        return ran(number, **{**given, "datetime": datetime})


@each_case(("number", "names"), list(LEFT_OUT.items()))
def test_a_sketch_is_made_as_it_is_written_and_leaves_out_just_what_is_told(number: str, names: set[str]) -> None:
    assert left_out(number) == names
    (sketch,) = [node.name for node in sample(number).tree().body if isinstance(node, ast.ClassDef)]
    assert isinstance(made(number)[sketch], type)
    assert all(callable(one) for one in MADE_HERE[number])


def test_a_tier_has_the_methods_of_the_document_and_a_question_its_fields() -> None:
    left = ran("004.02", BaseModel=BaseModel)
    theirs = left["MemoryTier"]
    assert theirs.__abstractmethods__ == {"store", "retrieve", "health_check"}
    assert all(callable(getattr(MemoryTier, name)) for name in theirs.__abstractmethods__)
    left["MemoryQuery"].model_rebuild(_types_namespace=left)
    query = left["MemoryQuery"](user_id="u1", query_text="x")
    renamed = {"query_text": "query"}
    assert {renamed.get(name, name) for name in type(query).model_fields} <= set(RecallRequest.model_fields)
    asked = {renamed.get(name, name): value for name, value in query.model_dump(exclude_none=True).items()}
    assert RecallRequest(**asked).limit == 10


async def test_of_a_long_conversation_as_many_messages_stay_raw_as_the_document_keeps() -> None:
    async def summarize_messages(previous_summary: str, messages: list[dict[str, str]]) -> str:
        return f"{previous_summary}{len(messages)}"

    memory = SimpleNamespace(summarizer=SimpleNamespace(summarize_messages=summarize_messages), _estimate_tokens=len)
    compress = made("004.03")["ShortTermMemory"]._compress_buffer
    said = [{"content": f"message {number}"} for number in range(9)]
    kept = await compress(memory, {"buffer": said, "summary": "", "token_count": 9_000})
    settings = ShortTermSettings.model_construct()
    assert kept["buffer"] == said[-settings.keep_messages :]
    assert kept["summary"] == "4"
    init = made("004.03")["ShortTermMemory"].__init__
    assert init.__defaults__ == (settings.max_tokens,)


def test_confidence_fades_at_the_documents_rate() -> None:
    assert f"self.confidence_decay_rate = {FADES}" in sample("004.05").text


def test_a_context_has_the_headings_and_the_lines_of_the_document() -> None:
    told = {
        "short_term_context": {"summary": "They talked."},
        "episodic_memories": [{"content": "Elena moved", "similarity": 0.83}],
        "semantic_knowledge": {
            "entities": ["Elena"],
            "relationships": [{"entity1": "Elena", "type": "LIVES_IN", "entity2": "Porto", "confidence": 0.74}],
        },
        "procedural_rules": [{"description": "Be brief", "relevance": 0.71}],
    }
    text = made("004.07")["EnhancedContextAssembler"]._build_memory_section(None, told)
    headings = [part.partition(":")[0] for part in text.split("\n\n")]
    assert headings == [one for one in layout.TITLES if one in headings]
    at = datetime(2026, 3, 8, tzinfo=UTC)
    rule = Memory(id="r", tier="procedural", kind="rule", text="Be brief", score=0.71, tokens=2, occurred_at=at)
    tie = Memory(
        id="t", tier="semantic", kind="relationship", text="Elena LIVES_IN Porto", confidence=0.74, score=0.5, tokens=4
    )
    for memory in (rule, tie):
        parts = layout.around(memory)
        assert f"{parts.head}{layout.line_of(memory)}{parts.bracket}" in text.splitlines()
