"""Faster ways than one exact scan of a large scope: `python -m benchmarks.scan_lab [--rows 100000]`.

Run it beside a stack, with POSTGRES_OWNER_DSN set. Statements made of everyday words get MiniLM's vectors (a few
hundred a second) and go into temporary tables: as wide as items are, and beside them a narrow one of a bit for each
dimension and a list of which statement holds which term. Each question is then asked in turn of

- exact: one pass over all rows, which sends each one's cosine, and the weights of those with a term of the question;
- bits N: the N nearest by Hamming distance and the N that hold most of the question's information, of whose union
  the same is sent.

Both are ranked as the catalog ranks (`ragpp.ranking.texts`). Shown are p50 and p95 of the statements and of all
together in one process, and how many of exact's first ten the others find.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import asyncpg
import numpy as np
from pgvector.asyncpg import register_vector

from ragpp.embedding import Embedder, FloatMatrix
from ragpp.embedding.factory import make_embedder
from ragpp.ranking.arrays import FloatArray
from ragpp.ranking.coverage import inverse_document_frequencies
from ragpp.ranking.texts import rank_texts
from ragpp.settings import EmbeddingSettings, PostgresSettings
from ragpp.stores.packed_columns import cosines, term_weights, whole_numbers
from ragpp.stores.vector_values import asked_terms, halfvec, sparsevec
from ragpp.text.lexical import document_weights, query_terms


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST: Final = 10
CANDIDATES: Final = (100, 400, 1_000)
WHO: Final = _words(
    "Ada Ben Cara Dov Eli Fay Gus Hana Ida Jonas Kira Liam Mona Nils Olga Pia Quentin Rosa Sven Tara Umut Vera Wim "
    "Xenia Yusuf Zoe the-landlord the-team the-office our-supplier the-school my-sister the-gardener the-bakery"
)
WHAT: Final = _words(
    "boiler pump gate kettle printer server van roof ledger oven invoice password-policy backup contract piano bicycle "
    "greenhouse alarm lift freezer newsletter payroll database camera projector ferry-ticket vaccine dog tent carpet "
    "router licence passport garden-hose fire-door coffee-machine spare-key map budget timetable"
)
DOES: Final = _words(
    "keeps repairs sells cleaned ordered moved cancelled tested painted insured replaced lost found checked prefers "
    "borrowed renewed measured returned stored"
)
WHERE: Final = _words(
    "Leeds Porto Turin Graz Linz Oslo Bergen Malmo Cork Bath Lagos Lima Osaka Quito Riga Split Tallinn Utrecht "
    "the-cellar the-yard the-attic the-harbour the-office the-depot the-clinic the-library"
)
WHEN: Final = (
    "in January", "in March", "on 5 May", "since 2019", "every Friday", "before noon", "after the audit", "last summer"
)  # fmt: skip
ASKED: Final = (
    "Where does {who} keep the {what}?",
    "Who {does} the {what} {where}?",
    "What happened to the {what} {when}?",
    "When was the {what} of {who} {does}?",
)
COLUMNS: Final = """count(*) AS items, string_agg(int4send(ordinal), ''::bytea) AS ordinals,
       string_agg(float4send((embedding <=> $1::halfvec)::real), ''::bytea) AS distances,
       string_agg(CASE WHEN (lexical <#> $2::sparsevec) <> 0 THEN sparsevec_send(lexical)
                       ELSE '\\x001000000000000000000000'::bytea END, ''::bytea) AS lexical"""
SCHEMA: Final = (
    "SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'"
)
EXACT: Final = f"SELECT {COLUMNS} FROM wide"  # noqa: S608 - constants
BITS: Final = f"""WITH near AS MATERIALIZED (
  SELECT ordinal FROM narrow ORDER BY bits <~> binary_quantize($1::halfvec)::bit(384) LIMIT $3),
said AS MATERIALIZED (
  SELECT ordinal FROM postings JOIN unnest($4::int[], $5::real[]) AS asked (term, idf) USING (term)
   GROUP BY ordinal ORDER BY sum(weight * idf) DESC LIMIT $3)
SELECT {COLUMNS} FROM wide WHERE ordinal IN (SELECT ordinal FROM near UNION SELECT ordinal FROM said)"""  # noqa: S608 - constants


@dataclass
class Taken:
    """Figures of one way to ask: ms of the statement, ms of everything, and how many of exact's first ten it found."""

    statement_ms: list[float] = field(default_factory=list)
    whole_ms: list[float] = field(default_factory=list)
    shared: list[int] = field(default_factory=list)


def statements(count: int, random: np.random.Generator) -> list[str]:
    """Distinct statements."""
    made = dict[str, None]()
    while len(made) < count:
        who, what, does, where, when = (str(random.choice(words)) for words in (WHO, WHAT, DOES, WHERE, WHEN))
        number = int(random.integers(1, 400))
        made[f"{who} {does} the {what} number {number} in {where} {when}".replace("-", " ")] = None
    return list(made)


def questions(count: int, random: np.random.Generator) -> list[str]:
    slots = {"who": WHO, "what": WHAT, "does": DOES, "where": WHERE, "when": WHEN}
    return [
        str(random.choice(ASKED))
        .format(**{name: random.choice(words) for name, words in slots.items()})
        .replace("-", " ")
        for _ in range(count)
    ]


async def vectors_of(embedder: Embedder, texts: Sequence[str]) -> FloatMatrix:
    parts = [await embedder.embed(texts[start : start + 500]) for start in range(0, len(texts), 500)]
    return np.concatenate(parts)


async def filled(connection: asyncpg.Connection, texts: Sequence[str], vectors: FloatMatrix) -> dict[int, int]:
    """The temporary tables; how many statements hold each term."""
    await connection.execute(
        "CREATE TEMP TABLE wide (ordinal int, content text, embedding halfvec(384), lexical sparsevec(1048576));"
        "CREATE TEMP TABLE postings (term int, ordinal int, weight real)"
    )
    weights = [document_weights(text) for text in texts]
    rows = [
        (place, text, halfvec(vector), sparsevec(held))
        for place, (text, vector, held) in enumerate(zip(texts, vectors, weights, strict=True))
    ]
    await connection.copy_records_to_table("wide", records=rows)
    held = [(term, place, weight) for place, one in enumerate(weights) for term, weight in one.items()]
    await connection.copy_records_to_table("postings", records=held)
    began = time.perf_counter()
    for statement in (
        "CREATE TEMP TABLE narrow AS SELECT ordinal, binary_quantize(embedding)::bit(384) AS bits FROM wide",
        "CREATE UNIQUE INDEX ON wide (ordinal)",
        "CREATE INDEX ON postings (term) INCLUDE (ordinal, weight)",
        "VACUUM ANALYZE wide",
        "VACUUM ANALYZE narrow",
        "VACUUM ANALYZE postings",
    ):
        await connection.execute(statement)
    built_s = time.perf_counter() - began
    sizes = await connection.fetchrow(
        "SELECT pg_size_pretty(pg_total_relation_size('wide')) AS wide, "
        "pg_size_pretty(pg_total_relation_size('narrow')) AS narrow, "
        "pg_size_pretty(pg_total_relation_size('postings')) AS postings"
    )
    print(f"{len(texts):,} rows; what is beside them built in {built_s:.1f} s; {dict(sizes or {})}")
    counted = await connection.fetch("SELECT term, count(*) AS held FROM postings GROUP BY term")
    return {row["term"]: row["held"] for row in counted}


def first_of(row: asyncpg.Record, terms: Sequence[int], rarity: FloatArray) -> list[int]:
    """The ordinals of the first ten."""
    weights = term_weights(row["lexical"], terms) if terms else np.zeros((row["items"], 0))
    scores = rank_texts(cosines(row["distances"]), weights, rarity=rarity)
    ordinals = whole_numbers(row["ordinals"], "int")
    best: list[int] = ordinals[np.lexsort((ordinals, -scores))[:FIRST]].tolist()
    return best


async def run(rows: int, asked: int, rounds: int) -> None:
    random = np.random.default_rng(7)
    embedder = make_embedder(EmbeddingSettings())
    texts, wanted = statements(rows, random), questions(asked, random)
    began = time.perf_counter()
    vectors, of_questions = await vectors_of(embedder, texts), await vectors_of(embedder, wanted)
    print(f"embedded in {time.perf_counter() - began:.0f} s")
    dsn = PostgresSettings().owner_dsn
    assert dsn is not None
    connection = await asyncpg.connect(dsn.get_secret_value())
    await register_vector(connection, schema=await connection.fetchval(SCHEMA))
    held = await filled(connection, texts, vectors)
    taken = {name: Taken() for name in ("exact", *(f"bits {count}" for count in CANDIDATES))}
    for _ in range(rounds):
        for text, vector in zip(wanted, of_questions, strict=True):
            terms = query_terms(text)
            rarity = inverse_document_frequencies(rows, np.asarray([held.get(term, 0) for term in terms], np.float64))
            arguments = (halfvec(vector), asked_terms(terms))
            found: dict[str, list[int]] = {}
            for name, one in taken.items():
                began = time.perf_counter()
                if name == "exact":
                    row = await connection.fetchrow(EXACT, *arguments)
                else:
                    count = int(name.split()[1])
                    row = await connection.fetchrow(BITS, *arguments, count, list(terms), rarity.tolist())
                one.statement_ms.append(1_000 * (time.perf_counter() - began))
                assert row is not None
                found[name] = first_of(row, terms, rarity)
                one.whole_ms.append(1_000 * (time.perf_counter() - began))
                one.shared.append(len({*found[name]} & {*found["exact"]}))
    await connection.close()
    await embedder.close()
    for name, one in taken.items():
        print(
            f"{name:10} statement {_spread(one.statement_ms)}  whole {_spread(one.whole_ms)}  of exact's first ten "
            f"{statistics.fmean(one.shared) / FIRST:.3f}"
        )


def _spread(taken: Sequence[float]) -> str:
    ordered = sorted(taken)
    return f"p50 {statistics.median(ordered):6.1f} p95 {ordered[int(0.95 * len(ordered))]:6.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    asyncio.run(run(given.rows, given.questions, given.rounds))


if __name__ == "__main__":
    main()
