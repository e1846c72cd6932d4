"""A running stack for benchmarks and proofs: brought up by the `ragpp` command, as a user would."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ragpp.client import AsyncMemoryClient
from ragpp_infra.embedded.home import Home


def home() -> Path:
    """The embedded stack's folder: RAGPP_HOME, or `.ragpp` here."""
    return Path(os.environ.get("RAGPP_HOME", ".ragpp")).resolve()


def ragpp(*arguments: str, quiet: bool = False) -> None:
    """Run the `ragpp` command on this stack. Raises CalledProcessError when it fails."""
    subprocess.run(
        [sys.executable, "-m", "ragpp_infra.cli.main", *arguments],
        check=True,
        env=os.environ | {"RAGPP_HOME": str(home())},
        stdout=subprocess.DEVNULL if quiet else None,
    )


@asynccontextmanager
async def running_gateway(*, timeout_s: float = 60.0) -> AsyncIterator[AsyncMemoryClient]:
    """A client of the stack's gateway; starts what does not run and leaves it running."""
    ragpp("up")
    async with Home(home()).client(timeout_s=timeout_s) as client:
        yield client
