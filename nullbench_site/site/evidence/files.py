"""The files of the evidence of every board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import msgspec

from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.evidence.axes import AxesEvidence
from nullbench_site.site.evidence.oracle import OracleEvidence
from nullbench_site.site.evidence.rubric import RubricEvidence
from nullbench_site.site.gather import SiteData
from nullbench_site.site.views import AxesView, BoardView, OracleView, RubricView


class Evidence(Protocol):
    """What a protocol tells of the items and answers of a board."""

    def about(self) -> dict[str, Any]:
        """What the explorer needs to know of the board, beside names."""
        ...

    def items(self, domain: str) -> dict[str, Any]:
        """The items of a domain as they were put to contestants and judges."""
        ...

    def score(self, model: str, item: str) -> dict[str, Any] | None:
        """The score of a contestant on an item."""
        ...

    def sample(self, response: Response, judgments: Sequence[Judgment]) -> dict[str, Any]:
        """An answer with what was said of it, by judge."""
        ...


def evidence_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> content."""
    folder = RunFolder(site.entry.path, site.entry.manifest)
    for view in site.views:
        base, evidence = f"{ROOT}/evidence/{view.board.id}", _evidence_of(view)
        yield f"{base}/index.json", msgspec.json.encode(_index(view, evidence))
        for domain in view.board.domains:
            yield f"{base}/items/{domain}.json", msgspec.json.encode(evidence.items(domain))
        for model in view.rows:
            answers = _answers(view, evidence, folder, model)
            for domain in view.board.domains:
                yield f"{base}/answers/{model}/{domain}.json", msgspec.json.encode(answers.get(domain, {}))


def _evidence_of(view: BoardView) -> Evidence:
    match view:
        case AxesView():
            return AxesEvidence(view)
        case RubricView():
            return RubricEvidence(view)
        case OracleView():
            return OracleEvidence(view)
    raise NotImplementedError(view.board.protocol)


def _index(view: BoardView, evidence: Evidence) -> dict[str, Any]:
    """What the explorer needs to offer its choices: names, and each item's place."""
    benchmark = view.benchmark
    return {
        "board": view.board.id,
        "protocol": view.board.protocol,
        "rule_based": view.rule_based,
        "samples": view.board.samples,
        **evidence.about(),
        "judges": {judge.id: judge.title for judge in view.judges},
        "models": [
            {"id": model, "title": benchmark.models[model].title, "kind": benchmark.models[model].kind}
            for model in view.rows
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


def _answers(view: BoardView, evidence: Evidence, folder: RunFolder, model: str) -> dict[str, dict[str, Any]]:
    """Domain -> item -> the contestant's answers with their verdicts."""
    domain_of = {placed.id: placed.domain.id for placed in view.benchmark.items(view.board)}
    given: dict[tuple[str, int], list[Judgment]] = {}
    for judgment in folder.records(Judgment, model):
        if judgment.board == view.board.id:
            given.setdefault((judgment.item, judgment.sample), []).append(judgment)
    answers: dict[str, dict[str, Any]] = {}
    for response in sorted(folder.records(Response, model), key=lambda response: response.sample):
        if response.board != view.board.id or response.item not in domain_of:
            continue
        of_item = answers.setdefault(domain_of[response.item], {}).setdefault(
            response.item, {"score": evidence.score(model, response.item), "samples": []}
        )
        judgments = sorted(given.get((response.item, response.sample), []), key=lambda judgment: judgment.judge)
        of_item["samples"].append(evidence.sample(response, judgments))
    return answers
