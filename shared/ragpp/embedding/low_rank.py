"""Matrices of a low rank beside a network's weights (LoRA, Hu et al. 2021): what it learned of a task."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragpp.embedding.port import FloatMatrix

SCALE: Final = 2.0
"""The factor of the product of two matrices where it is added to a weight."""
PARTS: Final[Mapping[str, str]] = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "attended": "attention.output.dense", "wide": "intermediate.dense", "narrow": "output.dense",
}  # fmt: skip
"""The weights of a layer of BERT that are changed, by their names in the published files."""
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LowRank:
    """`low`: by part the two matrices of each of the upper layers, (layers, in, rank) and (layers, rank, out). `name`:
    another one for other matrices."""

    name: str
    low: Mapping[str, tuple[Floats, Floats]]

    def changes(self, layers: int) -> dict[str, FloatMatrix]:
        """The changes of the weights of a network of so many `layers`, (out, in), by the names of these."""
        return {
            f"encoder.layer.{layers - len(down) + layer}.{PARTS[part]}.weight": np.float32(SCALE)
            * (down[layer] @ up[layer]).T
            for part, (down, up) in self.low.items()
            for layer in range(len(down))
        }


def read_low(arrays: Mapping[str, npt.NDArray[np.float16]]) -> LowRank:
    """The matrices among `arrays`, which are named "query_down", "query_up" and so on."""
    low = {part: (arrays[f"{part}_down"], arrays[f"{part}_up"]) for part in PARTS}
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(one).tobytes() for pair in low.values() for one in pair))
    read = {part: (down.astype(np.float32), up.astype(np.float32)) for part, (down, up) in low.items()}
    return LowRank(digest.hexdigest()[:16], read)
