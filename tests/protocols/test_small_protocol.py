"""A protocol of somebody else has all that ours have, by its package alone: no line of the program knows its name.

The package stands in `small_protocol/`. It is installed for the commands of these tests as pip would have installed it.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support import pages
from support.browser import launched, served, visiting
from support.commands import ROOT, Finished, nullbench
from support.explorer import open_answer, opened
from support.pages import Element

from nullbench_site.extensions import registered

PACKAGE = Path(__file__).parent / "small_protocol"
ENTRIES = """\
[nullbench_site.protocols]
echo = small_protocol
echo-marks = small_protocol.marked

[nullbench_site.programs]
listen = small_protocol.judging:listen
listen-close = small_protocol.judging:listen_closely
"""
CANARY = 'canary: "nullbench-canary:5d000000-0000-4000-8000-{:012}"\n'
FILES = {
    "benchmark.yaml": """\
id: echoes
title: Echoes
version: "0.1.0"
description: Two rivers and a hill, for tests.
license: Apache-2.0
""",
    "judges.yaml": """\
judges:
  - {id: anna, title: Anna, description: A program., backend: offline, model: listen, family: rules}
  - {id: ben, title: Ben, description: Another., backend: offline, model: listen-close, family: rules}
panels:
  - {id: listeners, title: Listeners, judges: [anna, ben]}
""",
    "boards/names.yaml": """\
id: names
title: Names
question: Who says the names?
description: A name a prompt, for tests.
construct: capability
protocol: echo
panel: listeners
domains: [waters]
bootstrap: {resamples: 200, seed: 1}
""",
    "domains/waters.yaml": """\
id: waters
title: Waters
description: Rivers and what stands beside them.
protocol: echo
categories:
  - id: rivers
    title: Rivers
    description: Their names.
    items:
      - {id: r-1, difficulty: easy, prompt: "The river is called Elbe. Which river is it?", word: Elbe}
      - {id: r-2, difficulty: easy, prompt: "The river is called Oder. Which river is it?", word: oder}
      - {id: r-3, difficulty: hard, prompt: "The hill is called Brocken. Which hill is it?", word: Brocken}
""",
}
MARKED = {
    "boards/marks.yaml": """\
id: marks
title: Marks
question: Who says the names, as a program hears it?
description: The same without judges.
construct: capability
protocol: echo-marks
domains: [hills]
bootstrap: {resamples: 200, seed: 1}
""",
    "domains/hills.yaml": """\
id: hills
title: Hills
description: Two of them.
protocol: echo-marks
categories:
  - id: tops
    title: Tops
    description: Their names.
    items:
      - {id: h-1, difficulty: easy, prompt: "The hill is called Arber. Which hill is it?", word: Arber}
      - {id: h-2, difficulty: easy, prompt: "Which hill is the highest?", word: Zugspitze}
""",
}
"""A board of the other protocol of the package, whose answers a program marks."""
CONTESTANTS = {
    "agree": ("agree", "baseline"), "glossary": ("glossary", "baseline"), "silent": ("null-empty", "null"),
    "constant": ("null-constant", "null"),
}  # fmt: skip
MODEL = (
    "id: {id}\ntitle: {title}\ndescription: A program.\nkind: '{kind}'\nbackend: offline\nmodel: {program}\nfamily: f\n"
)
ITEMS, JUDGES, MARKED_ITEMS = 3, 2, 2
CALLS = len(CONTESTANTS) * (ITEMS * (1 + JUDGES) + MARKED_ITEMS)


@dataclass(frozen=True)
class Benchmark:
    """A benchmark of the protocol, and where the package of the protocol is installed."""

    folder: Path
    packages: Path

    def run(self, *arguments: str) -> Finished:
        done = nullbench(self.folder, *arguments, PYTHONPATH=os.pathsep.join([str(self.packages), str(ROOT)]))
        assert "Traceback" not in done.err, done.err
        return done

    def report(self, *arguments: str) -> dict[str, Any]:
        """What a build says of itself, which is to succeed."""
        done = self.run("build", "--json", *arguments)
        assert done.code == 0, done.err
        report: dict[str, Any] = json.loads(done.out)
        return report

    def change(self, name: str, old: str, new: str) -> None:
        path = self.folder / "specs" / name
        text = path.read_text("utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), "utf-8")

    @cached_property
    def pages(self) -> dict[str, Element]:
        return pages.pages(self.folder / "site")

    @property
    def data(self) -> Path:
        return self.folder / "site/data/v1"


def benchmark_in(folder: Path) -> Benchmark:
    packages = folder / "packages"
    shutil.copytree(PACKAGE, packages / "small_protocol", ignore=shutil.ignore_patterns("__pycache__"))
    info = packages / "small_protocol-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: small-protocol\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(ENTRIES, "utf-8")
    models = {
        f"models/{name}.yaml": MODEL.format(id=name, title=name.title(), kind=kind, program=program)
        for name, (program, kind) in CONTESTANTS.items()
    }
    for number, (name, text) in enumerate({**FILES, **MARKED, **models}.items()):
        path = folder / "benchmark/specs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CANARY.format(number) + text, "utf-8")
    return Benchmark(folder / "benchmark", packages)


@pytest.fixture
def small(tmp_path: Path) -> Benchmark:
    """Specs, and nothing built yet."""
    return benchmark_in(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Two runs and a site: r-2 is private, and r-3 wants another word in the second run."""
    benchmark = benchmark_in(tmp_path_factory.mktemp("small"))
    assert benchmark.run("hide", "waters", "r-2").code == 0
    assert benchmark.run("validate").code == 0
    report = benchmark.report("--no-render")
    assert report["calls"] == {"planned": CALLS, "made": CALLS, "reused": 0, "failed": 0}
    benchmark.change("domains/waters.yaml", "word: Brocken", "word: summit")
    benchmark.change("benchmark.yaml", "0.1.0", "0.2.0")
    assert benchmark.report()["calls"]["failed"] == 0
    return benchmark


