"""The specs that `docs/reference/protocols.md` shows are specs: whoever copies them has a board."""

from __future__ import annotations

import re
import shutil
import uuid
from itertools import pairwise
from pathlib import Path

import yaml
from support.commands import ROOT

from nullbench_site.evaluation.backends import backend_names
from nullbench_site.packaged import packaged
from nullbench_site.specs.load import load_benchmark
from nullbench_site.starter import make_repository

NAMED = re.compile(r"^ {4}# (specs/\S+\.yaml)$", re.MULTILINE)


def shown(text: str) -> dict[str, str]:
    """The files in a part of the document, by path: indented, each below a line with its name."""
    named = [*NAMED.finditer(text), None]
    files = {}
    for match, following in pairwise(named):
        lines = text[match.end() : following.start() if following else None].splitlines()[1:]
        end = next((n for n, line in enumerate(lines) if line and not line.startswith("    ")), len(lines))
        files[match[1]] = "\n".join(line[4:] for line in lines[:end])
    return files


def test_the_boards_that_the_document_shows_validate(tmp_path: Path) -> None:
    """In a new repository, with the models that they name, and what every board says where they leave it out."""
    parts = (ROOT / "docs" / "reference" / "protocols.md").read_text("utf-8").split("\n## ")
    (common,) = (shown(part) for part in parts if part.startswith("The fields of every board"))
    specs = make_repository(tmp_path / "board") / "specs"
    for model in ("gpt-5.4", "gpt-5.4-nano", "claude-haiku-4.5"):
        shutil.copy(packaged("specs") / "models" / f"{model}.yaml", specs / "models")
    examples = {path: text for part in parts if part.startswith(("rubric", "oracle", "graded", "pairwise"))
                for path, text in shown(part).items()}  # fmt: skip
    for path, text in examples.items():
        (said,) = (yaml.safe_load(of_all) for name, of_all in common.items() if Path(name).parent == Path(path).parent)
        own = {
            "canary": f"nullbench-canary:{uuid.uuid4()}",
            "id": Path(path).stem,
            "contestants": ["gpt-5.4", "null-empty"],
        }
        whole = {key: own.get(key, value) for key, value in said.items()} | yaml.safe_load(text)
        (specs.parent / path).write_text(yaml.safe_dump(whole), "utf-8")
    benchmark = load_benchmark(specs, backends=backend_names())
    protocols = {board.protocol for board in benchmark.boards.values()}
    assert protocols == {"axes", "rubric", "oracle", "graded", "pairwise"}
