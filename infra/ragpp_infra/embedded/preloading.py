"""Programs of a stack that load their modules while its stores start: that takes as long as Neo4j does."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace

from ragpp_infra.embedded.processes import FAST, Command, ManagedProcess
from ragpp_infra.programs import ALL_IN_ONE, MIGRATE, WHEN_TOLD, program


class Preloaded:
    """The migrations and the gateway, with the `settings` that they had when the stack ran last. What was not told to
    begin ends with the process that preloaded it."""

    def __init__(self, settings: Mapping[str, str], gateway: ManagedProcess, command: Command) -> None:
        self.settings = settings
        self._gateway = gateway
        self._migrations = subprocess.Popen(
            program(ALL_IN_ONE, WHEN_TOLD, MIGRATE),
            env=os.environ | settings,
            cwd=command.working_directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.pid = gateway.spawn(replace(command, arguments=(*command.arguments, WHEN_TOLD), waits=True))

    def migrate(self) -> subprocess.CompletedProcess[str]:
        """Bring every schema up to date."""
        said, told = self._migrations.communicate("begin\n")
        return subprocess.CompletedProcess(self._migrations.args, self._migrations.returncode, said, told)

    def serve(self) -> None:
        """Have the gateway begin."""
        self._gateway.tell()

    def cancel(self) -> None:
        """End both, unless they have begun."""
        if self._migrations.poll() is None:
            self._migrations.kill()
            self._migrations.communicate()
        if not self._gateway.waits():
            return
        if self._gateway.pid() == self.pid:  # else there is another in its place, which is not to be ended
            self._gateway.stop(FAST)
        self._gateway.dismiss()
