"""Why no copy was taken, why one is not taken for good, and why nothing is put into these stores."""

from ragpp.errors import MemorySystemError


class BackupFailed(
    MemorySystemError,
    code="MEM-052",
    status=500,
    title="No backup was taken",
    suggestions=("Repeat it: nothing was changed, and learning goes on.",),
):
    """The stores could not be copied as they were at one moment."""


class BadBackup(
    MemorySystemError,
    code="MEM-053",
    status=422,
    title="This backup cannot be restored here",
    suggestions=("Take another backup, or restore it with the version and the FORGETTING_KEY that it was taken with.",),
):
    """The file is damaged, no backup, of a newer version, or of another FORGETTING_KEY."""


class RestoreRefused(
    MemorySystemError,
    code="MEM-054",
    status=409,
    title="Nothing was restored",
    suggestions=("See docs/backup.md.",),
):
    """The stores hold a memory, are in use, or are left half restored; or nobody says what was forgotten since."""
