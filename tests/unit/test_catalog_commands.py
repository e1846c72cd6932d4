"""`ragpp catalog`: what it sends, what it shows, and how it answers the shell, on a gateway that keeps its things."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ragpp.catalog import MAX_RESOURCE_CHARS
from ragpp.errors import InvalidInput
from ragpp_infra.cli.catalog.folder import BadFile, TextFile, id_of, places_of, read_files
from tests.support.command_line import Done, runner
from tests.support.each import each_case
from tests.support.knowing import KnowingGateway

WHAT = "What it costs, and what is in it"


@pytest.fixture
def catalog(
    gateway: KnowingGateway, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Done]:
    """Runs `ragpp catalog …` for the user u1 as the shell would, on the gateway of this test."""
    run = runner(monkeypatch, capsys, gateway)
    monkeypatch.setenv("RAGPP_USER", "u1")
    return lambda *arguments: run("catalog", *arguments, home=tmp_path)


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """Two texts, one of them a folder deeper, and what is none."""
    folder = tmp_path / "handbook"
    (folder / "sales" / ".drafts").mkdir(parents=True)
    (folder / "prices.md").write_text("# Prices\nBasic costs $99.\nPro costs $299.\n", encoding="utf-8")
    (folder / "sales" / "hours.txt").write_text("We open at nine.\n", encoding="utf-8")
    (folder / "logo.png").write_bytes(b"\x89PNG")
    (folder / "empty.md").write_text(" \n", encoding="utf-8")
    (folder / "sales" / ".drafts" / "secret.md").write_text("Not yet.", encoding="utf-8")
    (folder / "link.md").symlink_to(folder / "prices.md")
    return folder


def stored(gateway: KnowingGateway) -> dict[str, str]:
    return {str(one.metadata.get("source")): one.content for one in gateway.resources.values()}


def test_the_texts_of_a_folder_are_stored_with_their_titles_and_places(
    catalog: Callable[..., Done], gateway: KnowingGateway, handbook: Path
) -> None:
    done = catalog("import", str(handbook))
    assert done.returncode == 0, done.stderr
    assert "2 files stored" in done.stdout
    assert stored(gateway) == {
        "prices.md": "# Prices\nBasic costs $99.\nPro costs $299.\n",
        "sales/hours.txt": "We open at nine.\n",
    }
    assert {one.metadata["title"] for one in gateway.resources.values()} == {"Prices", "hours"}
    assert gateway.users == {"u1"}


def test_importing_again_stores_nothing_twice_and_what_was_changed_once_more(
    catalog: Callable[..., Done], gateway: KnowingGateway, handbook: Path
) -> None:
    catalog("import", str(handbook))
    assert "0 files stored, 2 known already" in catalog("import", str(handbook)).stdout
    (handbook / "prices.md").write_text("# Prices\nBasic costs $109.\n", encoding="utf-8")
    assert "1 file stored, 1 known already" in catalog("import", str(handbook)).stdout
    assert len(gateway.resources) == 3


def test_an_import_that_was_stopped_before_its_facts_takes_them_the_next_time_and_then_no_more(
    catalog: Callable[..., Done], gateway: KnowingGateway, handbook: Path
) -> None:
    catalog("categories", "create", "plans", WHAT)
    catalog("import", str(handbook))
    assert gateway.items == {}
    first = json.loads(catalog("import", str(handbook), "--extract", "--category", "plans", "--json").stdout)
    assert (first["stored"], first["duplicates"], first["items"]) == (0, 2, 4)
    assert {one.category for one in gateway.items.values()} == {"plans"}
    again = json.loads(catalog("import", str(handbook), "--extract", "--json").stdout)
    assert (again["jobs"], again["items"]) == ({}, 0)


def test_files_that_cannot_be_stored_are_named_and_the_others_are(
    catalog: Callable[..., Done], gateway: KnowingGateway, handbook: Path
) -> None:
    (handbook / "latin.txt").write_bytes("Größe".encode("latin-1"))
    (handbook / "long.txt").write_text("x" * (MAX_RESOURCE_CHARS + 1), encoding="utf-8")
    (handbook / "nul.txt").write_text("a\x00b", encoding="utf-8")
    done = catalog("import", str(handbook))
    assert done.returncode == 1
    assert all(name in done.stderr for name in ("latin.txt", "long.txt", "nul.txt"))
    assert set(stored(gateway)) == {"prices.md", "sales/hours.txt"}
    told = json.loads(catalog("import", str(handbook), "--json").stdout)
    assert {one["file"] for one in told["refused"]} == {"latin.txt", "long.txt", "nul.txt"}


def test_facts_that_could_not_be_taken_are_told_and_the_shell_is(
    catalog: Callable[..., Done], gateway: KnowingGateway, handbook: Path
) -> None:
    gateway.fails["extract"] = "MEM-005 Extraction failed"
    done = catalog("import", str(handbook), "--extract")
    assert done.returncode == 1
    assert "ragpp jobs --stage catalog" in done.stderr


def test_a_category_that_is_not_there_is_told_before_anything_is_stored(
    catalog: Callable[..., Done], gateway: KnowingGateway, handbook: Path
) -> None:
    done = catalog("import", str(handbook), "--extract", "--category", "plans")
    assert done.returncode == 1
    assert "Category not found" in done.stderr
    assert gateway.resources == {}


def test_what_is_no_folder_is_refused_before_anything_is_sent(
    catalog: Callable[..., Done], gateway: KnowingGateway, tmp_path: Path
) -> None:
    done = catalog("import", str(tmp_path / "none"))
    assert done.returncode == 1
    assert "is no folder" in done.stderr
    assert gateway.seen == []


def test_the_id_of_a_file_is_of_its_place_and_its_content_and_of_nothing_else(tmp_path: Path) -> None:
    assert id_of("a.md", "x") == id_of("a.md", "x")
    assert len({id_of("a.md", "x"), id_of("b.md", "x"), id_of("a.md", "y")}) == 3
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfx")
    (found,) = read_files(tmp_path, places_of(tmp_path))
    assert isinstance(found, TextFile)
    assert (found.id, found.content) == (id_of("a.md", "x"), "x")


def test_a_file_that_goes_while_the_folder_is_read_is_one_bad_file(tmp_path: Path) -> None:
    (found,) = read_files(tmp_path, ["gone.md"])
    assert isinstance(found, BadFile)
    with pytest.raises(InvalidInput):
        places_of(tmp_path / "gone")


def test_a_resource_is_stored_extracted_found_and_deleted(
    catalog: Callable[..., Done], gateway: KnowingGateway, tmp_path: Path
) -> None:
    file = tmp_path / "prices.txt"
    file.write_text("Basic costs $99.\nPro costs $299.", encoding="utf-8")
    catalog("categories", "create", "plans", WHAT)
    answer = json.loads(catalog("store", "--file", str(file), "--title", "Prices", "--id", "res_1", "--json").stdout)
    assert answer["resource"]["resource_id"] == "res_1"
    assert "Pro costs $299." in catalog("extract", "res_1", "--category", "plans").stdout
    assert "Prices" in catalog("resources").stdout
    assert "Pro costs $299." in catalog("resources", "res_1").stdout
    assert "Prices" in catalog("resources", "--search", "Basic").stdout
    assert "no resources" in catalog("resources", "--search", "elephants").stdout
    assert "0.90" in catalog("retrieve", "What does Pro cost?", "-k", "1", "--category", "plans").stdout
    assert "Basic costs $99." in catalog("items", "--category", "plans").stdout
    assert "- Pro costs $299." in catalog("categories", "consolidate", "plans").stdout
    assert "- Pro costs $299." in catalog("categories", "show", "plans").stdout
    assert json.loads(catalog("stats", "--json").stdout)["total_items"] == 2
    assert "2 rows made anew" in catalog("rebuild").stdout
    (item, _) = gateway.items
    assert catalog("delete", "item", item, "--yes").returncode == 0
    assert catalog("delete", "resource", "res_1", "--yes", "--keep-items").returncode == 0
    assert catalog("delete", "category", "plans", "--yes").returncode == 0
    assert (gateway.resources, gateway.categories, len(gateway.items)) == ({}, {}, 1)


@each_case("command", ["resources res_none", "extract res_none", "categories show none", "delete item item_none --yes"])
def test_what_there_is_not_is_a_failure_that_says_so(catalog: Callable[..., Done], command: str) -> None:
    done = catalog(*command.split())
    assert done.returncode == 1
    assert "not found" in done.stderr.lower()


def test_a_deletion_that_nobody_confirmed_deletes_nothing(
    catalog: Callable[..., Done], gateway: KnowingGateway
) -> None:
    catalog("store", "One fact.", "--id", "res_1")
    done = catalog("delete", "resource", "res_1", "--json")
    assert done.returncode == 1
    assert "--yes" in done.stderr
    assert set(gateway.resources) == {"res_1"}


@each_case(
    ("command", "named"),
    [
        ("store", "--file"),
        ("store x --file y", "--file"),
        ("store x --type Not-Snake", "--type"),
        ("store x --at yesterday", "--at"),
        ("retrieve x -k 0", "-k"),
        ("retrieve x --mode guess", "--mode"),
        ("retrieve x --category Not-Snake", "--category"),
        ("retrieve x --as-of yesterday", "--as-of"),
        ("retrieve ", "query"),
        ("resources --type Not-Snake", "--type"),
        ("items --limit 0", "--limit"),
        ("categories create Not-Snake description-of-it", "'name'"),
        ("categories create plans short", "'description'"),
        ("events --type memory.dreamt", "--type"),
    ],
)
def test_a_value_that_cannot_be_is_wrong_usage_and_nothing_is_sent(
    catalog: Callable[..., Done], gateway: KnowingGateway, command: str, named: str
) -> None:
    done = catalog(*command.split(" "))
    assert done.returncode == 2
    assert named in done.stderr
    as_json = catalog(*command.split(" "), "--json")
    assert as_json.returncode == 2
    assert named.strip("'") in json.loads(as_json.stderr)["detail"]
    assert gateway.seen == []


@each_case(
    "command",
    [
        *("import", "store", "extract", "retrieve", "resources", "items", "stats", "events", "rebuild"),
        *("categories list", "categories show", "categories create", "categories defaults", "categories consolidate"),
        *("delete resource", "delete item", "delete category"),
    ],
)
def test_every_command_explains_itself_with_an_example(catalog: Callable[..., Done], command: str) -> None:
    done = catalog(*command.split(), "--help")
    assert done.returncode == 0
    assert "Example: ragpp catalog" in " ".join(done.stdout.split())
    assert "--url" in done.stdout
    assert "--json" in done.stdout
