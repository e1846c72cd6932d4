"""The meanings of the API's fields and parameters, in words: the table `fields.toml`, put into the API's description.

The words stand in a table and not at the fields, since nobody needs them but who reads the description, and every
process imports the fields.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final, cast

Words = Mapping[str, Mapping[str, str]]
"""Descriptions by section and name."""
Place = tuple[str, str]
"""Section and name of an entry."""
Described = dict[str, object]
ANY: Final = "any"
"""The section of fields that mean the same in every schema that says nothing else of them."""
PARAMETERS: Final = "parameters"


@cache
def field_words() -> Words:
    """The table, read once, when the API is first described."""
    text = files("ragpp_services.gateway").joinpath("fields.toml").read_text("utf-8")
    return cast("Words", tomllib.loads(text))


def describe_fields(described: Described, words: Words) -> frozenset[Place]:
    """Give every property of a schema and every parameter in `described` that has no description the one that `words`
    have, where they have one. Answers the entries that were used."""
    used = set()
    for spec, places in (*_properties(described), *_parameters(described)):
        place = next((one for one in places if one[1] in words.get(one[0], {})), None)
        if place is not None and not spec.get("description"):
            section, name = place
            spec["description"] = words[section][name]
            used.add(place)
    return frozenset(used)


def _properties(described: Described) -> Iterator[tuple[Described, tuple[Place, ...]]]:
    """Each with where its words may stand, the first place first."""
    components = cast("dict[str, dict[str, Described]]", described["components"])
    for name, schema in components["schemas"].items():
        for field, spec in cast("dict[str, Described]", schema.get("properties", {})).items():
            yield spec, ((name, field), (ANY, field))


def _parameters(described: Described) -> Iterator[tuple[Described, tuple[Place, ...]]]:
    """The same of each parameter of each operation."""
    for path, operations in cast("dict[str, dict[str, Described]]", described["paths"]).items():
        for method, operation in operations.items():
            for parameter in cast("list[Described]", operation.get("parameters", [])):
                name = str(parameter["name"])
                yield parameter, ((PARAMETERS, f"{method.upper()} {path} {name}"), (PARAMETERS, name))
