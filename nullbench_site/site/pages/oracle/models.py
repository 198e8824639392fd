"""What the page of a contestant shows of an `oracle` board: its fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nullbench_site.scoring.oracle.results import OracleRow, OracleScores
from nullbench_site.site import paths, words
from nullbench_site.site.pages import figures as lines
from nullbench_site.site.pages.domain_radars import radar, radars
from nullbench_site.site.pages.oracle.rows import accuracy, figures, group_floor
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.rows import n_responses, so_far
from nullbench_site.site.pages.sentences import by_domains
from nullbench_site.site.views import OracleView
from nullbench_site.site.views.oracle import key_title
from nullbench_site.specs.types import ModelFile


def overview(view: OracleView) -> dict[str, Any]:
    """The small radars of all contestants over the domains."""
    return {"template": "oracle/models.md.j2", **radars(view)}


def context(view: OracleView, model: ModelFile) -> dict[str, Any]:
    """What the page of a contestant shows of this board."""
    row = view.rows[model.id]
    domains = {name: spec.title for name, spec in view.domains.items()}
    return {
        "template": "oracle/model.md.j2",
        "radar": radar(view, model),
        "sentences": _sentences(view, model, row),
        "facts": _facts(view, model, row),
        "groups": [
            ("domain", _groups(view, model.id, view.in_domains, domains)),
            ("difficulty", _groups(view, model.id, view.in_difficulties, {})),
            ("type of key", _groups(view, model.id, view.in_key_types, {k: key_title(k) for k in view.in_key_types})),
        ],
        "metrics": metrics("oracle_overall", "share_ci", "accuracy", "valid_share", "contrast_consistency"),
    }


def _sentences(view: OracleView, model: ModelFile, row: OracleRow) -> list[str]:
    if row.rank is None:
        return [f"{model.title} is not ranked: {so_far(view, row) or row.absent['rank']}."]
    return by_domains(view, model.id)


def _facts(view: OracleView, model: ModelFile, row: OracleRow) -> list[lines.Line]:
    answers, valid = n_responses(row), row.n_correct + row.n_wrong
    bundles = f"of {words.plural(row.n_bundles, 'bundle')}" if row.n_bundles else ""
    return [
        ("oracle_overall", *lines.overall(view, row)),
        ("accuracy", accuracy(row), row.absent.get("accuracy", f"{words.of(row.n_correct, valid)} valid")),
        ("valid_share", words.percent(row.valid_share), words.of(valid, answers)),
        ("invalid_rate", words.percent(row.invalid_rate), words.of(row.n_invalid, answers)),
        ("oracle_error_rate", words.percent(row.error_rate), words.of(row.n_errored, answers)),
        *(
            (name, words.percent(share), row.absent.get(name, bundles))
            for name, share in (
                ("contrast_consistency", row.contrast_consistency),
                ("outcome_consistency", row.outcome_consistency),
            )
            if view.results.n_bundles
        ),
        *lines.ends(model, row),
        *lines.speed(row),
    ]


def _groups(
    view: OracleView, model: str, groups: Mapping[str, Mapping[str, OracleScores]], titles: Mapping[str, str]
) -> list[dict[str, Any]]:
    """A line of figures for each group. titles: by group, where its id is none to read."""
    found = []
    for group, rows in groups.items():
        own = rows.get(model)
        if own is None:
            continue
        is_domain = group in view.domains and groups is view.in_domains
        evidence = f"{paths.EVIDENCE}#board={view.board.id}&model={model}&domain={group}"
        found.append(
            {
                "title": titles.get(group, group),
                "link": paths.domain_url(view.board.id, group) if is_domain else "",
                "figures": figures(own, group_floor(view, rows.values())),
                "evidence": evidence if is_domain else "",
            }
        )
    return found
