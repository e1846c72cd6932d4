"""Filters by metadata as PostgreSQL checks them: `jsonb_path_match(metadata::jsonb, path, values)`."""

import json

from ragpp.filtering import Key, MetadataFilter, Scalar

Matched = tuple[str | None, str | None]
"""A jsonpath predicate and its variables as JSON: the parameters of a statement, null where nothing narrows."""
UNFILTERED: Matched = (None, None)


def as_jsonpath(condition: MetadataFilter) -> Matched:
    """`condition` as parameters. Values are variables; only operators and quoted keys are in the path.

    Every comparison stands within `exists(… ? (…))`, which is false where values cannot be compared: outside it the
    comparison would be unknown, and so would be its negation. Each condition has one variable, a list, so that the path
    is as short as the condition and not as its values.
    """
    values: dict[str, tuple[Scalar, ...]] = {}

    def has(key: Key, *wanted: Scalar) -> str:
        name = f"v{len(values)}"
        values[name] = wanted
        return f"exists({_path(key)} ? (@ == ${name}[*]))"

    def predicate(one: MetadataFilter) -> str:
        if one.equal is not None:
            return has(one.equal.key, one.equal.value)
        if one.in_ is not None:
            return has(one.in_.key, *one.in_.values)
        if one.exists is not None:
            return f"exists({_path(one.exists)})"
        parts = [f"({predicate(part)})" for part in one.parts]
        return f"!{parts[0]}" if one.not_ is not None else (" && " if one.and_ else " || ").join(parts)

    return predicate(condition), json.dumps(values)


def _path(key: Key) -> str:
    """It in jsonpath, whose texts are quoted as those of JSON are."""
    return "$" + "".join(f".{json.dumps(name)}" for name in ((key,) if isinstance(key, str) else key))
