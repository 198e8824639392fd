"""A new benchmark repository, made from the shipped specs: one board, two domains, and all it takes to publish it."""

from __future__ import annotations

import re
import unicodedata
import uuid
from pathlib import Path

from nullbench_site import __version__
from nullbench_site.errors import UsageError
from nullbench_site.packaged import packaged
from nullbench_site.runs.storage import storage_errors
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.schema import write_schemas
from nullbench_site.text import one_line

BOARD = "nullbench"
"""The shipped board whose contestants a new repository gets."""
DOMAINS = ("science", "summarization")
COMMON = ("mkdocs.yml", ".gitattributes", ".github/dependabot.yml")
"""Files that a benchmark's repository has from ours as they stand."""
_CANARY = re.compile(r"nullbench-canary:[0-9a-f-]{36}")

_BENCHMARK = """\
# yaml-language-server: $schema=schema/benchmark.json
canary: "nullbench-canary:new"
id: {id}
title: {title}
version: "0.1.0"
description: What this benchmark measures, in a sentence or two.
license: CC-BY-4.0
"""

_BOARD = """\
# yaml-language-server: $schema=../schema/board.json
canary: "nullbench-canary:new"
id: main
title: {title}
question: How faithfully do models treat a source text?
description: Goal alignment, the share of a task's goal that an answer meets, averaged over the domains.
construct: alignment
protocol: axes
panel: rules
template: zero-context
domains: [{domains}]
contestants: all
profiles:
  # Models as judges: `nullbench-site build --profile live`, with the keys that endpoints.yaml names.
  live: {{panel: live}}
"""

_WORKFLOW = """\
name: Publish the board
on:
  push:
    branches: [main]
  workflow_dispatch:
permissions: {}
concurrency:
  group: pages
  cancel-in-progress: false
jobs:
  build:
    name: Build the site
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@df4cb1c069e1874edd31b4311f1884172cec0e10 # v6.0.3
        with:
          persist-credentials: false
      - uses: actions/setup-python@a309ff8b426b58ec0e2a45f0f869d46889d02405 # v6.2.0
        with:
          python-version: "3.13"
      - run: pip install -r requirements.txt
      - run: nullbench-site validate
      # Evaluate live models where you are, and commit runs/: then this makes no call and needs no key.
      - run: nullbench-site build --strict
      - run: nullbench-site verify
      - uses: actions/upload-pages-artifact@fc324d3547104276b827a68afc52ff2a11cc49c9 # v5.0.0
        with:
          path: site
  deploy:
    name: Deploy to GitHub Pages
    needs: build
    runs-on: ubuntu-latest
    permissions:
      pages: write # to deploy
      id-token: write # to say where the deployment comes from
    environment:
      name: github-pages
      url: ${{ steps.deployment.outputs.page_url }}
    steps:
      - id: deployment
        uses: actions/deploy-pages@cd2ce8fcbc39b97be8ca5fce6e763baed58fa128 # v5.0.0
"""

GITIGNORE = """\
/.env
/.nullbench/
/site/
/.site.*/
/runs/.*
/runs/*/private/
/private/
"""

_README = """\
# {title}

A leaderboard made with nullbench-site. `nullbench-site build` evaluates what is missing, scores it and renders `site/`;
`nullbench-site serve` shows it. Commit `runs/`: it is the evidence behind every number, and `nullbench-site verify`
checks it.

- Add a contestant: a file in `specs/models/`.
- Add a domain: a file in `specs/domains/`, its goals in `specs/goals/`, and its name on the board in `specs/boards/`.
- Let models judge: `nullbench-site build --profile live`, with the keys that `specs/endpoints.yaml` names for the panel
  `live` of `specs/judges.yaml`. `nullbench-site plan --profile live` says first what that may cost.
- Check the specs: `nullbench-site validate`.
- `requirements.txt` names the version that builds the published site; Dependabot proposes newer ones.

The domains here are examples from the nullbench benchmark (CC-BY-4.0); replace them with your own.
"""


def make_repository(directory: Path, title: str | None = None) -> Path:
    """Write a benchmark repository into `directory`, which must be new or empty; returns it.

    Raises UsageError where something stands there already, StorageError where the disk refuses.
    """
    with storage_errors(directory):
        if directory.exists() and any(directory.iterdir()):
            raise UsageError(f"{directory}: the folder is not empty; name a new one")
    name = directory.resolve().name
    title = one_line(title or "") or one_line(name) or _id(name)
    words = {"id": _id(name), "title": _quoted(title), "domains": ", ".join(DOMAINS)}
    shipped = packaged("specs")
    benchmark = load_benchmark(shipped)
    files = {
        "specs/benchmark.yaml": _BENCHMARK.format(**words),
        "specs/boards/main.yaml": _BOARD.format(**words),
        ".github/workflows/pages.yml": _WORKFLOW,
        "requirements.txt": f"nullbench-site=={__version__}\n",
        ".gitignore": GITIGNORE,
        "README.md": _README.format(title=title),
        **{name: packaged(name).read_text("utf-8") for name in COMMON},
    }
    kept = [
        "axes.yaml",
        "judges.yaml",
        "endpoints.yaml",
        *(f"models/{model.id}.yaml" for model in benchmark.contestants(benchmark.boards[BOARD])),
        *(f"{kind}/{domain}.yaml" for kind in ("domains", "goals") for domain in DOMAINS),
    ]
    kept += [path.relative_to(shipped).as_posix() for path in shipped.glob("templates/*.j2")]
    files |= {f"specs/{name}": (shipped / name).read_text("utf-8") for name in kept}
    with storage_errors(directory):
        for path, text in files.items():
            target = directory / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_with_fresh_canaries(text), encoding="utf-8", newline="\n")
        write_schemas(directory / "specs" / "schema")
    return directory


def _with_fresh_canaries(text: str) -> str:
    """A canary marks the one file it was made for, so a copy gets its own."""
    text = text.replace("nullbench-canary:new", f"nullbench-canary:{uuid.uuid4()}")
    return _CANARY.sub(lambda _: f"nullbench-canary:{uuid.uuid4()}", text)


def _id(name: str) -> str:
    """The nearest thing to `name` that is an id: accents off, anything else that does not fit a hyphen."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9._]+", "-", plain)[:80].strip("-._") or "my-board"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
