"""The prompts: files in the folder `prompts`, one a version, each naming the schema that its answer has."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Final, Literal

from ragpp.llm import replies
from ragpp.llm.port import Prompt

PromptName = Literal["extract", "endings", "summarise", "themes", "rules", "merges", "facts", "consolidate", "choose"]
PACKAGE: Final = "ragpp.llm"
_FILE: Final = re.compile(r"^(?P<name>[a-z]+)\.v(?P<version>\d+)\.md$")
_HEADER: Final = re.compile(r"\A---\n(?P<fields>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_SPLIT: Final = "\n## Data\n"


@dataclass(frozen=True, slots=True)
class PromptFile:
    """One version of a prompt. `schema` names a model of `ragpp.llm.replies`; `system` never takes data in, `data`
    is a template that does."""

    name: str
    version: int
    schema: type[replies.Reply]
    max_tokens: int
    system: str
    data: Template

    def filled(self, fields: Mapping[str, str]) -> Prompt:
        """The prompt about `fields`. KeyError for one that the template names and `fields` has not."""
        return Prompt(
            name=f"{self.name}.v{self.version}",
            system=self.system,
            user=self.data.substitute(fields),
            max_tokens=self.max_tokens,
        )


@cache
def all_prompts() -> Mapping[str, PromptFile]:
    """Every version of every prompt, by file name. ValueError for a file that is not as it should be."""
    found = {}
    for entry in files(PACKAGE).joinpath("prompts").iterdir():
        match = _FILE.match(entry.name)
        if match:
            found[entry.name] = _parsed(match["name"], int(match["version"]), entry.read_text("utf-8"))
    return found


@cache
def prompt(name: PromptName) -> PromptFile:
    """The latest version of a prompt. KeyError when there is none."""
    versions = [found for found in all_prompts().values() if found.name == name]
    if not versions:
        raise KeyError(name)
    return max(versions, key=lambda found: found.version)


def _parsed(name: str, version: int, text: str) -> PromptFile:
    header = _HEADER.match(text)
    if header is None or _SPLIT not in header["body"]:
        raise ValueError(f"the prompt {name}.v{version} has no header, or no part Data")
    fields = dict(line.split(": ", 1) for line in header["fields"].splitlines())
    schema = getattr(replies, fields["schema"], None)
    if not (isinstance(schema, type) and issubclass(schema, replies.Reply)):
        raise ValueError(f"the prompt {name}.v{version} names the schema {fields['schema']}, which there is not")  # noqa: TRY004 - the file is wrong, not a type
    system, _, data = header["body"].partition(_SPLIT)
    return PromptFile(name, version, schema, int(fields["max_tokens"]), system.strip(), Template(data.strip()))
