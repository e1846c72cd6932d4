"""A context leaves out what is not about the question, and nothing where the question is about everything."""

from ragpp.api import RecallRequest
from ragpp.models import Memory
from ragpp_services.gateway.assembly.cutting import why_cut
from tests.support.each import each_case


def said(number: int, score: float) -> Memory:
    return Memory(id=str(number), tier="episodic", kind="interaction", text="x", score=score, sources=(str(number),))


BUDGET = 500
RANKING = [said(0, 0.99), *(said(number, 0.05) for number in range(1, 20))]


@each_case("query", ["Where do I work?", "How old am I?", "Who is Finn?"])
def test_a_question_in_common_words_does_not_fill_the_context(query: str) -> None:
    assert len(why_cut(RecallRequest(user_id="u", query=query), RANKING, "some", None, None, BUDGET)) == 19
    assert len(why_cut(RecallRequest(user_id="u", query=query), RANKING, "none", None, None, BUDGET)) == 18


@each_case("query", ["What do you know about me?", "Tell me everything", "summarise our conversations"])
def test_of_a_question_about_everything_nothing_is_left_out(query: str) -> None:
    assert why_cut(RecallRequest(user_id="u", query=query), RANKING, "some", None, None, BUDGET) == {}
