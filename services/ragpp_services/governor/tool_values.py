"""Tools that a responder may ask for, and its calls of them."""

from typing import Annotated

from pydantic import Field, JsonValue, model_validator

from ragpp.fields import Id, Name, Text
from ragpp.models import Value


class Tool(Value):
    """A tool that the responder may ask for; a text is its name. `parameters`: a JSON schema of its arguments."""

    name: Annotated[Text, Field(min_length=1, max_length=100)]
    description: Annotated[Text, Field(max_length=3_000)] = ""
    parameters: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, given: object) -> object:
        return {"name": given} if isinstance(given, str) else given

    @property
    def line(self) -> str:
        """As it stands in the prompt."""
        return f"{self.name}: {self.description}" if self.description else self.name


class ToolCall(Value):
    """A tool call of the responder; whoever runs the governor runs the tool and sends the result as an event."""

    id: Id
    name: Name
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
