"""`export eee`: records of Every Eval Ever 0.3.0, an aggregate and its samples for each contestant of each board."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
import numpy as np

from nullbench_site import __version__
from nullbench_site.interop.answers.importing import prompts_of
from nullbench_site.interop.exports import Files
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Response, read_records
from nullbench_site.site.gather import SiteData
from nullbench_site.site.score_vectors import score_vectors
from nullbench_site.site.views import BoardView
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.types import Judge, JudgedBoardFile, ModelFile
from nullbench_site.specs.types.answerers import PROGRAMS
from nullbench_site.stats.estimate import group_mean

_SCHEMA = "0.3.0"
_WITHHELD = "(private item: the text is withheld)"
_METRIC = "overall"


def records_of(site: SiteData, options: Mapping[str, Any]) -> Files:
    """Yield the files of all ranked contestants."""
    for view in site.views:
        board = _Board(site, view)
        for row in view.contestants:
            if row.rank is not None:
                yield from board.files(row)


class _Board:
    """A board of a run, and what all of its records share."""

    def __init__(self, site: SiteData, view: BoardView) -> None:
        self.site, self.view, self.manifest = site, view, site.entry.manifest
        self.folder = RunFolder(site.entry.path, site.entry.manifest)
        self.vectors = score_vectors(view)
        self.places = self.vectors.items.items
        names = list(dict.fromkeys(view.group(item) for item in view.items))
        self.names = [view.board.id] if len(names) == 1 else [f"{view.board.id}/{name}" for name in names]
        self.prompts = prompts_of(view.benchmark, view.board) if view.asked else {}
        known = [part for parts in self.vectors.parts.values() for part in parts if part is not None]
        self.bounded = all(0 <= part <= 100 for part in known)

    def files(self, row: Any) -> Iterator[tuple[str, bytes]]:
        """Yield the aggregate and the samples of a contestant."""
        model = self.view.benchmark.answerer(row.model)
        own = _model_info(model)
        name = f"{self.manifest.benchmark}/{self.manifest.run}/{self.view.board.id}/{own['id']}"
        at = f"data/{self.view.board.id}/{own['id']}/{_uuid(name)}"
        rows = list(self._samples(row.model, own["id"], name))
        samples = b"".join(msgspec.json.encode(each) + b"\n" for each in rows)
        aggregate = {
            "schema_version": _SCHEMA,
            "evaluation_id": name,
            "evaluation_timestamp": _epoch(self.manifest.created_at),
            "retrieved_timestamp": _epoch(self.manifest.sealed_at or self.manifest.created_at),
            "source_metadata": {
                "source_name": self.view.benchmark.about.title,
                "source_type": "evaluation_run",
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": {"name": "nullbench-site", "version": __version__},
            "model_info": own,
            "evaluation_results": list(self._results(row)),
        }
        if rows:
            aggregate["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": f"{at}_samples.jsonl",
                "hash_algorithm": "sha256",
                "checksum": sha256(samples),
                "total_rows": len(rows),
            }
            yield f"{at}_samples.jsonl", samples
        yield f"{at}.json", msgspec.json.format(msgspec.json.encode(aggregate), indent=2) + b"\n"

    def _results(self, row: Any) -> Iterator[dict[str, Any]]:
        """Yield the result of the board, and of each of its groups if it has several."""
        uncertainty: dict[str, Any] = {"num_samples": row.n_items}
        if row.se is not None:
            uncertainty["standard_error"] = {"value": row.se, "method": "analytic, clustered"}
        if row.ci_low is not None and row.ci_high is not None:
            uncertainty["confidence_interval"] = {
                "lower": row.ci_low, "upper": row.ci_high, "confidence_level": 0.95, "method": "analytic, clustered",
            }  # fmt: skip
        yield self._result(self.view.board.id, row.score, uncertainty)
        if len(self.names) > 1:
            parts = np.array([np.nan if part is None else part for part in self.vectors.parts[row.model]])
            groups, clusters = (np.array([getattr(place, of) for place in self.places]) for of in ("group", "cluster"))
            for number, name in enumerate(self.names):
                own = groups == number
                mean = group_mean(parts[own], None, clusters[own])
                if mean.value is not None:
                    yield self._result(name, mean.value, {"num_samples": mean.n})

    def _result(self, name: str, score: float, uncertainty: Mapping[str, Any]) -> dict[str, Any]:
        low, high = (0, 100) if self.bounded else ("-Infinity", "Infinity")
        benchmark = self.view.benchmark.about
        metric = {
            "evaluation_description": self.view.board.question,
            "metric_id": _METRIC,
            "metric_name": "Score",
            "metric_unit": "points",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": low,
            "max_score": high,
        }
        if judges := [judge for judge in self.view.judges if judge.backend != PROGRAMS]:
            metric["llm_scoring"] = self._judging(judges)
        return {
            "evaluation_result_id": _result_id(name),
            "evaluation_name": name,
            "source_data": {
                "dataset_name": benchmark.id,
                "source_type": "other",
                "additional_details": {"version": self.manifest.version, "spec_digest": self.manifest.spec_digest},
            },
            "metric_config": metric,
            "score_details": {"score": score, "uncertainty": uncertainty},
        }

    def _judging(self, judges: Sequence[Judge]) -> dict[str, Any]:
        board = self.view.board
        wordings = ", ".join(board.judge_templates) if isinstance(board, JudgedBoardFile) else ""
        question = f"protocol {board.protocol}" + (f", judge templates {wordings}" if wordings else "")
        return {
            "judges": [{"model_info": _model_info(judge)} for judge in judges],
            "input_prompt": f"{question}, of {self.manifest.benchmark} {self.manifest.version}; see its specs",
        }

    def _samples(self, model: str, model_id: str, evaluation: str) -> Iterator[dict[str, Any]]:
        """Yield a row for each item that has a score, with all responses to it."""
        responses = self._responses(model)
        for place, part in zip(self.places, self.vectors.parts[model], strict=True):
            if part is None:
                continue
            name, own = self.names[place.group], responses.get(place.id, [])
            texts = [_WITHHELD if place.private else each.text for each in own if each.state == "answered"]
            prompt = self.prompts.get(place.id)
            several = any(each.turn > 1 for each in own)
            messages = [{"turn_idx": number, "role": "assistant", "content": text} for number, text in enumerate(texts)]
            yield {
                "schema_version": _SCHEMA,
                "evaluation_id": evaluation,
                "model_id": model_id,
                "evaluation_name": name,
                "evaluation_result_id": _result_id(name),
                "sample_id": place.id,
                "interaction_type": "multi_turn" if several else "single_turn",
                "input": {"raw": _WITHHELD if place.private else prompt or place.id, "reference": []},
                **({"messages": messages} if several else {"output": {"raw": texts}}),
                "answer_attribution": [],
                "evaluation": {"score": part, "is_correct": part >= 100},
                **_usage(own),
                "metadata": {"cluster": str(place.cluster), "domain": place.domain, "category": place.category},
            }

    def _responses(self, model: str) -> dict[str, list[Response]]:
        shard, found = self.folder.shard(Response, model), dict[str, list[Response]]()
        for record in read_records(shard, Response) if shard.is_file() else ():
            if record.board == self.view.board.id:
                found.setdefault(record.item, []).append(record)
        return found


def _usage(responses: Sequence[Response]) -> dict[str, Any]:
    """Return tokens and time, if all responses state them."""
    usage: dict[str, Any] = {}
    counts = [(each.input_tokens, each.output_tokens) for each in responses]
    known = [(given, made) for given, made in counts if given is not None and made is not None]
    if known and len(known) == len(counts):
        given, made = (sum(each) for each in zip(*known, strict=True))
        usage["token_usage"] = {"input_tokens": given, "output_tokens": made, "total_tokens": given + made}
    seconds = [each.seconds for each in responses if each.seconds is not None]
    if seconds and len(seconds) == len(responses):
        usage["performance"] = {"latency_ms": sum(seconds) * 1000}
    return usage


def _model_info(model: ModelFile | Judge) -> dict[str, Any]:
    """Return the facts about a contestant or a judge in the specs."""
    weights = getattr(model, "open_weights", None)
    info: dict[str, Any] = {
        "name": model.title,
        "id": f"{model.family}/{model.id}",
        "additional_details": {
            "deployment_type": "self_deployed" if model.backend == PROGRAMS else "unknown",
            "model_availability": "unknown" if weights is None else "open_weights" if weights else "closed_weights",
            "model": model.model,
        },
    }
    if vendor := getattr(model, "vendor", None):
        info["developer"] = vendor
    return info


def _result_id(name: str) -> str:
    return f"{name}:{_METRIC}"


def _uuid(name: str) -> str:
    """Return an id that is the same in every export of the same run, in the form of a random one."""
    return str(uuid.UUID(bytes=hashlib.sha256(name.encode()).digest()[:16], version=4))


def _epoch(time: str) -> str:
    return str(datetime.fromisoformat(time).timestamp())
