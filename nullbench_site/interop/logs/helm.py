"""Run folders of HELM: `run_spec.json` with `per_instance_stats.json`, and the texts in `scenario_state.json`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from nullbench_site.errors import UsageError
from nullbench_site.interop.logs.log import LeftOut, Log, Sample, Stated, content, fitted, from_json
from nullbench_site.text import escaped, listed, quoted

NAME = "HELM"
_STATS, _TOTALS = "per_instance_stats.json", "stats.json"
_NO_METRICS = re.compile(
    r"(num_|training_|inference_|finish_reason_|predicted_index$|batch_size$|prompt_truncated|max_prob$|logprob$)"
)
"""Numbers of HELM about a request, not about how good its answer is."""


class _Adapter(Struct):
    model: str


class _RunSpec(Struct):
    name: str
    adapter_spec: _Adapter


class _StatName(Struct):
    name: str
    split: str = ""
    perturbation: Any = None


class _Stat(Struct):
    name: _StatName
    count: int
    sum: float | None = None


class _Instance(Struct):
    instance_id: str
    stats: list[_Stat]
    train_trial_index: int = 0
    perturbation: Any = None


class _Text(Struct):
    text: str = ""


class _Input(Struct):
    id: str
    input: _Text
    perturbation: Any = None


class _Completion(Struct):
    text: str = ""
    thinking: _Text | None = None


class _Completions(Struct):
    completions: list[_Completion] = []
    success: bool = True
    request_time: float | None = None


class _State(Struct):
    instance: _Input
    train_trial_index: int = 0
    result: _Completions | None = None


class _ScenarioState(Struct):
    adapter_spec: _Adapter
    request_states: list[_State]


def recognises(data: Mapping[str, Any]) -> bool:
    """Return True for the object of `run_spec.json`."""
    return {"adapter_spec", "scenario_spec"} <= data.keys()


def recognises_texts(data: Mapping[str, Any]) -> bool:
    """Return True for the object of `scenario_state.json`."""
    return {"adapter_spec", "request_states"} <= data.keys()


def read(path: Path, data: Any) -> list[Log]:
    """Return the log of a run. Raises UsageError."""
    file, stats = escaped(str(path)), path.with_name(_STATS)
    spec = fitted(file, data, _RunSpec)
    if not stats.is_file():
        raise UsageError(f"{file}: no {_STATS} beside it; copy the whole run folder")
    left_out = LeftOut(escaped(str(stats)))
    instances = fitted(left_out.file, from_json(left_out.file, content(stats)), list[_Instance])
    samples: dict[tuple[str, int], Sample] = {}
    for instance in instances:
        place = f"instance {quoted(instance.instance_id)}"
        if instance.perturbation is not None:
            left_out.add(place, "a perturbed instance is left out")
            continue
        key = instance.instance_id, instance.train_trial_index
        sample = samples.setdefault(key, Sample(item=key[0], number=key[1], scores={}))
        _add(sample, instance, place, left_out)
    task = re.sub(r"[:,]model=[^,]*", "", spec.name)
    log = Log(
        file=left_out.file,
        model=spec.adapter_spec.model,
        task=task,
        samples=list(samples.values()),
    )
    totals = path.with_name(_TOTALS)
    splits: dict[str, dict[str, float]] = {}
    if totals.is_file():
        stats_of = fitted(escaped(str(totals)), from_json(escaped(str(totals)), content(totals)), list[_Stat])
        log.stated, splits = _stated(stats_of)
    if len(splits) > 1:
        left_out.add(f"splits {listed([quoted(split) for split in splits])}", "the items of all splits count alike")
        log.notes = list(_of_splits(left_out.file, splits, {name for each in log.samples for name in each.scores}))
    log.notes = [*left_out.notes, *log.notes]
    return [log]


def _of_splits(file: str, splits: Mapping[str, Mapping[str, float]], metrics: Iterable[str]) -> Iterator[str]:
    """Yield a sentence with what `stats.json` states of a metric in each split."""
    for metric in sorted(metrics):
        means = [f"{means[metric]:.4g} in {quoted(split)}" for split, means in splits.items() if metric in means]
        if len(means) > 1:
            yield f"{file}: the log states {quoted(metric)} = {listed(means)}."


def _stated(stats: list[_Stat]) -> tuple[dict[str, Stated], dict[str, dict[str, float]]]:
    """Return the mean of each metric in `stats.json`, over the instances of all splits; and those of each split."""
    by_split: dict[str, dict[str, float]] = {}
    for stat in stats:
        if stat.name.perturbation is None and stat.count and stat.sum is not None:
            by_split.setdefault(stat.name.split, {})[stat.name.name] = stat.sum / stat.count
    counted = {split: means for split, means in by_split.items() if means.get("num_instances")}
    stated: dict[str, Stated] = {}
    for metric in {metric for means in counted.values() for metric in means if not _NO_METRICS.match(metric)}:
        having = [means for means in counted.values() if metric in means]
        items = sum(means["num_instances"] for means in having)
        mean = sum(means[metric] * means["num_instances"] for means in having) / items
        stated[metric] = Stated(mean, round(items))
    return stated, counted


def _add(sample: Sample, instance: _Instance, place: str, left_out: LeftOut) -> None:
    """Add the scores of an instance to its sample."""
    for stat in instance.stats:
        name = stat.name.name
        if stat.count == 0 or stat.sum is None or stat.name.perturbation is not None:
            continue
        value = stat.sum / stat.count
        if name == "inference_runtime":
            sample.seconds = value
        elif not _NO_METRICS.match(name):
            left_out.score(sample.scores, name, value, place)


def texts(file: str, data: Any) -> list[Log]:
    """Return the answers in `scenario_state.json`. Raises UsageError."""
    state = fitted(file, data, _ScenarioState)
    samples = [
        Sample(
            item=each.instance.id,
            number=each.train_trial_index,
            prompt=each.instance.input.text,
            answer=result.completions[0].text,
            reasoning=thought.text if (thought := result.completions[0].thinking) else "",
            seconds=result.request_time,
        )
        for each in state.request_states
        if (result := each.result) is not None
        and result.success
        and result.completions
        and each.instance.perturbation is None
    ]
    return [Log(file=file, model=state.adapter_spec.model, task="", samples=samples)]
