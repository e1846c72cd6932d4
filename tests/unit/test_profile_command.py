"""`ragpp profile` says so where nothing is known of somebody yet because messages wait."""

from pathlib import Path

import httpx
import pytest

from ragpp.api import Profile
from tests.support.command_line import runner


class Gateway(httpx.AsyncBaseTransport):
    """Knows nothing of anybody, and has so many messages that wait."""

    def __init__(self, waiting: int) -> None:
        self._waiting = waiting

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/pending":
            return httpx.Response(200, json={"pending": self._waiting})
        return httpx.Response(200, json=Profile(user_id="u1", text="Nothing is known of u1.").model_dump(mode="json"))


@pytest.mark.parametrize(("waiting", "hint"), [(3, "3 messages wait"), (0, "")])
def test_nothing_is_known_yet_while_messages_wait(
    waiting: int, hint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    done = runner(monkeypatch, capsys, Gateway(waiting))("profile", "u1", home=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "Nothing is known of u1.")
    assert hint in done.stderr
    assert bool(done.stderr) is bool(hint)
