"""The workers' parts for tests of one stage: those that it touches, and nothing in place of the others."""

from dataclasses import MISSING, fields
from typing import Any

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.entries.kinds import Kinds
from ragpp_services.workers.parts import WorkerParts
from tests.support.kept_catalog import KeptCatalog
from tests.support.views import KnownViews


def parts_with(**given: Any) -> WorkerParts:
    """`given`, which may be doubles that have what the stage asks of them; a user without views and with nothing in the
    catalog; the hashing embedder. What else a stage touched would be None."""
    needed = {field.name for field in fields(WorkerParts) if field.default is field.default_factory is MISSING}
    embedder = given.get("embedder", HashingEmbedder(8))
    known = {"views": KnownViews(), "catalog": KeptCatalog(), "embedder": embedder, "kinds": Kinds(embedder)}
    return WorkerParts(**{**dict.fromkeys(needed), **known, **given})
