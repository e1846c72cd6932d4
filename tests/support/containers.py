"""The stores in containers: what docker-compose.yml says they are, started by testcontainers and provisioned as a
deployment's are."""

import asyncio
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

import asyncpg
import redis
from docker.errors import DockerException
from docker.types import Mount
from neo4j import exceptions
from pydantic import SecretStr
from testcontainers.core.container import BytesExecResult, DockerContainer, ExecConfig
from testcontainers.core.docker_client import DockerClient

from ragpp_infra.embedded.servers.neo4j import SHORT_LIVED
from ragpp_infra.embedded.servers.server import SERVERS, ServerName
from ragpp_infra.provisioning.endpoints import (
    DATABASE,
    AccountPasswords,
    Admin,
    Endpoints,
    endpoints_beside,
    in_database,
)
from ragpp_infra.provisioning.errors import ProvisioningError
from ragpp_infra.provisioning.provision import provision
from ragpp_infra.secret_file import generated
from tests.support.asking import in_neo4j, in_postgres, in_redis
from tests.support.compose import Service, service
from tests.support.services import free_port
from tests.support.waiting import waited_for

RUN: Final = "org.ragpp.test-run"
"""The label that says which run a container is of."""
PORTS: Final[dict[ServerName, int]] = {"postgres": 5432, "valkey": 6379, "neo4j": 7687}
SERVICES: Final[dict[ServerName, str]] = {"postgres": "postgres", "valkey": "redis", "neo4j": "neo4j"}
READY_S: Final = 180.0
REVIVED_S: Final = 90.0
_NOT_YET: Final = (
    OSError,
    asyncpg.PostgresError,
    redis.RedisError,
    exceptions.DriverError,
    exceptions.Neo4jError,
)


class ContainerStack:
    """Three containers of one run, as a RunStack."""

    def __init__(self, run: str) -> None:
        self._secrets: defaultdict[str, str] = defaultdict(generated)
        made = {name: service(SERVICES[name], self._secrets) for name in SERVERS}
        made["neo4j"].environment["JAVA_TOOL_OPTIONS"] = " ".join(SHORT_LIVED)
        self._containers = {name: _container(made[name], PORTS[name], run) for name in SERVERS}
        self._made = made

    def up(self) -> None:
        """Start them, all at once, and make them ready. ProvisioningError where one does not answer in time."""
        with ThreadPoolExecutor(len(SERVERS)) as pool:
            list(pool.map(DockerContainer.start, self._containers.values()))
        self._admin = self._administration()
        self._endpoints = endpoints_beside(self._admin, AccountPasswords())
        making = provision(self._admin, self._endpoints, schemas=False, patience_s=READY_S)
        try:
            with ThreadPoolExecutor(1) as pool:  # whoever asks for the stores may itself run in an event loop
                pool.submit(asyncio.run, making).result()
        except ProvisioningError as error:
            for name, container in self._containers.items():
                error.add_note(f"{name} said last:\n{_said(container)}")
            raise

    def down(self) -> None:
        """Remove them and what they stored."""
        for container in self._containers.values():
            container.stop()

    def endpoints(self) -> Endpoints:
        return self._endpoints

    def postgres_superuser_dsn(self) -> SecretStr:
        return in_database(self._admin.postgres_dsn, DATABASE)

    def kill(self, name: ServerName) -> None:
        wrapped = self._containers[name].get_wrapped_container()
        wrapped.kill("SIGKILL")
        wrapped.wait()

    def revive(self, name: ServerName) -> None:
        self._containers[name].get_wrapped_container().start()
        questions: dict[ServerName, Callable[[], object]] = {
            "postgres": lambda: in_postgres(self._endpoints.postgres_app_dsn, "SELECT 1"),
            "valkey": self._ping_redis,
            "neo4j": lambda: in_neo4j(self._endpoints, "RETURN 1"),
        }

        def answers() -> bool:
            try:
                questions[name]()
            except _NOT_YET:
                return False
            return True

        waited_for(answers, within_s=REVIVED_S, what=f"{name} answers again")

    def signal_backend(self, pid: int, number: signal.Signals) -> None:
        answered = self._run("postgres", f"kill -{number.value} {pid}", user="postgres")
        assert answered.exit_code == 0, answered.output.decode()

    def append_only_files(self) -> list[bytes]:
        def read() -> list[bytes]:
            answered = self._run("valkey", "cat /data/appendonlydir/*", user="redis")
            return [answered.output] if answered.exit_code == 0 else []  # a rewrite replaced one of them meanwhile

        return waited_for(read, within_s=60, what="the files of one moment", every_s=0.01)

    def _run(self, name: ServerName, script: str, *, user: str) -> BytesExecResult:
        """As root it might do less: the containers have hardly any capability."""
        return self._containers[name].exec(ExecConfig(["sh", "-c", script], user=user))

    def _ping_redis(self) -> None:
        with in_redis(self._endpoints) as client:
            client.ping()

    def _administration(self) -> Admin:
        where = {name: _address(self._containers[name], PORTS[name]) for name in SERVERS}
        postgres = self._made["postgres"].environment
        return Admin(
            postgres_dsn=SecretStr(
                f"postgresql://{postgres.get('POSTGRES_USER', 'postgres')}:{postgres['POSTGRES_PASSWORD']}"
                f"@{where['postgres']}/postgres"
            ),
            redis_url=SecretStr(
                f"redis://default:{self._made['valkey'].environment['REDISCLI_AUTH']}@{where['valkey']}/0"
            ),
            neo4j_uri=f"bolt://{where['neo4j']}",
            neo4j_password=SecretStr(self._made["neo4j"].environment["NEO4J_AUTH"].partition("/")[2]),
        )


@contextmanager
def running(run: str) -> Iterator[ContainerStack]:
    """Containers of the run that is called so, ready to be used; removed afterwards."""
    stack = ContainerStack(run)
    try:
        stack.up()
        yield stack
    finally:
        stack.down()


def engine() -> str:
    """The version of the engine that answers. DockerException where none does."""
    client = DockerClient().client
    try:
        return str(client.version()["Version"])
    finally:
        client.close()


def remove_all(run: str) -> None:
    """Remove what a run left that was ended before it could."""
    client = DockerClient().client
    for container in client.containers.list(all=True, filters={"label": f"{RUN}={run}"}):
        container.remove(force=True, v=True)
    client.close()


def _container(of: Service, port: int, run: str) -> DockerContainer:
    """Its port is chosen here: the engine would choose another each time that the container starts."""
    container = DockerContainer(of.image, env=of.environment).with_bind_ports(port, free_port())
    for folder, size in of.tmpfs.items():
        container.with_tmpfs_mount(folder, size)
    if of.command is not None:
        container.with_command(of.command)
    mounts = [Mount(folder, None) for folder in of.volumes]
    return container.with_kwargs(labels={RUN: run}, mounts=mounts, **of.options)


def _address(container: DockerContainer, port: int) -> str:
    return f"{container.get_container_host_ip()}:{container.get_exposed_port(port)}"


def _said(container: DockerContainer, lines: int = 12) -> str:
    written, complained = container.get_logs()
    return "\n".join((written + complained).decode(errors="replace").splitlines()[-lines:])


if __name__ == "__main__":
    try:
        sys.stdout.write(f"Docker engine {engine()}\n")
    except DockerException as error:
        sys.exit(
            f"No Docker engine answers: {error}\n  Start one, or say where it is: DOCKER_HOST=unix:///run/docker.sock"
        )
