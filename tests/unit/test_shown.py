"""A context's lines of what was learned: each tells something, and what always holds is within its own budget."""

from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import STANDING, Memory
from ragpp_services.gateway.assembly.informative import LEAST_STANDING, STANDING_SHARE, says_nothing
from ragpp_services.gateway.assembly.packing import Frame, pack
from tests.support.each import each_case
from tests.support.packing import Words, memory


def related(source: str, kind: str, target: str) -> Memory:
    about = {"source": source, "type": kind, "target": target}
    return memory(f"{source} {kind}", f"{source} {kind} {target}", "relationship").model_copy(
        update={"metadata": about}
    )


def entity(name: str, *aliases: str) -> Memory:
    return memory(name, f"{name} (PERSON)", "entity").model_copy(update={"metadata": {"aliases": list(aliases)}})


def standing(text: str) -> Memory:
    return memory(text, text, "rule", 0.0).model_copy(update={"metadata": {STANDING: True}})


def shown(*ranking: Memory, budget: int = 500) -> list[str]:
    return pack(ranking, [], Frame(), budget=budget, counter=Words()).context.splitlines()


@each_case(
    ("source", "kind", "target"),
    [
        ("Noor's father", "FATHER_OF", "Noor"),
        ("Nora's husband", "SPOUSE_OF", "Nora"),
        ("Nora", "SPOUSE_OF", "Nora\u2019s husband"),
        ("James' mum", "MOTHER_OF", "James"),
        ("Nora", "OWNS", "Nora's dog"),
        ("user's best friend", "FRIEND_OF", "user"),
        ("Noor", "RELATED_TO", "Porto"),
    ],
)
def test_what_only_repeats_a_name_or_a_mention_is_not_shown(source: str, kind: str, target: str) -> None:
    assert says_nothing(related(source, kind, target))
    assert shown(related(source, kind, target)) == []


@each_case(
    ("source", "kind", "target"),
    [
        ("Karim", "FATHER_OF", "Noor"),
        ("Noor's father", "LIVES_IN", "Porto"),
        ("Nora's boss", "FRIEND_OF", "Nora"),
        ("Noor's father", "FATHER_OF", "Sami"),
        ("Nora", "OWNS", "Biscuit"),
    ],
)
def test_what_says_more_is_shown(source: str, kind: str, target: str) -> None:
    assert shown(related(source, kind, target))[1].startswith(f"- {source} {kind} {target}")


def test_an_entity_is_shown_with_what_else_it_is_called_or_not_at_all() -> None:
    assert shown(entity("Kate")) == []
    assert shown(entity("Kate", "Katherine"))[0] == "## KNOWN ENTITIES"


def test_what_always_holds_stands_whatever_else_there_is_and_takes_its_share() -> None:
    rules = [standing(f"Rule {number} on how to answer.") for number in range(40)]
    said = [memory(str(number), f"Something that was said {number}.") for number in range(200)]
    lines = shown(*said, *rules)
    held = [line for line in lines if line.startswith("- Rule")]
    assert len(held) >= 1
    assert Words().count("\n".join(held)) <= 500 * STANDING_SHARE
    assert len(shown(*rules, budget=5_000)) < 40
    urgent = standing("Urgent rule.").model_copy(update={"metadata": {STANDING: True, "priority": 9}})
    assert "- Urgent rule. (relevance: 0.00)" in shown(*rules, urgent, budget=100)
    assert [line for line in shown(*said, *rules, budget=100) if line.startswith("- Rule")]


@given(st.integers(0, 600), st.integers(0, 30), st.integers(0, 30))
def test_no_budget_is_passed_for_what_always_holds(budget: int, rules: int, said: int) -> None:
    ranking = [memory(str(number), f"It was said {number}.") for number in range(said)]
    ranking += [standing(f"Answer rule {number}.") for number in range(rules)]
    packed = pack(ranking, [], Frame(), budget=budget, counter=Words())
    assert packed.tokens <= budget
    held = [one for section in packed.sections for one in section.memories if STANDING in one.metadata]
    most = max(LEAST_STANDING, int(budget * STANDING_SHARE))
    assert sum(Words().count(f"- {one.text}\n") for one in held) <= most
