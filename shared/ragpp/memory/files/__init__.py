"""An agent's memories from a file and into one, and what leads from the one to the other (document 001)."""

from ragpp.memory.files.archiving import Archived, FileNotHeld, archive_file
from ragpp.memory.files.backfilling import Backfilled, backfill
from ragpp.memory.files.exporting import export_file
from ragpp.memory.files.importing import ImportReport, import_file
from ragpp.memory.files.reading import LeftOut
from ragpp.memory.files.writing import write_private

__all__ = [
    "Archived",
    "Backfilled",
    "FileNotHeld",
    "ImportReport",
    "LeftOut",
    "archive_file",
    "backfill",
    "export_file",
    "import_file",
    "write_private",
]
