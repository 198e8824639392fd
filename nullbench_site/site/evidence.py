"""The evidence behind each score, as files the explorer loads one at a time.

A shard holds one contestant's answers in one domain, so its size does not grow with the board; what all contestants
share (source, task, facts, goal) stands once a domain. Shards are made contestant by contestant, from the records.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Record, Response
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import BoardView, SiteData
from nullbench_site.specs import templates

MOST_REASONING = 2_000
"""Characters of what a model thought that are published; the record has all. Thoughts can be longer than the rest."""


def evidence_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> content."""
    folder = RunFolder(site.entry.path, site.entry.manifest)
    for view in site.views:
        base = f"{ROOT}/evidence/{view.board.id}"
        yield f"{base}/index.json", msgspec.json.encode(_index(view))
        for domain in view.board.domains:
            yield f"{base}/items/{domain}.json", msgspec.json.encode(_items(view, domain))
        for row in view.results.leaderboard:
            answers = _answers(view, folder, row.model)
            for domain in view.board.domains:
                yield f"{base}/answers/{row.model}/{domain}.json", msgspec.json.encode(answers.get(domain, {}))


def _index(view: BoardView) -> dict[str, Any]:
    """What the explorer needs to offer its choices: names, and each item's place."""
    benchmark = view.benchmark
    return {
        "board": view.board.id,
        "rule_based": view.rule_based,
        "axes": {axis: benchmark.axes[axis].short for axis in view.results.axes},
        "judges": {judge.id: judge.title for judge in view.judges},
        "models": [
            {"id": row.model, "title": benchmark.models[row.model].title, "kind": benchmark.models[row.model].kind}
            for row in view.results.leaderboard
        ],
        "domains": [
            {
                "id": domain,
                "title": benchmark.domains[domain].title,
                "items": [
                    {"id": item.id, "category": category.id, "difficulty": item.difficulty}
                    for category in benchmark.domains[domain].categories
                    for item in category.items
                ],
            }
            for domain in view.board.domains
        ],
    }


def _items(view: BoardView, domain: str) -> dict[str, Any]:
    """The items of a domain as they were put to contestants and judges."""
    template = view.benchmark.templates[view.board.template]
    return {
        placed.id: {
            "category": placed.category.title,
            "difficulty": placed.item.difficulty,
            "tags": placed.item.tags,
            "task": placed.item.task,
            "source": placed.item.source,
            "prompt": templates.prompt(template, task=placed.item.task, source=placed.item.source),
            "facts": [{"kind": fact.kind, "text": fact.text} for fact in placed.item.facts],
            "constraints": msgspec.to_builtins(placed.item.constraints),
            "axes": placed.category.axes,
            "goal": {
                "title": placed.goal.title,
                "alignment_target": placed.goal.alignment_target,
                "rules": [{"dimension": rule.dimension, "rule": rule.rule} for rule in placed.goal.rules],
            },
        }
        for placed in view.benchmark.items(view.board)
        if placed.domain.id == domain
    }


def _answers(view: BoardView, folder: RunFolder, model: str) -> dict[str, dict[str, Any]]:
    """Domain -> item -> the contestant's answers with their verdicts."""
    domain_of = {placed.id: placed.domain.id for placed in view.benchmark.items(view.board)}
    scores = {row.item: row for row in view.results.items if row.model == model}
    verdicts: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for judgment in folder.records(Judgment, model):
        if judgment.board == view.board.id:
            verdicts.setdefault((judgment.item, judgment.sample), []).append(_verdict(judgment))
    answers: dict[str, dict[str, Any]] = {}
    for response in sorted(folder.records(Response, model), key=lambda response: response.sample):
        if response.board != view.board.id or response.item not in domain_of:
            continue
        of_item = answers.setdefault(domain_of[response.item], {}).setdefault(
            response.item, {"score": _score(scores.get(response.item)), "samples": []}
        )
        given = sorted(verdicts.get((response.item, response.sample), []), key=lambda verdict: str(verdict["judge"]))
        of_item["samples"].append(
            {
                "sample": response.sample,
                "state": response.state,
                "text": response.text,
                "error": response.error,
                "seconds": response.seconds,
                "started_at": response.started_at,
                "key": response.key,
                **_of_the_call(response),
                "verdicts": given,
            }
        )
    return answers


def _score(row: Any) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "state": row.state,
        "goal_alignment": row.goal_alignment,
        "quality": row.quality,
        "axes": row.axes,
        "spread": row.spread,
    }


def _verdict(judgment: Judgment) -> dict[str, Any]:
    return {
        "judge": judgment.judge,
        "state": judgment.state,
        "scores": judgment.scores,
        "invalid": judgment.invalid,
        "rationale": judgment.rationale,
        "raw": judgment.raw,
        "error": judgment.error,
        "seconds": judgment.seconds,
        "key": judgment.key,
        **({"repaired": judgment.repaired} if judgment.repaired else {}),
        **_of_the_call(judgment),
    }


def _of_the_call(record: Record) -> dict[str, Any]:
    """What endpoints tell of a call, where it is told: programs tell nothing, and their shards stay small."""
    told: dict[str, Any] = {
        name: value
        for name in ("input_tokens", "cached_input_tokens", "output_tokens", "cost_usd", "served_model")
        if (value := getattr(record, name)) is not None
    }
    if record.ended != "stop":
        told["ended"] = record.ended
    if record.reasoning:
        told["reasoning"] = record.reasoning[:MOST_REASONING]
        if len(record.reasoning) > MOST_REASONING:
            told["reasoning_length"] = len(record.reasoning)
    return told