def rows(benchmark: Benchmark, table: str, version: str = "0.2.0", board: str = "names") -> list[dict[str, str]]:
    (run,) = benchmark.folder.glob(f"runs/{version}-*")
    return list(csv.DictReader((run / f"results/{board}/{table}.csv").read_text("utf-8").splitlines()))


def test_a_board_has_the_columns_that_every_board_has_and_its_own(built: Benchmark) -> None:
    leaderboard = rows(built, "leaderboard")
    assert list(leaderboard[0])[:13] == [
        "rank", "rank_low", "rank_high", "model", "overall", "se", "ci_low", "ci_high", "n_items", "refusal_rate",
        "error_rate", "above_null_floor", "echoes",
    ]  # fmt: skip
    (agree,) = (row for row in leaderboard if row["model"] == "agree")
    # Of Elbe, "oder", which stands as Oder, and summit: Anna hears one, Ben two.
    assert (agree["echoes"], agree["n_items"], agree["error_rate"]) == ("1.5", "3", "0.0")
    assert [row["above_null_floor"] for row in leaderboard] == [""] * 4  # three items are too few


def test_a_board_whose_answers_a_program_marks_has_no_judges_and_all_the_rest(built: Benchmark) -> None:
    scores = {row["model"]: (row["overall"], row["rank"]) for row in rows(built, "leaderboard", board="marks")}
    assert (scores["agree"], scores["silent"]) == (("50.0", "1"), ("0.0", ""))
    page = built.pages["boards/marks/"].text
    assert "No judge: a program marks each answer." in page
    assert "Failures: no answer failed." in page
    assert "Nobody judges here." in built.pages["judges/marks/"].text
    for address in ("domains/marks/hills/", "models/agree/", "compare/", "methodology/", "data/", "evidence/"):
        assert "Marks" in built.pages[address].text, address
    (answers,) = (built.data / "evidence/marks/answers/agree").iterdir()
    assert json.loads(answers.read_bytes())["h-1"]["score"] == {"state": "scored", "score": 100.0}


def test_a_second_build_asks_nobody_and_the_run_is_verified_and_scored_anew(built: Benchmark) -> None:
    again = built.report()
    assert again["calls"] == {"planned": CALLS, "made": 0, "reused": CALLS, "failed": 0}
    before = rows(built, "leaderboard")
    for command in ("verify", "score"):
        done = built.run(command)
        assert done.code == 0, done.err
    assert rows(built, "leaderboard") == before


@pytest.mark.parametrize(
    "address",
    [
        "boards/names/", "domains/", "domains/names/waters/", "models/agree/", "judges/", "methodology/", "compare/",
        "runs/", "data/", "evidence/",
    ],
)  # fmt: skip
def test_every_kind_of_page_tells_of_the_board(built: Benchmark, address: str) -> None:
    assert "Names" in built.pages[address].text


def test_the_pages_show_its_own_column_and_metric(built: Benchmark) -> None:
    assert "Echoes" in built.pages["boards/names/"].text
    assert "The share of answers that have the word" in built.pages["glossary/"].text


