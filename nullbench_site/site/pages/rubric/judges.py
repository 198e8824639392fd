"""What the page of judges shows of a `rubric` board."""

from __future__ import annotations

from typing import Any

from nullbench_site.protocols.rubric.results import Divergence, JudgePair, RubricJudgeRow
from nullbench_site.site import paths, words
from nullbench_site.site.pages import judging
from nullbench_site.site.pages.judging import agreement
from nullbench_site.site.pages.matrix import by_pair
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.rows import Told
from nullbench_site.site.pages.rubric.checked import checked
from nullbench_site.site.pages.rubric.given import given_to
from nullbench_site.site.views import RubricView
from nullbench_site.site.views.rubric import geval_title

_SHOWN = 50
"""How many contestants the table of completeness has; the best."""


def context(view: RubricView) -> dict[str, Any]:
    """What the page of judges shows of this board."""
    results = view.results
    titles = {judge.id: judge.title for judge in view.judges}
    return {
        "template": "rubric/judges.md.j2",
        "says": [
            *judging.agreed(view.agreement(), len(view.judges)),
            judging.severity(titles, {row.judge: row.mean for row in results.judges}, "mean {}"),
            judging.replied(results.judges),
        ],
        "who": judging.who(view),
        "tally": judging.tally([view.agreement(domain) for domain in view.domains]),
        "overall": agreement(view.agreement()),
        "matrix": by_pair(view),
        "geval": view.geval_judge and {
            "judge": view.geval_judge,
            "metrics": words.listed([geval_title(metric).lower() for metric in results.geval_metrics]),
        },
        "missing": any(row.missing for row in results.judges),
        "judges": [{"spec": view.benchmark.judges[row.judge], **_judge(row)} for row in results.judges],
        "models": [
            {
                "model": view.benchmark.models[model],
                "link": paths.model_url(model),
                "judges": given_to(view, view.benchmark.models[model]),
            }
            for model in list(view.rows)[:_SHOWN]
        ],
        "shown": words.of(min(_SHOWN, len(view.rows)), len(view.rows)) if len(view.rows) > _SHOWN else "",
        "complete": not any(row.incomplete_judges for row in view.rows.values()),
        "pairs": [_pair(view, pair) for pair in results.judge_pairs],
        "domains": [
            {
                "title": spec.title,
                "link": paths.domain_url(view.board.id, domain),
                **agreement(view.agreement(domain)),
            }
            for domain, spec in view.domains.items()
        ],
        "divergence": [_divergence(view, row) for row in results.divergence],
        "checks": checked(view),
        "metrics": metrics(
            "alpha", "alpha_scored", "leniency", "divergence", "same_mark", "difference", "correlation", "judge_scale",
            "verdict_counts", "check_results",
        ),
    }  # fmt: skip


def _judge(row: RubricJudgeRow) -> dict[str, Any]:
    return {
        "marks": words.of(row.scored, row.scored + row.unparsed + row.errored),
        "unparsed": words.number(row.unparsed, 0),
        "errored": words.number(row.errored, 0),
        "repaired": words.number(row.repaired, 0),
        "missing": words.number(row.missing, 0),
        "mean": words.number(row.mean, 2),
        "sd": words.number(row.sd, 2),
        "spread": judging.spread(row.mean, row.sd),
        "leniency": Told(words.signed(row.leniency), row.absent.get("leniency", "")),
    }


def _pair(view: RubricView, pair: JudgePair) -> dict[str, str | Told]:
    def of(column: str, text: str) -> Told:
        return Told(text, pair.absent.get(column, ""))

    return {
        "judge": view.benchmark.judges[pair.judge].title,
        "other": view.benchmark.judges[pair.other].title,
        "n": words.number(pair.n, 0),
        "exact": of("exact", words.percent(pair.exact)),
        "adjacent": of("adjacent", words.percent(pair.adjacent)),
        "difference": of("difference", words.signed(pair.difference)),
        "correlation": of("correlation", words.number(pair.correlation, 2)),
        "alpha": of("alpha", words.number(pair.alpha, 3)),
    }


def _divergence(view: RubricView, row: Divergence) -> dict[str, str | Told]:
    def of(column: str, text: str) -> Told:
        return Told(text, row.absent.get(column, ""))

    return {
        "judge": "the panel's mean" if row.judge is None else view.benchmark.judges[row.judge].title,
        "n": words.number(row.n, 0),
        "difference": of("difference", words.signed(row.difference, 3)),
        "distance": of("distance", words.number(row.distance, 3)),
        "correlation": of("correlation", words.number(row.correlation, 2)),
    }
