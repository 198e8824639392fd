"""What the page of a contestant shows of an `oracle` board: its fingerprint."""

from __future__ import annotations

from typing import Any

from nullbench_site.protocols.oracle.results import OracleRow, OracleScores
from nullbench_site.site import words
from nullbench_site.site.pages import figures as lines
from nullbench_site.site.pages import groups
from nullbench_site.site.pages.profiles import CORNERS
from nullbench_site.site.pages.rows import Told, n_responses, so_far, told
from nullbench_site.site.pages.sentences import by_domains
from nullbench_site.site.views import OracleView
from nullbench_site.site.views.oracle import key_title
from nullbench_site.specs.types import ModelFile


def _accuracy(row: OracleScores) -> str:
    """The accuracy in words, with the ends of its interval."""
    share = words.percent(row.accuracy)
    if row.accuracy_low is None or row.accuracy_high is None:
        return share
    return f"{share} [{words.number(100 * row.accuracy_low)}–{words.number(100 * row.accuracy_high)}]"


_COLUMNS = groups.Columns[OracleScores](
    score="oracle_overall",
    interval="share_ci",
    overall=lambda row: row.overall,
    absent="overall",
    cells={
        "accuracy": lambda row: told(_accuracy(row), row, "accuracy"),
        "valid_share": lambda row: Told(words.of(row.n_correct + row.n_wrong, n_responses(row))),
        "contrast_consistency": lambda row: told(words.percent(row.contrast_consistency), row, "contrast_consistency"),
    },
)


def overview(view: OracleView) -> dict[str, Any]:
    """What the small radars of all contestants are over."""
    return {
        "template": "oracle/models.md.j2",
        "domains": [view.domains[domain].title for domain in view.in_domains],
        "drawn": len(view.in_domains) >= CORNERS,
    }


def context(view: OracleView, model: ModelFile) -> dict[str, Any]:
    """What the page of a contestant shows of this board."""
    row = view.rows[model.id]
    domains = {name: spec.title for name, spec in view.domains.items()}
    keys = {kind: key_title(kind) for kind in view.in_key_types}
    return {
        "template": "oracle/model.md.j2",
        "sentences": _sentences(view, model, row),
        "facts": _facts(view, row),
        "answers": _answers(model, row),
        "telemetry": list(lines.telemetry(row)),
        "groups": [
            groups.table(view, model.id, "domain", view.in_domains, _COLUMNS, titles=domains),
            groups.table(view, model.id, "difficulty", view.in_difficulties, _COLUMNS),
            groups.table(view, model.id, "type of key", view.in_key_types, _COLUMNS, titles=keys),
        ],
    }


def _sentences(view: OracleView, model: ModelFile, row: OracleRow) -> list[str]:
    if row.rank is None:
        return [f"{model.title} is not ranked: {so_far(view, row) or row.absent['rank']}."]
    return by_domains(view, model.id)


def _facts(view: OracleView, row: OracleRow) -> list[lines.Line]:
    answers, valid = n_responses(row), row.n_correct + row.n_wrong
    bundles = f"of {words.plural(row.n_bundles, 'bundle')}" if row.n_bundles else ""
    return [
        ("oracle_overall", *lines.overall(view, row)),
        ("accuracy", _accuracy(row), row.absent.get("accuracy", f"{words.of(row.n_correct, valid)} valid")),
        ("valid_share", words.percent(row.valid_share), words.of(valid, answers)),
        *(
            (name, words.percent(share), row.absent.get(name, bundles))
            for name, share in (
                ("contrast_consistency", row.contrast_consistency),
                ("outcome_consistency", row.outcome_consistency),
            )
            if view.results.n_bundles
        ),
        lines.time(row),
    ]


def _answers(model: ModelFile, row: OracleRow) -> list[lines.Line]:
    answers = n_responses(row)
    return [
        ("marked", words.plural(answers, "answer"), f"{row.n_correct} correct, {row.n_wrong} wrong"),
        ("invalid_rate", words.percent(row.invalid_rate), words.of(row.n_invalid, answers)),
        ("refusal_rate", words.percent(row.refusal_rate), row.absent.get("refusal_rate", "")),
        ("oracle_error_rate", words.percent(row.error_rate), words.of(row.n_errored, answers)),
        *lines.ends(model, row),
    ]
