"""Whole benchmarks that are small, of any protocol: one board, a few items, judges that are programs, contestants.

Their own files stand in `small_<protocol>/`; the other contestants are shipped ones, so a build runs the same programs
as a build of a real board.
"""

from __future__ import annotations

import json
import re
import shutil
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nullbench_site.packaged import packaged
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.sources import BackendNames

OWN = {folder.name.removeprefix("small_"): folder for folder in sorted(Path(__file__).parent.glob("small_*"))}
"""The files of each benchmark that are not shipped ones."""
MODELS = {
    "axes": ("lead-2", "null-constant", "null-empty", "textrank-2"),
    "oracle": ("copy", "null-constant", "null-empty"),
    "pairwise": ("copy", "essay", "null-empty", "paraphrase"),
    "rubric": ("copy", "null-constant", "null-empty", "paraphrase"),
}
"""The shipped contestants of each benchmark."""
BOARD = {protocol: next((folder / "boards").glob("*.yaml")).stem for protocol, folder in OWN.items()}
_PROFILES = {
    "pairwise": (("anna", "tom of talkers"), "{panel: live, contestants: [talker, essay, null-empty]}"),
    "rubric": (("anna", "ben"), "{panel: live, contestants: [talker, null-empty], geval: {judge: anna}}"),
}
"""The judges and the keys of the profile `live`."""
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
OVERLAP = f"""\
canary: "nullbench-canary:5a000000-0000-4000-8000-00000000000c"
id: small
texts: "{"0" * 64}"
tau: 0.85
similarity: {{method: tf-idf, passage_words: 12}}
corpora:
  - {{name: books.txt, sha256: {"a" * 64}, words: 1000, skipped: 1}}
items:
  - {{id: rivers-01, words: 20, shared: 8, cosine: 0.4, edit: 0.9, source_words: 100, source_shared: 2}}
  - {{id: rivers-02, words: 12}}
"""
QUESTIONS = """\
canary: "nullbench-canary:5a000000-0000-4000-8000-0000000000c3"
prohibitions: {fish-01: [2], fish-02: [1, 3]}
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
CANARY = re.compile(r"nullbench-canary:[0-9a-f-]{36}")


def write_benchmark(folder: Path, protocol: str = "axes", *, live: bool = False) -> Path:
    """Write the benchmark of that protocol into `folder`/specs, the same bytes each time; returns `folder`/specs.

    live: with the profile `live`, whose contestant and judges are models: of the `axes` board behind two endpoints and
    with two samples, of the others at OPENAI_BASE_URL.
    """
    specs = folder / "specs"
    shutil.copytree(OWN[protocol], specs)
    shipped = [f"models/{name}.yaml" for name in MODELS[protocol]]
    if protocol == "axes":
        shipped += ["axes.yaml", "templates/zero-context.txt"]
    for name in shipped:
        (specs / name).parent.mkdir(exist_ok=True)
        canary = f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_URL, f'{protocol} {name}')}"
        text = CANARY.sub(canary, (packaged("specs") / name).read_text("utf-8"))
        if protocol in ("oracle", "rubric"):  # no model that knows the request is a null model there
            text = text.replace('kind: "null"\naware: true\n', "kind: baseline\n")
        (specs / name).write_text(text, "utf-8")
    if live and protocol == "axes":
        (specs / "endpoints.yaml").write_text(ENDPOINTS, "utf-8")
        (specs / "models/talker.yaml").write_text(TALKER, "utf-8")
        _add_live(specs, protocol, LIVE_JUDGES, LIVE_PANEL, LIVE_PROFILE)
    elif live:
        judges, keys = _PROFILES[protocol]
        who = [name.partition(" of ")[::2] for name in judges]
        lines = "".join(
            f"  - {{id: {name}, title: {name.title()}, description: A model., backend: openai, model: {name}-1, "
            f"family: {family or name + 's'}}}\n"
            for name, family in who
        )
        panel = f"  - {{id: live, title: Models, judges: [{', '.join(name for name, _ in who)}]}}\n"
        talker = TALKER.replace("endpoint: lab\n", "").partition("decoding:")[0]
        (specs / "models/talker.yaml").write_text(talker, "utf-8")
        _add_live(specs, protocol, lines, panel, f"profiles:\n  live: {keys}\n")
    return specs


def _add_live(specs: Path, protocol: str, judges: str, panel: str, profile: str) -> None:
    edit(specs, "judges.yaml", "panels:\n", f"{judges}panels:\n{panel}")
    with (specs / f"boards/{BOARD[protocol]}.yaml").open("a") as board:
        board.write(profile)


def write_spec(path: Path, content: Mapping[str, Any]) -> None:
    """Write a spec file with a canary of its own; JSON is YAML."""
    path.parent.mkdir(parents=True, exist_ok=True)
    canary = f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_URL, f'{path.parent.name}/{path.name}')}"
    path.write_text(json.dumps({"canary": canary, **content}, indent=1), "utf-8")


def words(title: str) -> dict[str, str]:
    return {"title": title, "description": f"{title}, for tests."}


def write_board(
    specs: Path,
    protocol: str,
    items: Iterable[Mapping[str, Any]],
    *,
    id: str = "main",
    domain: str = "items",
    **more: Any,
) -> None:
    """Write a board of any protocol over one domain of one category with these items. more: further keys of it."""
    category = {"id": f"{domain}-all", **words("All"), "items": [*items]}
    content = {"id": domain, **words(domain.title()), "protocol": protocol, "categories": [category]}
    write_spec(specs / f"domains/{domain}.yaml", content)
    board: dict[str, Any] = {
        "id": id, **words(id.title()), "question": f"{id.title()}?", "construct": "capability", "protocol": protocol,
        "domains": [domain], "bootstrap": {"resamples": 200, "seed": 1},
    }  # fmt: skip
    write_spec(specs / f"boards/{id}.yaml", board | more)


def model_at_endpoint(id: str, **more: Any) -> dict[str, Any]:
    """The keys that a contestant and a judge share, at the built-in endpoint. more: further keys, or others."""
    return {"id": id, **words(id.title()), "backend": "openai", "model": f"{id}-1", "family": f"of-{id}"} | more


def write_model(specs: Path, id: str, **more: Any) -> None:
    """Write a contestant."""
    write_spec(specs / f"models/{id}.yaml", {"kind": "model", **model_at_endpoint(id, **more)})


def small_benchmark(folder: Path) -> Benchmark:
    """The small `axes` benchmark, written below `folder`, loaded and checked."""
    return load_benchmark(write_benchmark(folder), backends=BACKENDS)


def edit(specs: Path, file: str, old: str, new: str) -> None:
    """Replace `old`, which stands once in a spec file, by `new`."""
    path = specs / file
    text = path.read_text("utf-8")
    assert text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}; an edit needs one place"
    path.write_text(text.replace(old, new), "utf-8")
