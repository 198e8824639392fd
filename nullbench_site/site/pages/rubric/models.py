"""What the page of a contestant shows of a `rubric` board: its fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nullbench_site.scoring.rubric.results import RubricRow, RubricScores
from nullbench_site.site import paths, words
from nullbench_site.site.pages import figures
from nullbench_site.site.pages.domain_radars import radar, radars
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.rows import interval_cell, margin, n_responses, so_far, told
from nullbench_site.site.pages.rubric.given import given_to
from nullbench_site.site.pages.rubric.rows import flagged_share, group_floor, parts_words, points
from nullbench_site.site.pages.sentences import by_domains
from nullbench_site.site.views import RubricView
from nullbench_site.site.views.rubric import geval_title
from nullbench_site.specs.types import ModelFile


def overview(view: RubricView) -> dict[str, Any]:
    """The small radars of all contestants over the domains."""
    return {"template": "rubric/models.md.j2", **radars(view)}


def context(view: RubricView, model: ModelFile) -> dict[str, Any]:
    """What the page of a contestant shows of this board."""
    row = view.rows[model.id]
    return {
        "template": "rubric/model.md.j2",
        "radar": radar(view, model),
        "sentences": _sentences(view, model, row),
        "facts": _facts(view, model, row),
        "geval": bool(view.results.geval_metrics),
        "domains": _groups(view, model.id, view.in_domains),
        "difficulties": _groups(view, model.id, view.in_difficulties),
        "judges": given_to(view, model),
        "geval_metrics": [
            {"title": geval_title(metric), "mean": told(points(row.geval.get(metric)), row, "geval_mean")}
            for metric in view.results.geval_metrics
        ],
        "geval_judge": view.geval_judge.title if view.geval_judge else "",
        "metrics": metrics("rubric_overall", "ci", "judge_mean", "geval_mean", "scored"),
    }


def _sentences(view: RubricView, model: ModelFile, row: RubricRow) -> list[str]:
    if row.rank is None:
        why = so_far(view, row) or row.absent.get("overall") or "no judge gave a mark of every answer"
        return [f"{model.title} is not ranked: {why}."]
    return by_domains(view, model.id)


def _facts(view: RubricView, model: ModelFile, row: RubricRow) -> list[figures.Line]:
    which = "answers to public items" if view.n_private else "answers"
    flagged = f"{words.of(row.n_flagged, row.n_checked)} {which}" if row.n_checked else ""
    return [
        ("rubric_overall", *figures.overall(view, row)),
        ("judge_mean", words.number(row.judge_mean, 2), row.absent.get("judge_mean", "from 1 to 5")),
        ("geval_mean", points(row.geval_mean), row.absent.get("geval_mean", "from 0 to 100")),
        ("composite", words.number(row.composite, 4), row.absent.get("composite", parts_words(row))),
        ("efficiency", words.number(row.efficiency, 3), row.absent.get("efficiency", _tokens(row))),
        ("divergence", words.number(row.divergence, 3), row.absent.get("divergence", "")),
        ("n_flagged", words.percent(flagged_share(row)), flagged),
        ("scored", words.of(row.n_scored, view.n_wanted), _lost(row)),
        figures.failures(row),
        *figures.ends(model, row),
        figures.verdicts(row),
        *figures.speed(row),
    ]


def _tokens(row: RubricRow) -> str:
    return f"at {words.number(row.mean_output_tokens, 0)} tokens an answer"


def _lost(row: RubricRow) -> str:
    lost = [("failed", row.n_errored), ("without a readable mark", row.n_unparsed)]
    return ", ".join(f"{count} {name}" for name, count in lost if count)


def _groups(view: RubricView, model: str, groups: Mapping[str, Mapping[str, RubricScores]]) -> list[dict[str, Any]]:
    """A line of figures for each domain or difficulty."""
    found = []
    for group, rows in groups.items():
        own = rows.get(model)
        if own is None:
            continue
        domain = view.domains.get(group)
        evidence = f"{paths.EVIDENCE}#board={view.board.id}&model={model}&domain={group}"
        found.append(
            {
                "title": domain.title if domain else group,
                "link": paths.domain_url(view.board.id, group) if domain else "",
                "score": told(words.number(own.overall), own, "overall"),
                "plus_minus": words.plus_minus(margin(own.se)),
                "interval": interval_cell(own, own.overall, group_floor(view, rows.values())),
                "judge_mean": told(words.number(own.judge_mean, 2), own, "judge_mean"),
                "geval_mean": told(points(own.geval_mean), own, "geval_mean"),
                "scored": words.of(own.n_scored, n_responses(own)),
                "evidence": evidence if domain else "",
            }
        )
    return found
