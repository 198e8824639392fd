"""Built sites with an `oracle` board to look at, made once a session; see `sites.site_once`."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from support.benchmarks import write_benchmark
from support.hostile import Texts, change_words
from support.sites import Site, site_once

from nullbench_site import api
from nullbench_site.repository import Repository

BOARD = "keys"


def write_axes_and_oracle(folder: Path) -> Path:
    """The small benchmark with the `oracle` board beside its own; returns `folder`/specs."""
    specs = write_benchmark(folder)
    other = write_benchmark(folder / "other", "oracle")
    for path in sorted(other.glob("*/*.yaml")):
        target = specs / path.relative_to(other)
        if not target.exists():
            target.write_text(path.read_text("utf-8"), "utf-8")
    return specs


def _oracle_site(folder: Path) -> Site:
    write_benchmark(folder, "oracle")
    api.build(Repository(folder))
    return Site(Repository(folder))


def _axes_and_oracle_site(folder: Path) -> Site:
    write_axes_and_oracle(folder)
    api.build(Repository(folder))
    return Site(Repository(folder))


def _hostile_oracle_site(folder: Path) -> Site:
    specs, texts = write_benchmark(folder, "oracle"), Texts()
    for path in sorted(specs.rglob("*.yaml")):
        spec = yaml.safe_load(path.read_text("utf-8"))
        change_words(spec, texts.of_specs)
        for category in spec.get("categories", ()):
            for item in category["items"]:
                if "accepted" in item["key"]:
                    item["key"]["accepted"].append(" ".join(texts.of_specs().split()))
                for letter in item["key"].get("options", ()):
                    item["key"]["options"][letter] = texts.of_specs()
        path.write_text(yaml.safe_dump(spec, sort_keys=False), "utf-8")
    api.build(Repository(folder))
    return Site(Repository(folder))


@pytest.fixture(scope="session")
def hostile_oracle_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The one board with hostile texts everywhere; one contestant echoes them."""
    return site_once(tmp_path_factory, "hostile-oracle-site", _hostile_oracle_site)


def _right(number: int) -> bool:
    """Which of the 220 items echoing the prompt is right on: nearly all of the first half, half of the other."""
    return number % 20 > 0 if number < 110 else number % 2 > 0


def _claims_site(folder: Path) -> Site:
    """A board of two domains with keys and a complete reporting minimum, where one contestant echoes prompts."""
    specs = write_benchmark(folder, "oracle")
    for name, numbers in (("counting", range(110)), ("naming", range(110, 220))):
        path = specs / f"domains/{name}.yaml"
        spec = yaml.safe_load(path.read_text("utf-8"))
        items = [
            {"id": f"{name}-{number:03}", "difficulty": "easy", "prompt": f"Echo {number}",
             "key": {"type": "exact", "accepted": [f"Echo {number}" if _right(number) else "Silence"]}}
            for number in numbers
        ]  # fmt: skip
        spec["categories"] = [{**spec["categories"][0], "items": items}]
        path.write_text(yaml.safe_dump(spec, sort_keys=False), "utf-8")
    board = specs / "boards/keys.yaml"
    board.write_text(
        f"{board.read_text('utf-8')}inference: {{level: task, claim: a model echoes its prompt}}\n", "utf-8"
    )
    api.build(Repository(folder))
    return Site(Repository(folder))


@pytest.fixture(scope="session")
def claims_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """One board of 220 items with keys, which may say who leads."""
    return site_once(tmp_path_factory, "claims-site", _claims_site)


@pytest.fixture(scope="session")
def oracle_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """One board of the `oracle` protocol, of two domains, and nothing else."""
    return site_once(tmp_path_factory, "oracle-site", _oracle_site)


@pytest.fixture(scope="session")
def axes_and_oracle_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """An `oracle` board at home and an `axes` board beside it."""
    return site_once(tmp_path_factory, "axes-and-oracle-site", _axes_and_oracle_site)
