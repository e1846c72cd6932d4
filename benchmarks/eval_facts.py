"""How much of what labelled resources state is extracted as facts: `python -m benchmarks.eval_facts [FILE ...]`.

A line of a file is a resource: {"id", "resource_type", "occurred_at", "content", "sentences": [{"text", "facts":
[{"says": ["Basic", "99"]}]}]}, with every sentence of the content, verbatim and in order. An extracted fact is right
where it contains all that a labelled fact of the sentence it is said in says, whatever the case; each label counts
once. Uses the pipeline without a trained model, so that the figures do not depend on what is installed. Of a file with
a seal beside it (`.sha256`), which was written without sight of the code, totals alone are shown.
"""

import argparse
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from benchmarks.eval_extraction import Count
from ragpp.extraction import Extractor, FactMention, ResourceType
from ragpp.extraction.facts import read_facts
from ragpp.extraction.pipeline import blank_pipeline
from ragpp.extraction.spacy_extractor import SpacyExtractor

DATA: Final = Path(__file__).parent.parent / "tests" / "data"
FILES: Final = tuple(DATA / name for name in ("facts.jsonl", "facts_blind.jsonl", "facts_blind_second.jsonl"))
Row = ResourceType | Literal["total"]
ROWS: Final[tuple[Row, ...]] = ("conversation", "document", "config", "feedback", "total")
_STRAIGHT: Final = str.maketrans({"’": "'", "‘": "'"})


class LabelledFact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    says: tuple[str, ...]


class LabelledSentence(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    facts: tuple[LabelledFact, ...] = ()


class LabelledResource(BaseModel):
    """One line of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    resource_type: ResourceType
    occurred_at: datetime
    content: str
    sentences: tuple[LabelledSentence, ...]


def seal_of(path: Path) -> Path:
    """Where the checksum of a blind file is."""
    return path.with_suffix(".sha256")


def read(path: Path) -> list[LabelledResource]:
    """The lines of a file. ValueError for one that is malformed or differs from its seal."""
    seal = seal_of(path)
    if seal.exists() and seal.read_text("ascii").split()[0] != hashlib.sha256(path.read_bytes()).hexdigest():
        raise ValueError(f"{path.name} is not the file that was written without sight of the code")
    lines = path.read_text(encoding="utf-8").splitlines()
    return [LabelledResource.model_validate_json(line) for line in lines if line.strip()]


def score(extractor: Extractor, resources: Iterable[LabelledResource]) -> dict[Row, Count]:
    """The counts of what was found of the resources' facts, by type and in total."""
    counts: dict[Row, Count] = {row: Count() for row in ROWS}
    for resource in resources:
        found = read_facts(resource.content, resource.resource_type, extractor=extractor, said_at=resource.occurred_at)
        count = _score_one(resource, found)
        counts[resource.resource_type].add(count)
        counts["total"].add(count)
    return counts


def _score_one(resource: LabelledResource, found: Sequence[FactMention]) -> Count:
    count, spans = Count(), _places(resource)
    said: list[list[str]] = [[] for _ in spans]
    for fact in found:
        overlaps = [min(fact.end, end) - max(fact.start, start) for start, end in spans]
        best = max(range(len(spans)), key=overlaps.__getitem__)
        if overlaps[best] > 0:
            said[best].append(fact.text)
        else:
            count.extra += 1
            count.misses.append(f"  outside {fact.text!r} {resource.id}")
    for sentence, texts in zip(resource.sentences, said, strict=True):
        pairs = _matched(sentence.facts, texts)
        count.right += len(pairs)
        count.extra += len(texts) - len(pairs)
        count.missed += len(sentence.facts) - len(pairs)
        count.misses += [
            f"  missed {'·'.join(label.says):50} {resource.id} {sentence.text!r}"
            for index, label in enumerate(sentence.facts)
            if index not in pairs
        ]
        count.misses += [
            f"  extra  {text!r:50} {resource.id} {sentence.text!r}"
            for index, text in enumerate(texts)
            if index not in pairs.values()
        ]
    return count


def _places(resource: LabelledResource) -> list[tuple[int, int]]:
    """Where each sentence is; they stand in order. ValueError for one that the content does not have."""
    places, position = list[tuple[int, int]](), 0
    for sentence in resource.sentences:
        pattern = r"\s+".join(re.escape(word) for word in sentence.text.split())
        match = re.compile(pattern).search(resource.content, position)
        if match is None:
            raise ValueError(f"{resource.id}: its content has no sentence {sentence.text!r} there")
        places.append(match.span())
        position = match.end()
    return places


def _matched(labels: Sequence[LabelledFact], texts: Sequence[str]) -> Mapping[int, int]:
    """Which text says each label, by their index; as many as can be, each once."""
    says = [[index for index, text in enumerate(texts) if _says(text, label.says)] for label in labels]
    taken: dict[int, int] = {}

    def place(label: int, tried: set[int]) -> bool:
        for text in says[label]:
            if text not in tried:
                tried.add(text)
                if text not in taken or place(taken[text], tried):
                    taken[text] = label
                    return True
        return False

    for label in range(len(labels)):
        place(label, set())
    return {label: text for text, label in taken.items()}


def _says(text: str, words: Iterable[str]) -> bool:
    flat = " ".join(text.translate(_STRAIGHT).casefold().split())
    return all(_occurs(" ".join(word.translate(_STRAIGHT).casefold().split()), flat) for word in words)


def _occurs(words: str, text: str) -> bool:
    """True where `words` stand in `text`, a number not as part of a longer one."""
    before = r"(?<!\d)(?<!\d[.,])" if words[:1].isdigit() else ""
    after = r"(?![.,]?\d)" if words[-1:].isdigit() else ""
    return re.search(f"{before}{re.escape(words)}{after}", text) is not None


def table(title: str, resources: Sequence[LabelledResource], counts: Mapping[Row, Count]) -> str:
    """One line a type of resource, and the total."""
    sentences = sum(len(resource.sentences) for resource in resources)
    head = f"{title} ({len(resources)} resources, {sentences} sentences)\n"
    lines = [f"{head}{'type':15}{'labels':>8}{'found':>8}{'precision':>11}{'recall':>9}"]
    lines += [
        f"{row:15}{count.right + count.missed:8}{count.right + count.extra:8}{count.precision:11.2f}{count.recall:9.2f}"
        for row, count in counts.items()
        if count.right + count.missed + count.extra
    ]
    return "\n".join(lines)


def main() -> None:
    """Score the files named on the command line, by default both of tests/data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=[path for path in FILES if path.exists()])
    parser.add_argument("--show-misses", action="store_true", help="also list what was missed, and what was too much")
    arguments = parser.parse_args()
    extractor = SpacyExtractor(blank_pipeline())
    for path in arguments.files:
        resources = read(path)
        counts = score(extractor, resources)
        if seal_of(path).exists():
            print(table(path.name, resources, {"total": counts["total"]}), end="\n\n")
            continue
        print(table(path.name, resources, counts), end="\n\n")
        if arguments.show_misses:
            print("\n".join(counts["total"].misses), end="\n\n")


if __name__ == "__main__":
    main()
