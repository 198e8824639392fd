"""Fresh items against old ones: the shown run compared with the newest earlier run that lacks some of its items."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from support import pages
from support.boards import MANIFEST
from support.oracle_boards import keyed

from nullbench_site.packaged import packaged
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.manifest import FileDigest
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages import board_trust
from nullbench_site.site.render import template_environment
from nullbench_site.site.trust.contamination import rotation
from nullbench_site.site.views import BoardView
from nullbench_site.specs.digest import sha256

NAME = "results/main/items.csv"


def run(folder: Path, items: list[str], sealed: bytes | None = None) -> CatalogEntry:
    """A run of the day before that has nothing but the ids of its items. sealed: what was sealed, if something else."""
    content = "\n".join(["item,overall", *(f"{item},0" for item in items)]).encode()
    (folder / NAME).parent.mkdir(parents=True)
    (folder / NAME).write_bytes(content)
    sealed = content if sealed is None else sealed
    manifest = msgspec.structs.replace(
        MANIFEST, state="sealed", created_at="2020-01-01T00:00:00Z", sealed_at="2020-01-01T00:00:00Z",
        files={NAME: FileDigest(sha256(sealed), len(sealed))},
    )  # fmt: skip
    return CatalogEntry(folder, manifest)


def shown(site: SiteData) -> str:
    """The text of the trust page."""
    (made,) = board_trust.pages(site)
    template = template_environment([packaged("site_templates")], site).get_template(made.template)
    return pages.parse(template.render({**made.context, "link": str})).text


@pytest.fixture(scope="module")
def board() -> BoardView:
    """200 items: "seen" has the first 150 right and "plain" the first 100."""
    view = keyed({"seen": 150, "plain": 100, "other": 90})
    models = {name: msgspec.structs.replace(each, family=name) for name, each in view.benchmark.models.items()}
    return replace(view, benchmark=replace(view.benchmark, models=models))


def site(view: BoardView, *runs: CatalogEntry) -> SiteData:
    shown = CatalogEntry(Path("shown"), MANIFEST)
    return SiteData(view.benchmark, shown, [*runs, shown], {view.board.id: view.results})


def test_fresh_items_are_those_that_the_newest_run_with_fewer_lacks(board: BoardView, tmp_path: Path) -> None:
    """On the 150 old items "seen" is always right, on the 50 fresh ones never: it drops by 100, others by less."""
    ids = sorted(item.id for item in board.items)
    runs = [run(tmp_path / name, ids[:n]) for name, n in (("a", 20), ("b", 150), ("c", 200))]
    found = rotation(site(board, *runs), board)
    assert (found.run, found.n_old, found.n_fresh, found.n_earlier) == ("b", 150, 50, 2)
    rows = {model.id: row for model, row in found.rows}
    assert (rows["seen"].before, rows["seen"].after) == (100, 0)
    others = (100 * 100 / 150 + 100 * 90 / 150) / 2
    assert rows["seen"].value == pytest.approx(100 - others)
    assert rows["seen"].low > 0 > rows["other"].high
    assert "50 items are not in the run b, and 150 are." in shown(site(board, *runs))


def test_without_added_items_nothing_is_compared(board: BoardView, tmp_path: Path) -> None:
    ids = [item.id for item in board.items]
    same = run(tmp_path / "same", ids)
    changed = run(tmp_path / "changed", ids[:9], b"other")
    found = rotation(site(board, same, changed, CatalogEntry(tmp_path / "none", MANIFEST)), board)
    assert (found.run, found.n_earlier, found.rows) == (None, 1, ())
    assert "No run added items: 1 earlier run of this board had the same items" in shown(site(board, same))
    assert "Fresh items" not in shown(site(board))
