"""Imported boards: where their figures come from, published figures next to ours, and how a board is removed."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from support.score_boards import import_small, table_text, write_table

from nullbench_site import api
from nullbench_site.errors import SpecError
from nullbench_site.interop.score_boards import BoardRequest, import_table
from nullbench_site.interop.score_table import Chosen, read_table
from nullbench_site.repository import Repository
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.load import load_benchmark

SOURCE = "imported: {link: https://example.org/data, license: CC BY-NC 4.0, taken: '2026-11-26'}\n"
MADE = "items_made: {by: people, how: 'exam <b>papers</b> of two schools'}\n"
FIGURES = "published: {overall: {alpha: 70.12, beta: 61}}\n"
HEBREW = "\u05de\u05d5\u05d3\u05dc"
EDGES = {
    "one": {"Alone": [50]},
    "equal": {"A": [70] * 4, "B": [70] * 4},
    "names": {HEBREW: [70, 71, 72, 73], "W" * 200: [60, 63, 61, 62]},
}
"""Boards that are hard to show: scores by contestant, one an item."""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Two imported boards, the source of one published figures, and those that are hard to show."""
    folder = tmp_path_factory.mktemp("imported")
    root = folder / "made"
    import_small(folder, root)
    table = read_table(str(write_table(folder / "other.csv", table_text(shift=1))), Chosen(group="topic"))
    import_table(table, BoardRequest(into=root, board="other"))
    for name, scores in EDGES.items():
        lines = [f"{model},q{n},{score},{HEBREW} {n % 2}" for model, of in scores.items() for n, score in enumerate(of)]
        file = str(write_table(folder / f"{name}.csv", "\n".join(("model,item,score,topic", *lines))))
        chosen, title = (Chosen(group="topic"), f"{HEBREW} 7") if name == "names" else (Chosen(), None)
        import_table(read_table(file, chosen), BoardRequest(into=root, board=name, title=title))
    for name, more in (("small", SOURCE + FIGURES + MADE), ("other", SOURCE)):
        board = root / "specs" / "boards" / f"{name}.yaml"
        board.write_text(board.read_text("utf-8") + more, "utf-8")
    return Repository(root)


@pytest.fixture(scope="module")
def site(repository: Repository) -> Path:
    return Path(api.build(repository).site_dir)


def page(site: Path, board: str) -> str:
    """Return the text of a board's page and those of its domains; the first board is the home page."""
    pages = [path for path in (site / "boards" / board / "index.html", site / "index.html") if path.is_file()][:1]
    text = " ".join(path.read_text("utf-8") for path in (*pages, *site.glob(f"domains/{board}/*/index.html")))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))


def test_a_board_names_its_source_its_licence_and_what_is_missing(site: Path) -> None:
    for board in ("small", "other"):
        assert "from https://example.org/data" in page(site, board)
        assert "Licence of the data: CC BY-NC 4.0." in page(site, board)
    said = "There is no published aggregate in the source."
    assert [said in page(site, board) for board in ("small", "other")] == [False, True]


def test_a_board_says_how_its_items_were_made_on_its_page_and_in_its_methodology(site: Path) -> None:
    said = "The items were written by people: exam &lt;b&gt;papers&lt;/b&gt; of two schools."
    assert said in page(site, "small")
    assert "The items were" not in page(site, "other")
    method = site / "methodology" / "small" / "index.html"
    assert said in method.read_text("utf-8")


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ("one", "Alone scores 50.0; no other contestant is ranked."),
        ("one", "contestant 1 domain 1 item 1 "),
        ("equal", "B scores at least as high as A on all items."),
        ("names", f"On these items, \u2068{HEBREW}\u2069 scores highest, 71.5"),
        ("names", f"\u2068{HEBREW} 7\u2069: How do models score"),
        ("names", f"On these items, \u2068{HEBREW}\u2069 scores highest, 71.0"),
        ("names", "W" * 200),
    ],
)
def test_boards_with_little_to_tell_or_long_and_right_to_left_names_are_shown(
    site: Path, board: str, said: str
) -> None:
    assert said in page(site, board)


def test_published_figures_stand_next_to_ours_with_the_difference(repository: Repository, site: Path) -> None:
    run = api.find_run(repository, None)
    results = json.loads((run.path / "results" / "small" / "results.json").read_bytes())
    ours = {row["model"]: row["overall"] for row in results["leaderboard"]}
    table = page(site, "small").partition("Published figures")[2]
    for title, model, published in (("Alpha", "alpha", 70.12), ("Beta", "beta", 61.0)):
        sign = "+" if ours[model] > published else ""
        difference = f"{sign}{ours[model] - published:.3f}".replace("-", "−")
        assert f"{title} {published:.2f} {ours[model]:.2f} {difference}" in table
    assert "Largest difference:" in table


def test_items_of_an_imported_board_link_to_the_source(site: Path) -> None:
    index = json.loads((site / "data" / "v1" / "evidence" / "small" / "index.json").read_bytes())
    assert index["source"] == "https://example.org/data"


def test_the_source_and_published_figures_change_no_score(repository: Repository, tmp_path: Path) -> None:
    shutil.copytree(repository.specs, tmp_path / "specs")
    board = tmp_path / "specs" / "boards" / "small.yaml"
    board.write_text(board.read_text("utf-8").replace(SOURCE + FIGURES, ""), "utf-8")
    assert spec_digest(load_benchmark(tmp_path / "specs")) == spec_digest(load_benchmark(repository.specs))


@pytest.mark.parametrize(
    ("figures", "problem"),
    [
        ("{overall: {alpah: 1}}", "'alpah' is not a contestant of this board; did you mean 'alpha'?"),
        ("{speed: {alpha: 1}}", "'speed'"),
        ("{overall: {alpha: high}}", "high"),
    ],
)
def test_a_mistake_in_published_figures_is_named_at_its_place(
    repository: Repository, tmp_path: Path, figures: str, problem: str
) -> None:
    shutil.copytree(repository.specs, tmp_path / "specs")
    board = tmp_path / "specs" / "boards" / "small.yaml"
    board.write_text(board.read_text("utf-8").replace(FIGURES, f"published: {figures}\n"), "utf-8")
    with pytest.raises(SpecError) as caught:
        load_benchmark(tmp_path / "specs")
    first = str(caught.value.problems[0])
    assert first.startswith("specs/boards/small.yaml:")
    assert problem in first


def test_a_board_is_removed_with_its_folder_and_its_file(repository: Repository, site: Path, tmp_path: Path) -> None:
    root = tmp_path / "without"
    shutil.copytree(repository.root, root, ignore=shutil.ignore_patterns("site", ".nullbench"))
    shutil.rmtree(root / "specs" / "scores" / "other")
    (root / "specs" / "boards" / "other.yaml").unlink()
    report = api.build(Repository(root), render_site=False)
    assert (report.calls.made, report.calls.left) == (0, 0)
    benchmark = load_benchmark(root / "specs")
    assert {*benchmark.boards} == {"small", *EDGES}
    run = api.find_run(Repository(root), None)
    assert {path.name for path in (run.path / "results").iterdir()} == {"small", *EDGES}
