"""Facts that are near each other stand together, and what is near nothing stands apart."""

import math

import numpy as np
import numpy.typing as npt

from ragpp_services.catalog.pages.themes import JOINS, MOST, NEAR, themes_of
from tests.support.each import each_case

Matrix = npt.NDArray[np.float32]


def at(*degrees: float) -> Matrix:
    return np.array([[math.cos(math.radians(one)), math.sin(math.radians(one))] for one in degrees], dtype=np.float32)


def scattered(count: int, *, centres: int, seed: int) -> Matrix:
    """Facts around some centres, as vectors of a model are."""
    random = np.random.default_rng(seed)
    around = random.normal(size=(centres, 24))[random.integers(0, centres, count)]
    rows = around + 0.9 * random.normal(size=(count, 24))
    unit: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def joined_one_by_one(vectors: Matrix) -> list[list[int]]:
    """The clusters from joining the two nearest, again and again, as long as two are NEAR; several rows each."""
    near = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    clusters = [[row] for row in range(len(vectors))]
    while len(clusters) > 1:
        nearness, one, other = max(
            (float(near[np.ix_(clusters[i], clusters[j])].mean()), i, j)
            for i in range(len(clusters))
            for j in range(i + 1, len(clusters))
        )
        if nearness < NEAR:
            break
        clusters[one] += clusters.pop(other)
    return [sorted(cluster) for cluster in clusters if len(cluster) > 1]


@each_case("seed", range(10))
def test_themes_are_those_of_joining_the_two_nearest_again_and_again(seed: int) -> None:
    vectors = scattered(40, centres=6, seed=seed)
    found = themes_of(vectors)
    expected = joined_one_by_one(vectors)
    alone = set(range(40)) - {row for theme in expected for row in theme}
    assert len(expected) <= MOST
    assert sorted([row for row in theme if row not in alone] for theme in found.themes) == sorted(expected)
    assert sorted([*found.others, *(row for theme in found.themes for row in theme)]) == list(range(40))


def test_what_stands_alone_joins_a_theme_that_it_is_near_to_and_no_other() -> None:
    sideways = math.degrees(math.acos(JOINS))
    vectors = at(0, 1, 180, 181, sideways - 1, 270)
    assert themes_of(vectors) == ([[0, 1, 4], [2, 3]], [5])


def test_few_facts_and_facts_that_have_nothing_in_common_are_one_theme() -> None:
    assert themes_of(at(0, 90, 180)) == ([[0, 1, 2]], [])
    assert themes_of(at(0, 90, 180, 270)) == ([[0, 1, 2, 3]], [])
    assert themes_of(at(0)) == ([[0]], [])


def test_a_page_has_no_more_themes_than_can_be_overlooked() -> None:
    vectors = np.repeat(np.eye(2 * MOST, dtype=np.float32), 3, axis=0)
    found = themes_of(vectors)
    assert len(found.themes) == MOST
    assert found.others == []
