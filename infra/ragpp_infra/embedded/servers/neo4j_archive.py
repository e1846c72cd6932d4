"""Halve Neo4j's start: an archive of its loaded classes and profiles, recorded once per user in the background.

A start costs Java some 7 s of processor time, nearly all of it for loading and linking classes anew. Java 25 can
write what it loaded to an archive (JEP 483, 514 and 515) that later starts map into memory: 4 s. The archive is made
by a server of its own in a folder of its own, at the lowest priority, after the first start on a machine. Without
it, and while it is made, everything works the same.

    python -m ragpp_infra.embedded.servers.neo4j_archive
"""

import os
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import Final

from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.processes import Command, ManagedProcess
from ragpp_infra.embedded.servers.neo4j import Neo4j, archive_path, jar_folder, java
from ragpp_infra.embedded.servers.server import start
from ragpp_infra.provisioning.endpoints import NEO4J_USER

PATIENCE_S: Final = 600.0
ROUNDS: Final = 20
PREPARATION: Final = (
    "CREATE CONSTRAINT IF NOT EXISTS FOR (n:Thing) REQUIRE (n.scope, n.id) IS UNIQUE",
    "CREATE INDEX IF NOT EXISTS FOR (n:Thing) ON (n.scope, n.name)",
)
STATEMENTS: Final = (
    """UNWIND $rows AS row MERGE (n:Thing {scope: $scope, id: row.id}) ON CREATE SET n.name = row.name, n.count = 1
       ON MATCH SET n.count = n.count + 1 RETURN count(n)""",
    """MATCH (a:Thing {scope: $scope, id: 0}) MATCH (b:Thing {scope: $scope}) WHERE b.id > 0
       MERGE (a)-[r:KNOWS]->(b) ON CREATE SET r.weight = 1.0, r.at = datetime() RETURN count(r)""",
    """MATCH (a:Thing {scope: $scope}) WHERE a.name IN $names OPTIONAL MATCH (a)-[r:KNOWS*1..2]-(b:Thing)
       WITH a, b, reduce(w = 0.0, k IN r | w + k.weight) AS weight ORDER BY weight DESC LIMIT 20
       RETURN a.name, collect({name: b.name, weight: weight}) AS known""",
)


def record_in_background(home: Home) -> None:
    """Begin to record the archive if there is none; returns at once. One process on the machine does it."""
    process = ManagedProcess("neo4j-archive", home.run)
    if archive_path(java()).exists() or process.pid() is not None:
        return
    arguments = [sys.executable, "-m", "ragpp_infra.embedded.servers.neo4j_archive"]
    process.spawn(Command(arguments, log=home.logs / "neo4j-archive.log", working_directory=jar_folder()))


def record() -> bool:
    """Record the archive; False when it is there already or another process is at it. Raises StackError."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - only the process that records needs it

    target = archive_path(java())
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        held = FileLock(target.parent / "archive.lock", blocking=False).acquire()
    except Timeout:
        return False
    with held:
        if target.exists():
            return False
        for abandoned in target.parent.glob("recording-*"):
            shutil.rmtree(abandoned, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix="recording-", dir=target.parent))
        try:
            _record(folder, folder / "archive")
            (folder / "archive").replace(target)
        finally:
            shutil.rmtree(folder)
        for former in target.parent.glob("start-*.aot"):
            if former != target:
                former.unlink()
    return True


def _record(folder: Path, archive: Path) -> None:
    home = Home(folder)
    home.create()
    home.ensure_passwords(initialised=False)
    server = Neo4j(home, record_to=archive)
    server.patience_s = PATIENCE_S
    try:
        start(server, lambda _name, _step: None, fresh=True, cancelled=threading.Event())
        _exercise(server.uri(), home.passwords().neo4j)
    finally:
        server.process.stop([(signal.SIGTERM, PATIENCE_S), (signal.SIGKILL, 10.0)])


def _exercise(uri: str, password: str) -> None:
    """Run statements like those of the semantic tier: their classes and profiles go into the archive too."""
    import neo4j  # noqa: PLC0415 - only the process that records needs it

    with neo4j.GraphDatabase.driver(uri, auth=(NEO4J_USER, password), telemetry_disabled=True) as driver:
        for statement in PREPARATION:
            driver.execute_query(statement)
        rows = [{"id": number, "name": f"name {number}"} for number in range(20)]
        for turn in range(ROUNDS):
            for statement in STATEMENTS:
                driver.execute_query(
                    statement, scope=f"scope {turn % 3}", rows=rows, names=["name 0", "name 7"], database_="neo4j"
                )


if __name__ == "__main__":
    os.nice(19)
    record()
