"""Which entity a name means."""

from ragpp_services.semantic.evidence.identity import (
    IdentityIndex,
    Union,
    is_bare_kinship,
    is_kinship_of_someone,
    the_same,
)
from ragpp_services.semantic.records import EntityState


def known(
    identifier: str, name: str, *aliases: str, label: str = "PERSON", kept_apart: tuple[str, ...] = ()
) -> EntityState:
    assert label in {"PERSON", "ORG"}
    return EntityState(
        identifier, name, "ORG" if label == "ORG" else "PERSON", aliases, 1, 0, 0, 0, (), kept_apart=kept_apart
    )


def test_a_name_means_the_entity_that_has_it_in_any_case() -> None:
    index = IdentityIndex([known("1", "Noor")])
    assert index.resolve("NOOR", "PERSON").id == "1"
    assert index.resolve("Noor", "ORG").id != "1"


def test_a_new_name_means_one_new_entity() -> None:
    index = IdentityIndex([])
    first = index.resolve("Noor", "PERSON")
    assert index.resolve("noor ", "PERSON").id == first.id
    assert first.state is None


def test_an_alias_decides_only_while_one_entity_has_it() -> None:
    index = IdentityIndex([known("1", "Robert", "Bob")])
    assert index.resolve("Bob", "PERSON").id == "1"
    shared = IdentityIndex([known("1", "Robert", "Bob"), known("2", "Bobby", "Bob")])
    assert shared.resolve("Bob", "PERSON").id not in {"1", "2"}


def test_a_named_mother_takes_in_the_unnamed_one() -> None:
    index = IdentityIndex([known("1", "Noor's mother", "mom")])
    salma = index.resolve("Salma", "PERSON", ("mother", "Noor's mother"))
    assert index.unions == [Union(salma.id, "1")]
    assert index.resolve("Noor's mother", "PERSON").id == salma.id
    assert index.resolve("mom", "PERSON").id == salma.id


def test_mom_without_an_owner_is_taken_in_too() -> None:
    index = IdentityIndex([known("1", "Mom")])
    salma = index.resolve("Salma", "PERSON", ("mom",))
    assert index.unions == [Union(salma.id, "1")]


def test_another_persons_mother_is_left_alone() -> None:
    index = IdentityIndex([known("1", "Noor's mother", "mother"), known("2", "Mom")])
    index.resolve("Eva", "PERSON", ("mother", "Sami's mother"))
    assert index.unions == []


def test_a_kinship_one_may_have_several_of_is_no_evidence() -> None:
    index = IdentityIndex([known("1", "Noor's sister")])
    index.resolve("Ida", "PERSON", ("sister", "Noor's sister"))
    assert index.unions == []


def test_what_a_user_told_apart_stays_apart() -> None:
    index = IdentityIndex([known("1", "Noor's mother"), known("2", "Salma", kept_apart=("1",))])
    index.resolve("Salma", "PERSON", ("Noor's mother",))
    assert index.unions == []


def test_kinship_words_are_told_from_names() -> None:
    assert all(map(is_bare_kinship, ("mom", "my father", "wife")))
    assert all(map(is_kinship_of_someone, ("noor's mother", "james' wife", "ann marie’s dad")))
    assert not any(map(is_bare_kinship, ("salma", "sister", "mother teresa", "")))
    assert not any(map(is_kinship_of_someone, ("mother", "noor's sister", "noor's dog", "'s mother")))


def test_spellings_of_one_name_are_the_same_entity() -> None:
    found = the_same(
        [
            known("1", "St. Mary's Hospital", label="ORG"),
            known("2", "the St Mary’s hospital", label="ORG"),
            known("3", "José"),
            known("4", "Jose"),
            known("5", "Jose", label="ORG"),
        ]
    )
    assert {frozenset((union.kept, union.absorbed)) for union in found} == {frozenset("12"), frozenset("34")}


def test_a_name_that_is_the_alias_of_one_other_is_the_same_entity() -> None:
    assert the_same([known("1", "Noor's mother"), known("2", "Salma Haddad", "mother", "Noor's mother")]) == [
        Union("2", "1")
    ]
    assert the_same([known("1", "Bobby"), known("2", "Robert", "Bobby"), known("3", "Robin", "Bobby")]) == []


def test_kinship_first_names_and_other_signs_prove_nothing() -> None:
    assert the_same([known("1", "Noor's sister"), known("2", "Ida", "sister", "Noor's sister")]) == []
    assert the_same([known("1", "Mum"), known("2", "Salma", "mum")]) == []
    assert the_same([known("1", "David"), known("2", "David Bowie", "David")]) == []
    assert the_same([known("1", "C++", label="ORG"), known("2", "C", label="ORG"), known("3", "C#", label="ORG")]) == []
    assert the_same([known("1", "..."), known("2", "!!!")]) == []


def test_what_a_person_has_split_stays_apart() -> None:
    assert the_same([known("1", "José", kept_apart=("2",)), known("2", "Jose")]) == []
    assert the_same([known("1", "José"), known("2", "Jose", kept_apart=("1",))]) == []


def test_which_of_two_is_kept_does_not_depend_on_the_ids_they_were_given() -> None:
    for salma, jose in (("1", "2"), ("2", "1")):  # named at once, as often, at the same length
        (union,) = the_same([known(salma, "Salma", "Jos\u00e9"), known(jose, "Jos\u00e9")])
        assert union == Union(jose, salma)
