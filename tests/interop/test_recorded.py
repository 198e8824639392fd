"""The backend of imported answers: it has every name and answers nobody."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import write_benchmark

from nullbench_site.errors import SpecError
from nullbench_site.evaluation.backends import backend_names, backends
from nullbench_site.evaluation.backends.base import BuildContext, UnavailableError
from nullbench_site.evaluation.cost import Budget
from nullbench_site.specs import types
from nullbench_site.specs.load import load_benchmark


def test_it_has_every_name_and_takes_no_param_but_the_file_of_answers() -> None:
    names = backend_names()
    assert names.contestants["recorded"] is names.judges["recorded"] is None
    assert names.params_problem("recorded", "anything", {}) is None
    assert names.params_problem("recorded", "anything", {"b": 1, "a": 2}) == (
        "unknown param 'a', 'b'; recorded answers accept only 'answers'"
    )
    assert names.params_problem("recorded", "anything", {"answers": "sha256:" + "0" * 64}) is None
    assert "import the answers again" in str(names.params_problem("recorded", "anything", {"answers": "0"}))


def test_whoever_is_asked_the_answer_is_what_to_do_instead() -> None:
    async def ask() -> None:
        nobody: Any = None
        async with backends()["recorded"].connect(nobody, BuildContext(Path("specs"), Budget())) as connection:
            judge = types.Judge(id="j", title="J", description="J", backend="recorded", model="j", family="j")
            await connection.asker(judge).ask(nobody)

    with pytest.raises(UnavailableError, match="the backend 'recorded' makes no calls; restore the imported specs"):
        asyncio.run(ask())


def test_a_null_model_may_be_recorded(tmp_path: Path) -> None:
    """As that of AlpacaEval, whose answers were published."""
    specs = write_benchmark(tmp_path)
    model = specs / "models" / "null-empty.yaml"
    offline = model.read_text("utf-8")
    model.write_text(offline.replace("backend: offline", "backend: recorded"), "utf-8")
    assert load_benchmark(specs, backends=backend_names()).models["null-empty"].kind == "null"
    model.write_text(offline.replace("backend: offline", "backend: openai"), "utf-8")
    with pytest.raises(SpecError, match="a model at an endpoint cannot be a null model"):
        load_benchmark(specs, backends=backend_names())
