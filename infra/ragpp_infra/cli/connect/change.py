"""A change of an editor's settings: what it does to the entry, and what is kept of the file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from ragpp.errors import ConfigurationError, InvalidInput
from ragpp_infra.cli.connect.editors import Command, Editor
from ragpp_infra.cli.connect.files import keep_text, read_text, replace_text

Kind = Literal["added", "changed", "unchanged", "removed"]
_ANY: Final = Command("ragpp", ())
"""An entry, with which two files are compared in the form in which they are written."""


@dataclass(frozen=True, slots=True)
class Change:
    """`after`: the whole text that the file will have. `without`: the one that it has now, but for the entry."""

    editor: Editor
    kind: Kind
    had_entry: bool
    after: str
    without: str

    def write(self) -> Path | None:
        """Write it. Where the file without the entry is kept; None where nothing else is in it, or nothing is lost.
        Raises StackError."""
        kept = None
        if self.kind in {"added", "changed"} and self._compared(self.without) != self._compared(""):
            kept = keep_text(self.editor.path, self.without, self._is_same, is_first=not self.had_entry)
        if self.kind != "unchanged":
            replace_text(self.editor.path, self.after)
        return kept

    def _is_same(self, kept: str) -> bool:
        try:
            return not self.editor.has_entry(kept) and self._compared(kept) == self._compared(self.without)
        except ConfigurationError:  # somebody has changed it since
            return False

    def _compared(self, text: str) -> str:
        return self.editor.changed(text, _ANY)


def change_of(editor: Editor, command: Command | None) -> Change:
    """The change that puts the entry in, or takes it out for None. Raises ConfigurationError for a file that would lose
    something, InvalidInput where there is no entry to take out, StackError."""
    before = read_text(editor.path)
    try:
        without, after = editor.changed(before, None), editor.changed(before, command)
    except ConfigurationError as error:
        raise ConfigurationError(f"{editor.path}: {error.message}", suggestions=error.suggestions) from error
    had_entry = without != before
    if command is None and not had_entry:
        raise InvalidInput(
            f"there is no entry to take out: {editor.path} {'has none' if before else 'is not there'}",
            suggestions=(
                "Nothing was changed. With --hooks it is the hooks that are taken out, without it the server.",
            ),
        )
    kind: Kind = "unchanged" if after == before else "removed" if command is None else "added"
    return Change(editor, "changed" if kind == "added" and had_entry else kind, had_entry, after, without)