def test_every_data_file_fits_its_schema(built: Benchmark) -> None:
    index = json.loads((built.data / "index.json").read_bytes())
    (board,) = (each for each in index["boards"] if each["id"] == "names")
    assert board["protocol"] == "echo"
    assert {"echo_overall", "echoes", "rank", "ci", "alpha"} <= {metric["id"] for metric in index["metrics"]}
    files = {
        "index.json": "index", board["json"]: board["schema"].removesuffix(".schema.json"), "runs.json": "runs",
        "models/agree.json": "models/model", board["evidence"]: "evidence/index",
        **{f"evidence/names/{part}": f"evidence/echo-{kind}" for kind, part in evidence_parts(built)},
    }  # fmt: skip
    for name, schema in files.items():
        validator = Draft202012Validator(json.loads((built.data / f"{schema}.schema.json").read_bytes()))
        validator.validate(json.loads((built.data / name).read_bytes()))


def evidence_parts(benchmark: Benchmark) -> Iterator[tuple[str, str]]:
    """Kind and path of each file with items or answers."""
    folder = benchmark.data / "evidence/names"
    for kind in ("items", "answers"):
        parts = [path.relative_to(folder).as_posix() for path in (folder / kind).rglob("*.json")]
        assert parts
        yield from ((kind, part) for part in parts)


def test_the_evidence_has_prompts_answers_and_verdicts(built: Benchmark) -> None:
    (items,) = (built.data / "evidence/names/items").iterdir()
    (answers,) = (built.data / "evidence/names/answers/agree").iterdir()
    assert json.loads(items.read_bytes())["r-1"]["prompt"] == "The river is called Elbe. Which river is it?"
    (sample,) = json.loads(answers.read_bytes())["r-1"]["samples"]
    assert "Elbe" in sample["text"]
    assert {verdict["judge"]: verdict["scores"] for verdict in sample["verdicts"]} == {
        "anna": {"echoed": 1}, "ben": {"echoed": 1},
    }  # fmt: skip


def test_two_runs_are_compared(built: Benchmark) -> None:
    before, after = (
        {row["model"]: row["overall"] for row in rows(built, "leaderboard", v)} for v in ("0.1.0", "0.2.0")
    )
    assert (before["agree"], after["agree"]) == ("83.333333", "50.0")
    text = built.pages["runs/"].text
    assert "0.1.0" in text
    assert "0.2.0" in text
    assert "1 item" in text


def test_a_private_item_stays_private_and_counts(built: Benchmark) -> None:
    public = [
        path.read_bytes()
        for path in built.folder.rglob("*")
        if path.is_file() and not {"private", ".nullbench"} & {*path.relative_to(built.folder).parts}
    ]
    assert any(b"Elbe" in content for content in public)
    assert not [content for content in public if b"Oder" in content or b"oder}" in content]
    (items,) = (built.data / "evidence/names/items").iterdir()
    assert {"prompt", "word", "salt"} & {*json.loads(items.read_bytes())["r-2"]} == set()
    private, away = built.folder / "private", built.folder.parent / "away"
    private.rename(away)
    try:
        assert built.report("--no-render")["calls"]["made"] == 0
    finally:
        away.rename(private)


def test_the_explorer_shows_its_answers_without_a_script_of_its_own(built: Benchmark) -> None:
    with launched() as browser, served(built.folder / "site") as origin, visiting(browser, origin) as visit:
        page = visit.go("evidence/#board=names&model=agree&domain=waters&item=r-1")
        opened(page, "r-1")
        assert "Which river is it?" in page.locator("#nb-item").inner_text()
        answer = page.locator("#nb-answer").inner_text()
        for text in ("scored: 100", "Anna", "Ben", "Looked for Elbe.", "echoed"):
            assert text in answer
        open_answer(page, "names", "agree", "r-2")
        assert "Private item" in page.locator("#nb-item").inner_text()
        assert "Listened." not in page.locator("#nb-answer").inner_text()
        assert visit.complaints == []


def test_a_mistake_in_its_specs_is_told_with_its_place(small: Benchmark) -> None:
    small.change("domains/waters.yaml", "word: Elbe}", "wrod: Elbe}")
    done = small.run("validate")
    assert done.code == 2
    assert "specs/domains/waters.yaml:11:93: unknown key 'wrod'; did you mean 'word'?" in done.err


def test_without_the_package_the_unknown_protocol_is_named(small: Benchmark) -> None:
    small.change("boards/names.yaml", "protocol: echo", "protocol: axis")
    done = nullbench(small.folder, "validate")
    known = f"known: {', '.join(sorted(registered('protocols')))}"
    assert (done.code, done.err.splitlines()) == (
        2,
        [
            f"specs/boards/marks.yaml:7:11: found the text 'echo-marks'; {known}",
            f"specs/boards/names.yaml:7:11: found the text 'axis'; did you mean 'axes'? {known}",
            f"specs/domains/hills.yaml:5:11: found the text 'echo-marks'; {known}",
            f"specs/domains/waters.yaml:5:11: found the text 'echo'; {known}",
            "4 problems in the specs",
        ],
    )
