"""Write infra/ragpp_infra/embedded/servers/neo4j.lock anew for one version of Neo4j Community.

    python infra/scripts/refresh_neo4j_lock.py 2026.08.1

jgo resolves the dependencies and fetches them into its own cache; what it fetched is hashed here.
"""

import argparse
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import jgo

from ragpp_infra.embedded.servers.jars import LOCK_FILE, Jar


def locked(version: str) -> Iterator[Jar]:
    """The jars of `org.neo4j:neo4j:version` in the resolver's order, which is the order of the class path."""
    artifacts = {artifact.key: artifact for artifact in jgo.resolve(f"org.neo4j:neo4j:{version}")}
    for artifact in artifacts.values():
        if artifact.packaging != "jar":
            continue
        content = Path(artifact.resolve()).read_bytes()
        yield Jar(
            group=artifact.groupId,
            artifact=artifact.artifactId,
            version=artifact.version,
            classifier=artifact.classifier or "",
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
        )


def main() -> int:
    """Entry point; prints what was locked."""
    parser = argparse.ArgumentParser(description="Write the lock of Neo4j's jars.")
    parser.add_argument("version", help="a released version of org.neo4j:neo4j")
    version = parser.parse_args().version
    jars = list(locked(version))
    header = f"# The jars of org.neo4j:neo4j:{version}, made by infra/scripts/refresh_neo4j_lock.py.\n"
    header += "# group:artifact:version[:classifier] sha256 bytes\n"
    LOCK_FILE.write_text(header + "".join(f"{jar.line()}\n" for jar in jars), encoding="utf-8")
    print(f"{len(jars)} jars, {sum(jar.size for jar in jars) / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
