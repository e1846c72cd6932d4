"""The rest of a resource without some of its turns, and the chunks of it that answer."""

from string import ascii_lowercase

from hypothesis import given
from hypothesis import strategies as st

from ragpp.catalog import ResourceMessage
from ragpp.text.lexical import document_weights, query_terms
from ragpp_services.catalog.forgetting import ERASED_TOKENS, together
from ragpp_services.catalog.resources.indexing import Said, content_hash, cut, without_turns
from tests.support.catalog import conversation
from tests.support.tokens import COUNTER

TURNS = st.lists(
    st.tuples(st.sampled_from(["Ann", "Bob"]), st.text(ascii_lowercase + " \n", min_size=1, max_size=30)),
    min_size=1,
    max_size=8,
)


def said(turns: list[tuple[str, str]], ids: list[str], *, ended: bool = True) -> Said:
    """A conversation of these turns, which are these interactions; `ended`: the last line has its end."""
    made = conversation(*turns, ids=ids)
    return Said(made.content if ended else made.content[:-1], made.messages)


@given(TURNS, st.booleans(), st.data())
def test_without_some_turns_it_is_what_it_were_if_they_had_never_been(
    turns: list[tuple[str, str]], ended: bool, data: st.DataObject
) -> None:
    ids = [f"m{place}" for place in range(len(turns))]
    gone = data.draw(st.sets(st.sampled_from(ids)))
    left = [place for place, identifier in enumerate(ids) if identifier not in gone]
    result = without_turns(said(turns, ids, ended=ended), gone)
    if not gone:
        assert result == said(turns, ids, ended=ended)
    elif not left:
        assert result is None
    else:
        assert result == said([turns[place] for place in left], [ids[place] for place in left], ended=ended)
        assert result.turns == [ids[place] for place in left]


def test_what_stands_around_the_messages_stays_with_its_line() -> None:
    content = "Notes of May\nAnn: hello Bob: and you\nend"
    ann = ResourceMessage(name="Ann", start=18, end=23, interaction_id="m1")
    bob = ResourceMessage(name="Bob", start=29, end=36, interaction_id="m2")
    assert [content[one.start : one.end] for one in (ann, bob)] == ["hello", "and you"]
    result = without_turns(Said(content, (ann, bob)), {"m1"})
    assert result is not None
    assert result.content == "Notes of May\n Bob: and you\nend"
    assert [result.content[one.start : one.end] for one in result.messages] == ["and you"]
    result = without_turns(Said(content, (bob, ann)), {"m2"})
    assert result is not None
    assert result.content == "Notes of May\nAnn: hello\nend"


def test_messages_that_are_no_interactions_stay() -> None:
    whole = said([("Ann", "hello"), ("Bob", "hi")], ["m1"])
    left = without_turns(whole, {"m1"})
    assert left is not None
    assert left.content == "Bob: hi\n"


def test_the_same_is_of_one_type_and_content() -> None:
    assert content_hash("document", "a") == content_hash("document", "a")
    assert content_hash("document", "a") != content_hash("config", "a")
    assert content_hash("document", "a") != content_hash("document", "b")


def test_its_chunks_cover_it_and_hold_its_words() -> None:
    content = "The keeper of the lighthouse is called Saffron. " * 60
    chunks = cut("document", content, {}, COUNTER)
    assert (chunks[0].start, chunks[-1].end) == (0, len(content))
    assert len(chunks) > 1
    (term,) = query_terms("saffron")
    assert all(term in one.lexical for one in chunks)
    assert chunks[0].lexical == document_weights(content[chunks[0].start : chunks[0].end])


@given(st.lists(st.integers(0, 2 * ERASED_TOKENS), min_size=1, max_size=9))
def test_as_many_are_erased_together_as_are_short_enough_and_one_at_least(lengths: list[int]) -> None:
    resources = {f"r{place}": tokens for place, tokens in enumerate(lengths)}
    taken = together(resources)
    assert taken == list(resources)[: len(taken)]
    assert taken
    assert len(taken) == 1 or sum(lengths[: len(taken)]) <= ERASED_TOKENS
    assert len(taken) == len(lengths) or sum(lengths[: len(taken) + 1]) > ERASED_TOKENS
