"""Where a model, judge or endpoint stands, for messages of a run; and which endpoint a model or judge has."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit, write_benchmark

from nullbench_site.specs.benchmark import OPENAI, Benchmark
from nullbench_site.specs.listing import place_of
from nullbench_site.specs.load import load_benchmark


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_benchmark(tmp_path, live=True)


@pytest.fixture
def benchmark(specs: Path) -> Benchmark:
    return load_benchmark(specs, profile="live")


def test_an_endpoint_a_judge_and_a_model_stand_at_their_lines(specs: Path, benchmark: Benchmark) -> None:
    assert place_of(specs, benchmark.endpoints["lab"]) == "specs/endpoints.yaml:9:5"
    assert place_of(specs, benchmark.judges["anna"]) == "specs/judges.yaml:22:5"
    assert place_of(specs, benchmark.models["talker"]) == "specs/models/talker.yaml:1:1"


def test_a_value_of_it_stands_at_its_own_place(specs: Path, benchmark: Benchmark) -> None:
    assert place_of(specs, benchmark.endpoints["jury"], "key_env") == "specs/endpoints.yaml:5:14"
    assert place_of(specs, benchmark.endpoints["jury"], "limits", "concurrency") == "specs/endpoints.yaml:8:27"
    assert place_of(specs, benchmark.judges["ben"], "model") == "specs/judges.yaml:31:90"
    assert place_of(specs, benchmark.models["talker"], "model") == "specs/models/talker.yaml:8:8"


def test_a_value_that_is_left_out_stands_at_what_lacks_it(specs: Path, benchmark: Benchmark) -> None:
    assert place_of(specs, benchmark.endpoints["lab"], "key_env") == "specs/endpoints.yaml:9:5"
    assert place_of(specs, benchmark.models["talker"], "params", "k") == "specs/models/talker.yaml:1:1"


def test_places_are_told_below_specs_whatever_the_folder_is_called_from(
    specs: Path, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(specs)
    assert place_of(Path(), benchmark.endpoints["lab"]) == "specs/endpoints.yaml:9:5"


def test_the_file_alone_is_named_where_it_cannot_be_read(specs: Path, benchmark: Benchmark) -> None:
    (specs / "endpoints.yaml").unlink()
    (specs / "models/talker.yaml").write_bytes(b"\xff")
    edit(specs, "judges.yaml", "id: anna", "id: other")
    assert place_of(specs, benchmark.endpoints["lab"]) == "specs/endpoints.yaml"
    assert place_of(specs, benchmark.models["talker"], "model") == "specs/models/talker.yaml"
    assert place_of(specs, benchmark.judges["anna"]) == "specs/judges.yaml"


def test_a_model_or_judge_has_the_endpoint_it_names(benchmark: Benchmark) -> None:
    assert benchmark.endpoint_of(benchmark.models["talker"]) is benchmark.endpoints["lab"]
    assert benchmark.endpoint_of(benchmark.judges["anna"]) is benchmark.endpoints["jury"]


def test_without_a_name_it_is_the_built_in_one(specs: Path, benchmark: Benchmark) -> None:
    endpoint = benchmark.endpoint_of(benchmark.judges["cleo"])
    assert endpoint is OPENAI
    assert (endpoint.base_url_env, endpoint.key_env) == ("OPENAI_BASE_URL", "OPENAI_API_KEY")
    assert place_of(specs, endpoint, "key_env") == "the built-in endpoint openai"


def test_the_built_in_one_may_be_named_without_a_file_of_endpoints(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    edit(specs, "models/lead-2.yaml", "model: lead\n", "model: lead\nendpoint: openai\n")
    benchmark = load_benchmark(specs)
    assert benchmark.endpoints == {}
    assert benchmark.endpoint_of(benchmark.models["lead-2"]) is OPENAI


def test_a_file_may_define_another_openai(specs: Path) -> None:
    edit(specs, "endpoints.yaml", "id: lab\n", "id: openai\n")
    edit(specs, "models/talker.yaml", "endpoint: lab\n", "")
    benchmark = load_benchmark(specs, profile="live")
    endpoint = benchmark.endpoint_of(benchmark.judges["cleo"])
    assert endpoint.base_url_env == "LAB_URL"
    assert benchmark.endpoint_of(benchmark.models["talker"]) is endpoint
    assert place_of(specs, endpoint, "base_url_env") == "specs/endpoints.yaml:10:19"
