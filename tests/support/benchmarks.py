"""A whole benchmark that is small: one board, two domains, three categories, six items, three judges, four contestants.

Its own files stand in `small_benchmark/`; axes, template and contestants are the shipped ones, so a build
of it runs the same programs as a build of the real board, on 6 items instead of 156.
"""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Sequence
from pathlib import Path

from nullbench_site.packaged import packaged
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.sources import BackendNames

OWN = Path(__file__).parent / "small_benchmark"
SHIPPED = (
    "axes.yaml", "templates/zero-context.txt",
    *(f"models/{name}.yaml" for name in ("lead-2", "textrank-2", "null-constant", "null-empty")),
)  # fmt: skip
BACKENDS = BackendNames(
    contestants={"offline": frozenset({"lead", "textrank", "null-constant", "null-empty"}), "openai": None},
    judges={"offline": frozenset({"support", "restraint", "form"}), "openai": None},
)
"""What its contestants and judges need, and a backend that asks endpoints: names without the programs behind them."""
ENDPOINTS = """\
canary: "nullbench-canary:5a000000-0000-4000-8000-000000000008"
endpoints:
  - id: jury
    base_url: https://jury.example/v1
    key_env: JURY_KEY
    headers: {x-team: tests}
    query: {api-version: "1"}
    limits: {concurrency: 4}
  - id: lab
    base_url_env: LAB_URL
"""
TALKER = """\
canary: "nullbench-canary:5a000000-0000-4000-8000-000000000009"
id: talker
title: Talker
description: A model, for tests.
kind: model
backend: openai
endpoint: lab
model: talker-1
family: talkers
decoding: {temperature: null, max_tokens: 100}
prices: {input: 1, output: 2.5, date: "2026-11-12", source: a price list}
"""
LIVE_JUDGES = """\
  - id: anna
    title: Anna
    description: A model, for tests.
    backend: openai
    endpoint: jury
    model: anna-1
    family: annas
    decoding: {temperature: 0, max_tokens: 200}
    prices: {input: 0.5, cached_input: 0.25, output: 2, date: "2026-11-12", source: a price list}
  - {id: ben, title: Ben, description: Another., backend: openai, endpoint: jury, model: ben-1, family: bens}
  - {id: cleo, title: Cleo, description: A third., backend: openai, model: cleo-1, family: cleos}
"""
LIVE_PANEL = """\
  - id: live
    title: Three models
    judges: [anna, ben, cleo]
"""
LIVE_PROFILE = """\
profiles:
  live:
    panel: live
    contestants: [talker, null-empty]
    samples: 2
    decoding: {temperature: 0.5, max_tokens: 300}
"""
LEDGER = """\
canary: "nullbench-canary:5a000000-0000-4000-8000-0000000000c2"
entries:
  - {date: "2026-10-01", kind: item, id: fish-09, what: withdrawn, reason: Wrong., by: Ada}
  - {date: "2026-11-02", kind: contestant, id: textrank-2, what: added, reason: A baseline., by: Ben}
"""
AWARE = 'kind: "null"\naware: true\n'
CANARY = re.compile(r"nullbench-canary:[0-9a-f-]{36}")


def write_small_benchmark(folder: Path) -> Path:
    """Write the small benchmark into `folder`/specs, the same bytes each time; returns `folder`/specs."""
    specs = folder / "specs"
    shutil.copytree(OWN, specs)
    for name in SHIPPED:
        target = specs / name
        target.parent.mkdir(exist_ok=True)
        canary = f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_URL, name)}"
        target.write_text(CANARY.sub(canary, (packaged("specs") / name).read_text("utf-8")), "utf-8")
    return specs


def write_live_benchmark(folder: Path) -> Path:
    """The small benchmark with the profile `live`: a contestant and three judges behind two endpoints, two samples."""
    specs = write_small_benchmark(folder)
    (specs / "endpoints.yaml").write_text(ENDPOINTS, "utf-8")
    (specs / "models/talker.yaml").write_text(TALKER, "utf-8")
    edit(specs, "judges.yaml", "panels:\n", f"{LIVE_JUDGES}panels:\n{LIVE_PANEL}")
    board = specs / "boards/small.yaml"
    board.write_text(board.read_text("utf-8") + LIVE_PROFILE, "utf-8")
    return specs


def write_small(protocol: str, folder: Path, contestants: Sequence[str], *, knowing: str = AWARE) -> Path:
    """Write the small benchmark of another protocol, `small_<protocol>/` with shipped contestants, into `folder`/specs,
    the same bytes each time; returns `folder`/specs. knowing: what null models that know the request are here."""
    specs = folder / "specs"
    shutil.copytree(Path(__file__).parent / f"small_{protocol}", specs)
    (specs / "models").mkdir()
    for name in contestants:
        canary = f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_URL, f'{protocol} {name}')}"
        text = CANARY.sub(canary, (packaged("specs") / f"models/{name}.yaml").read_text("utf-8"))
        (specs / f"models/{name}.yaml").write_text(text.replace(AWARE, knowing), "utf-8")
    return specs


def with_live_profile(specs: Path, board: str, judges: Sequence[str], profile: str) -> Path:
    """The same with the model talker and a profile `live` whose panel is of models: everybody at OPENAI_BASE_URL.

    judges: the first parts of their ids, names and families, `anna` or `tom of talkers`.
    """
    who = [name.partition(" of ")[::2] for name in judges]
    lines = "".join(
        f"  - {{id: {name}, title: {name.title()}, description: A model., backend: openai, model: {name}-1, "
        f"family: {family or name + 's'}}}\n"
        for name, family in who
    )
    panel = f"  - {{id: live, title: Models, judges: [{', '.join(name for name, _ in who)}]}}\n"
    talker = TALKER.replace("endpoint: lab\n", "").partition("decoding:")[0]
    (specs / "models/talker.yaml").write_text(talker, "utf-8")
    edit(specs, "judges.yaml", "panels:\n", f"{lines}panels:\n{panel}")
    path = specs / f"boards/{board}.yaml"
    path.write_text(f"{path.read_text('utf-8')}profiles:\n  live:{profile}\n", "utf-8")
    return specs


def small_benchmark(folder: Path) -> Benchmark:
    """The small benchmark, written below `folder`, loaded and checked."""
    return load_benchmark(write_small_benchmark(folder), backends=BACKENDS)


def edit(specs: Path, file: str, old: str, new: str) -> None:
    """Replace `old`, which stands once in a spec file, by `new`."""
    path = specs / file
    text = path.read_text("utf-8")
    assert text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}; an edit needs one place"
    path.write_text(text.replace(old, new), "utf-8")
