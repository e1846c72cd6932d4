"""An answer says whether anything it found is about the question, and explains what it left out."""

from ragpp.api import RecallRequest
from ragpp.models import Memory, MemoryQuery
from ragpp.testing.tiers import InMemoryTier
from ragpp_services.gateway.assembly.relevance import names_something
from ragpp_services.gateway.recall import CANDIDATES, NOT_OFFERED
from tests.support.each import each_case
from tests.support.recalling import Episodic, filled, measured, recaller
from tests.support.scopes import new_scope


class Judged(InMemoryTier):
    """Knows of a job that a person rejected, and nothing else."""

    def __init__(self, *sources: str) -> None:
        super().__init__("semantic")
        self._sources = sources

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        verdict = {"verdict": "rejected"}
        job = Memory(id="r", tier="semantic", kind="relationship", text="user WORKS_AT Brightline", score=0.5)
        wrong = job.model_copy(update={"confidence": 0.0, "sources": self._sources, "metadata": verdict})
        return [wrong] if query.rejected else []


class Told(Episodic):
    """Finds one message that is so alike to any question, and holds that share of it."""

    def __init__(self, similarity: float, coverage: float) -> None:
        super().__init__()
        self._found = {"similarity": similarity, "coverage": coverage}

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        given = {"id": "m0", "tier": "episodic", "kind": "interaction", "text": "the boat is blue", "score": 0.8}
        found = dict(self._found, similarity=None) if query.mode == "lexical" else self._found
        return [Memory.model_validate(given | found)]


async def test_a_rejected_relationship_is_counted_nowhere_and_marks_what_it_was_learned_from() -> None:
    scope, episodic = new_scope(), Episodic()
    await filled(episodic, scope, ["my work badge is from Brightline", "the work is done"])
    asked = RecallRequest(user_id=scope.user_id, query="work badge", explain=True)
    answer = await recaller(episodic, Judged("m0")).recall(scope, asked)
    assert [(memory.id, memory.corrected_by) for memory in answer.memories] == [("m1", None), ("m0", "r")]
    assert answer.tiers["semantic"].hits == 0
    assert "WORKS_AT" not in answer.context
    assert "[since corrected]: my work badge" in answer.context
    (last,) = [memory.explain for memory in answer.memories if memory.id == "m0"]
    assert last is not None
    assert last["rank_in_tier"] == 2
    alone = await recaller(episodic, Judged("m0")).recall(scope, asked.model_copy(update={"tiers": ("episodic",)}))
    assert [(memory.id, memory.corrected_by) for memory in alone.memories] == [("m0", None), ("m1", None)]


async def test_an_explained_answer_says_of_what_stands_too_far_behind_that_it_was_never_offered() -> None:
    scope, episodic = new_scope(), Episodic()
    await filled(episodic, scope, [f"the car is on level {number}" for number in range(60)])
    asked = RecallRequest(user_id=scope.user_id, query="car", limit=60, token_budget=500, explain=True)
    answer = await recaller(episodic).recall(scope, asked)
    reasons = [memory.explain and memory.explain.get("cut") for memory in answer.memories]
    assert reasons[CANDIDATES:] == [NOT_OFFERED] * (60 - CANDIDATES)
    assert NOT_OFFERED not in reasons[:CANDIDATES]


async def test_an_explained_answer_says_why_a_memory_was_cut() -> None:
    scope = new_scope()
    episodic = Episodic()
    await filled(episodic, scope, ["the car is on level three", "the car is blue and rather small"])
    asked = RecallRequest(user_id=scope.user_id, query="car", token_budget=32, explain=True)
    answer = await recaller(episodic).recall(scope, asked)
    reasons = {memory.in_context: memory.explain and memory.explain.get("cut") for memory in answer.memories}
    assert reasons == {True: None, False: "no room left in the token budget"}


async def test_of_a_question_about_everything_only_the_budget_cuts() -> None:
    """No memory is said to be beside the question, for none was judged by that."""
    scope = new_scope()
    episodic = Episodic()
    others = [f"what is known, as number {number} of many words" for number in range(9)]
    await filled(episodic, scope, ["what do you know about me", *others])
    asked = RecallRequest(user_id=scope.user_id, query="What do you know about me?", token_budget=40, explain=True)
    answer = await recaller(episodic).recall(scope, asked)
    reasons = {memory.explain["cut"] for memory in answer.memories if memory.explain and not memory.in_context}
    assert reasons == {"no room left in the token budget"}


@each_case(
    ("query", "narrow"),
    [
        ("What do you know about me?", False),
        ("Summarise what we talked about", False),
        ("Tell me something about myself", False),
        ("Where did I park the car?", True),
        ("Wo wohne ich?", True),
    ],
)
def test_a_question_about_everything_is_known(query: str, *, narrow: bool) -> None:
    assert names_something(query) == narrow


async def test_an_answer_says_whether_anything_it_found_is_about_the_question() -> None:
    scope = new_scope()
    request = RecallRequest(user_id=scope.user_id, query="Where is the blue boat?")
    levels = [
        (await recaller(Told(similarity, coverage), embedder=measured()).recall(scope, request)).relevance
        for similarity, coverage in ((0.15, 0.05), (0.5, 0.1), (0.7, 0.6))
    ]
    assert levels == ["none", "some", "clear"]
    assert (await recaller(Episodic(), embedder=measured()).recall(scope, request)).relevance == "none"


async def test_an_answer_without_room_for_what_it_found_never_says_that_something_is_about_the_question() -> None:
    scope = new_scope()
    for similarity, coverage, told in ((0.15, 0.05, "none"), (0.5, 0.1, None), (0.7, 0.6, None)):
        for budget in (0, 3):
            request = RecallRequest(
                user_id=scope.user_id, query="Where is the blue boat?", token_budget=budget, persona="I am Ada."
            )
            answer = await recaller(Told(similarity, coverage), embedder=measured()).recall(scope, request)
            assert answer.relevance == told
            assert answer.memories


async def test_an_answer_that_lacks_something_never_says_that_nothing_is_about_the_question() -> None:
    scope, down = new_scope(), InMemoryTier("semantic")
    down.available = False
    request = RecallRequest(user_id=scope.user_id, query="Where is the blue boat?")
    beside, lost = Told(0.15, 0.05), measured()
    lost.is_lost = True
    for partial in (recaller(beside, down, embedder=measured()), recaller(beside, embedder=lost), recaller(beside)):
        assert (await partial.recall(scope, request)).relevance is None
    alone = request.model_copy(update={"tiers": ("semantic",)})
    other = recaller(beside, InMemoryTier("semantic"), embedder=measured())
    assert (await other.recall(scope, alone)).relevance is None
    answer = await recaller(Told(0.7, 0.6), down, embedder=measured()).recall(scope, request)
    assert (answer.status, answer.relevance) == ("partial", "clear")
