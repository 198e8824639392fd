"""The few figures that give the size of a board's evidence, above its table: each a value and what it is of."""

from __future__ import annotations

from nullbench_site.site import words
from nullbench_site.site.views import AxesView, OracleView, RubricView


def board_facts(view: AxesView | RubricView | OracleView) -> list[tuple[str, str]]:
    """How many contestants, items and judges there are, how far these agree, and the null floor."""
    nulls = len(view.rows) - len(view.contestants)
    facts = [
        (str(len(view.contestants)), f"contestants and {words.plural(nulls, 'null model')}"),
        (str(len(view.domains)), "domains"),
        (str(view.results.n_items), "items"),
    ]
    if isinstance(view, OracleView):
        if view.results.n_bundles:
            facts.append((str(view.results.n_bundles), "bundles of variants"))
    else:
        facts += [_judges(view), _agreement(view)]
    if view.floor is not None:
        facts.append((words.number(view.floor), "null floor"))
    return facts


def _judges(view: AxesView | RubricView) -> tuple[str, str]:
    judges = "rule-based judges" if view.rule_based else "judges"
    if isinstance(view, RubricView) and view.results.geval_metrics:
        judges += f" and {words.plural(len(view.results.geval_metrics), 'G-Eval metric')}"
    return str(len(view.judges)), judges


def _agreement(view: AxesView | RubricView) -> tuple[str, str]:
    alpha = view.agreement()
    label = f"agreement α, {alpha.label or alpha.absent}"
    if alpha.alpha_scored is not None:
        label += f"; {words.number(alpha.alpha_scored, 2)} on scored answers, {alpha.label_scored}"
    return words.number(alpha.alpha, 2), label
