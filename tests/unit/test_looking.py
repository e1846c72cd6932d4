"""The checks of an embedded stack that `ragpp doctor` makes from outside."""

from pathlib import Path

from ragpp_infra.embedded.lifecycle import Lifecycle
from ragpp_infra.embedded.looking import look_at


def test_what_does_not_run_and_what_others_can_read_is_told_with_what_to_do(tmp_path: Path) -> None:
    lifecycle = Lifecycle(tmp_path / "home")
    lifecycle.home.create()
    lifecycle.home.write_key("rp_key")
    found = {check.name: check for check in look_at(lifecycle)}
    assert found["server postgres"].status == found["service gateway"].status == "failed"
    assert "ragpp up" in found["server neo4j"].fix[0]
    assert found["secrets"].status == "ok"
    lifecycle.home.key_path.chmod(0o644)
    (open_,) = [check for check in look_at(lifecycle) if check.name == "secrets"]
    assert (open_.status, open_.cause) == ("failed", "others can read key")
    assert "chmod 600 key" in open_.fix[0]
