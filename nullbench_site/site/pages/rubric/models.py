"""What the page of a contestant shows of a `rubric` board: its fingerprint."""

from __future__ import annotations

from typing import Any

from nullbench_site.protocols.rubric.results import RubricRow, RubricScores
from nullbench_site.site import words
from nullbench_site.site.pages import figures, groups
from nullbench_site.site.pages.profiles import CORNERS
from nullbench_site.site.pages.rows import Told, n_responses, so_far, told
from nullbench_site.site.pages.rubric.given import given_to
from nullbench_site.site.pages.rubric.rows import flagged_share, geval_coverage, parts_words, points
from nullbench_site.site.pages.sentences import by_domains
from nullbench_site.site.views import RubricView
from nullbench_site.site.views.rubric import geval_title
from nullbench_site.specs.types import ModelFile

_JUDGED = groups.Columns[RubricScores](
    score="rubric_overall",
    interval="ci",
    overall=lambda row: row.overall,
    absent="overall",
    cells={
        "judge_mean": lambda row: told(words.number(row.judge_mean, 2), row, "judge_mean"),
        "scored": lambda row: Told(words.of(row.n_scored, n_responses(row))),
    },
)
_WITH_GEVAL = groups.Columns[RubricScores](
    score="rubric_overall",
    interval="ci",
    overall=lambda row: row.overall,
    absent="overall",
    cells={
        "judge_mean": _JUDGED.cells["judge_mean"],
        "geval_mean": lambda row: Told(points(row.geval_mean), row.absent.get("geval_mean", geval_coverage(row))),
        "scored": _JUDGED.cells["scored"],
    },
)


def overview(view: RubricView) -> dict[str, Any]:
    """What the small radars of all contestants are over."""
    return {
        "template": "rubric/models.md.j2",
        "domains": [view.domains[domain].title for domain in view.in_domains],
        "drawn": len(view.in_domains) >= CORNERS,
    }


def context(view: RubricView, model: ModelFile) -> dict[str, Any]:
    """What the page of a contestant shows of this board."""
    row = view.rows[model.id]
    geval = bool(view.results.geval_metrics)
    columns = _WITH_GEVAL if geval else _JUDGED
    titles = {domain: spec.title for domain, spec in view.domains.items()}
    return {
        "template": "rubric/model.md.j2",
        "sentences": _sentences(view, model, row),
        "facts": _facts(view, row),
        "answers": _answers(view, model, row),
        "telemetry": list(figures.telemetry(row)),
        "groups": [
            groups.table(view, model.id, "domain", view.in_domains, columns, titles=titles),
            groups.table(view, model.id, "difficulty", view.in_difficulties, columns),
        ],
        "geval": geval,
        "judges": given_to(view, model),
        "geval_metrics": [
            {"title": geval_title(metric), "mean": told(points(row.geval.get(metric)), row, "geval_mean")}
            for metric in view.results.geval_metrics
        ],
        "geval_judge": view.geval_judge.title if view.geval_judge else "",
        "geval_coverage": geval_coverage(row),
    }


def _sentences(view: RubricView, model: ModelFile, row: RubricRow) -> list[str]:
    if row.rank is None:
        why = so_far(view, row) or row.absent.get("overall") or "no judge gave a mark of every answer"
        return [f"{model.title} is not ranked: {why}."]
    return by_domains(view, model.id)


def _facts(view: RubricView, row: RubricRow) -> list[figures.Line]:
    return [
        ("rubric_overall", *figures.overall(view, row)),
        ("judge_mean", words.number(row.judge_mean, 2), row.absent.get("judge_mean", "from 1 to 5")),
        ("geval_mean", points(row.geval_mean), row.absent.get("geval_mean", geval_coverage(row) or "from 0 to 100")),
        ("composite", words.number(row.composite, 4), row.absent.get("composite", parts_words(row))),
        ("efficiency", words.number(row.efficiency, 3), row.absent.get("efficiency", _tokens(row))),
        ("divergence", words.number(row.divergence, 3), row.absent.get("divergence", "")),
        figures.time(row),
    ]


def _answers(view: RubricView, model: ModelFile, row: RubricRow) -> list[figures.Line]:
    which = "answers to public items" if view.n_private else "answers"
    flagged = f"{words.of(row.n_flagged, row.n_checked)} {which}" if row.n_checked else ""
    return [
        ("scored", words.of(row.n_scored, view.n_wanted), _lost(row)),
        ("refusal_rate", words.percent(row.refusal_rate), row.absent.get("refusal_rate", "")),
        figures.failures(row),
        *figures.ends(model, row),
        ("n_flagged", words.percent(flagged_share(row)), flagged),
        figures.verdicts(row),
    ]


def _tokens(row: RubricRow) -> str:
    return f"at {words.number(row.mean_output_tokens, 0)} tokens an answer"


def _lost(row: RubricRow) -> str:
    lost = [("failed", row.n_errored), ("without a readable mark", row.n_unparsed)]
    return ", ".join(f"{count} {name}" for name, count in lost if count)
