"""The tables of embeddings of a graph, in a file beside it: a process holds the rows that it looks up, not all of them.

ONNX Runtime maps what a model keeps in another file (`external_data` of ONNX), so that processes share its pages.
"""

from typing import Final

import onnx
from onnx.external_data_helper import set_external_data

LEAST_BYTES: Final = 8 << 20
"""Tables of words have some 30,000 rows; a weight of these networks has a fifth of this at most."""


def split_tables(model: bytes, location: str) -> tuple[bytes, bytes]:
    """The serialised `model` without its tables, and the content of the file `location` in its folder, where it looks
    for them."""
    read = onnx.load_from_string(model)
    tables = [tensor for tensor in read.graph.initializer if len(tensor.raw_data) >= LEAST_BYTES]
    kept = bytearray()
    for table in tables:
        content = table.raw_data
        set_external_data(table, location, offset=len(kept), length=len(content))
        table.ClearField("raw_data")
        kept += content
    serialised: bytes = read.SerializeToString()
    return serialised, bytes(kept)
