"""Errors that speak plainly, and so are stored and logged with their message, say nothing that somebody wrote."""

import ast
from collections.abc import Iterator
from typing import Final

from tests.support.source import modules, tree_of

TREES: Final = {name: tree_of(path) for name, path in modules()}
PLAIN: Final = {
    node.name
    for tree in TREES.values()
    for node in ast.walk(tree)
    if isinstance(node, ast.ClassDef) and any(keyword.arg == "speaks_plainly" for keyword in node.keywords)
}
SETTINGS_AND_NUMBERS: Final = {
    "what": "the name of one of our statements",
    "owner": "of a lease",
    "key.event_id": "",
    "key.stage": "",
    "work.owner": "of a lease",
    "work.key.event_id": "",
    "work.key.stage": "",
    "version": "of a server",
    "name": "of a setting, a model's file or a provider",
    "name.upper()": "of a setting",
    "provider": "of a setting",
    "setting": "its name",
    "', '.join(missing)": "names of settings",
    "self.name": "of a tier or model",
    "self.model": "",
    "self.dimension": "",
    "self._url": "of the endpoint",
    "self._url!r": "of the endpoint",
    "self._purpose": "of a call to a model",
    "verb.name": "",
    "response.status_code": "",
    "tokens": "their number",
    "size": "of a body, in bytes",
    "limits.body_s": "of a setting",
    "note": "how characters are counted",
    "patience_s": "",
    "PORTS": "",
    "settings.worker_port": "",
    "error.strerror": "of the system, about an address",
    "recorded": "a model and its dimension",
    "configured": "a model and its dimension",
    "len(data)": "",
    "count": "",
    "found": "dimensions, or a checksum",
    "found.name": "of a trained pipeline",
    "rows.shape[1]": "",
    "type(error).__name__": "",
    "error.code": "of Neo4j",
    "error.error_count()": "",
    "path": "of a model's file",
    "weights": "a model's file",
    "MODEL": "",
    "DIMENSION": "",
    "DISTRIBUTION": "",
    "NO_MODEL": "",
}
OF_FILES_AND_IMPORTS: Final = {
    "ragpp.embedding.checkpoint": {"error"},
    "ragpp.embedding.graph_cache": {"error"},
    "ragpp.embedding.second": {"jar", "digest", "SHA256[name]"},  # a file that a setting names
    "ragpp.embedding.openai": {"error"},  # of an address
    "ragpp.llm.factory": {"error"},
    "ragpp_infra.cli.connect.hooks": {"event"},  # that a payload names
    "ragpp.environment": {"' and '.join(missing)", "URL", "API_KEY"},  # of settings
    "ragpp.memory.config": {"', '.join(refused)"},  # names of fields
    "ragpp.memory.manager": {"', '.join(refused)"},  # of parameters
    "ragpp.tools.langchain": {"error"},
    "ragpp.settings.variables": {"'; '.join(problems)"},  # of settings
    "ragpp_infra.embedded.home": {"url"},  # as the caller gave it
    "ragpp_infra.embedded.known_settings": {"'; '.join(problems)"},
    "ragpp_infra.cli.init_command": {"file"},
    "ragpp_infra.cli.connect.change": {"editor.path", "error.message"},  # of an editor's settings
    "ragpp_infra.cli.connect.editors": {"error", "key!r"},  # as above
    "ragpp_infra.cli.connect.jsonc": {"error.lineno", "error.msg", "key!r"},  # as above
    "ragpp_infra.secret_file": {"error", "error.strerror"},
    "ragpp_infra.provisioning.provision": {"'; '.join(wrong)", "', '.join(wrong)"},  # names of settings and roles
    "ragpp_services.gateway.limits": {"counted", "most", "of"},  # words of ours and numbers
    "ragpp_services.gateway.traffic": {
        *("self._at_once", "self._burst", "self._per_s", "key.running"),  # numbers
        *("held", "most", "whose"),  # words of ours and numbers
    },
    "ragpp_services.gateway.retrieving": {"error.kind", "error.code", "self._timeout_s"},  # of a call to a model
    "ragpp_services.governor.langgraph": {"error"},
}
"""Where an error's own text cannot be about a message."""


def _made(tree: ast.Module) -> Iterator[tuple[int, ast.expr]]:
    """The line of each error that is made of a class that speaks plainly, with each message that it may have."""
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        texts: dict[str, list[ast.expr]] = {}
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        texts.setdefault(target.id, []).append(node.value)
        for node in ast.walk(scope):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PLAIN:
                message = node.args[0]
                given = texts.get(message.id, [message]) if isinstance(message, ast.Name) else [message]
                yield from ((node.lineno, one) for one in given)


def _inserted(message: ast.expr) -> set[str]:
    """The expressions that are inserted into a text; the whole of `message` where it is no text."""
    if isinstance(message, ast.Constant):
        return set()
    if isinstance(message, ast.JoinedStr):
        parts = [part for part in message.values if isinstance(part, ast.FormattedValue)]
        return {ast.unparse(part.value) + ("!r" if part.conversion == ord("r") else "") for part in parts}
    return {ast.unparse(message)}


def test_there_are_errors_that_speak_plainly() -> None:
    assert {"TierUnavailable", "EmbeddingError"} <= PLAIN


def test_a_plain_error_names_only_what_is_ours() -> None:
    unknown = {
        f"{module}:{line}": insertions
        for module, tree in TREES.items()
        for line, message in _made(tree)
        if (insertions := _inserted(message) - {*SETTINGS_AND_NUMBERS, *OF_FILES_AND_IMPORTS.get(module, ())})
    }
    assert unknown == {}, "are these never words of a message? Then name them here"
