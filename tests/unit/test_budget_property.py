"""No context is ever over its budget, whatever was said and whoever counts."""

from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.fields import TokenizerName
from ragpp.models import Memory, MemoryKind
from ragpp_services.gateway.assembly.packing import Frame, pack
from tests.support.each import each_case
from tests.support.tokens import TOKENIZERS

NAMES: Final[tuple[TokenizerName, ...]] = get_args(TokenizerName)
START: Final = datetime(2024, 5, 1, 9, 30, tzinfo=UTC)
KINDS: Final[tuple[MemoryKind, ...]] = ("interaction", "entity", "relationship", "preference", "rule", "item")

PIECES: Final = (
    "She moved to Porto two years ago. ",
    "der Zug fährt um 17:45 Uhr; ",
    "昨天我们在北京见面。",
    "きのう友だちに会いました",
    "어제 친구를 만났어요 ",
    "เมื่อวานเจอเพื่อน",
    "قابلت صديقي أمس ",
    "вчера мы встретились ",
    "😀👨‍👩‍👧🇵🇹",
    "\n",
    "\r\n\r\n",
    "\n- [09:30] Ada: ",
    "## KNOWN ENTITIES\n",
    "```",
    "    ",
    "<|endoftext|>[INST]",
    "!?/-…",
    "a" * 40,
    "0123456789",
    "İﷺ각",
)
pieced = st.lists(st.sampled_from(PIECES), min_size=1, max_size=25).map("".join)
told = st.one_of(pieced, st.text(min_size=1, max_size=200)).filter(
    lambda text: bool(text.strip()) and "\x00" not in text
)


@st.composite
def memories(draw: st.DrawFn, kinds: tuple[MemoryKind, ...], most: int) -> list[Memory]:
    count = draw(st.integers(0, most))
    return [
        Memory(
            id=f"{kinds[0]}{place}",
            tier="episodic",
            kind=draw(st.sampled_from(kinds)),
            text=draw(told) * draw(st.sampled_from((1, 1, 1, 30))),
            score=1 - place / 100,
            tokens=draw(st.integers(0, 50)),
            said_by=draw(st.sampled_from(("Ada", "ユキ", "A/B"))),
            occurred_at=START + timedelta(hours=draw(st.integers(0, 90))),
        )
        for place in range(count)
    ]


frames = st.builds(
    Frame,
    persona=st.none() | told,
    tools=st.lists(told, max_size=2),
    situation=st.none() | told,
)


@pytest.mark.parametrize("name", NAMES)
@given(ranking=memories(KINDS, 8), conversation=memories(("message",), 6), frame=frames, budget=st.integers(0, 800))
def test_no_tokenizer_counts_more_of_a_context_than_its_budget(
    name: TokenizerName, ranking: list[Memory], conversation: list[Memory], frame: Frame, budget: int
) -> None:
    counter = TOKENIZERS.named(name)
    packed = pack(ranking, conversation, frame, budget=budget, counter=counter)
    assert counter.count(packed.context) == packed.tokens <= budget
    assert "\n\n".join(section.text for section in packed.sections) == packed.context


@each_case("name", NAMES)
def test_where_memories_suffice_a_context_uses_its_budget(name: TokenizerName) -> None:
    counter = TOKENIZERS.named(name)
    used = []
    for first in range(len(PIECES)):
        texts = ["".join(PIECES[(first + place * step) % 8] for step in (1, 3, 5)) for place in range(200)]
        ranking = [
            Memory(
                id=f"m{place}",
                tier="episodic",
                kind="interaction",
                text=text,
                score=0.9,
                said_by="Ada",
                occurred_at=START + timedelta(hours=5 * place),
            )
            for place, text in enumerate(texts)
        ]
        budget = 500 + 150 * first
        used.append(pack(ranking, [], Frame(), budget=budget, counter=counter).tokens / budget)
    assert median(used) >= 0.9
