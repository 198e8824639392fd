"""The results of a study of judging prompts as a table and as the file specs/screening/JUDGE.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import yaml

from nullbench_site.audit.judge_decisions import Screened
from nullbench_site.audit.prompt_results import BoardResult
from nullbench_site.audit.study_data import study
from nullbench_site.specs.listing import SCREENING
from nullbench_site.stats.measure import Bounded


def table(results: Iterable[BoardResult]) -> Iterator[list[str]]:
    """Yield a heading and a row for each prompt."""
    yield ["board", "prompt", "reply", "right above wrong", "invalid", "cut", "first", "tokens", "seconds", "chosen"]
    for result in results:
        for each in result.prompts:
            position = each.rates.position
            yield [
                result.board, each.prompt, each.reply, shown(each.report),
                f"{each.rates.n_invalid} of {each.rates.n_replies}", str(each.rates.n_cut),
                "" if position.value is None else f"{position.value:.2f}",
                "" if each.tokens_in is None else f"{each.tokens_in + (each.tokens_out or 0):.0f}",
                "" if each.seconds is None else f"{each.seconds:.1f}", "chosen" if result.has_chosen(each) else "",
            ]  # fmt: skip


def attack_table(results: Iterable[BoardResult]) -> Iterator[list[str]]:
    """Yield a heading and a row for each attack on short questions; nothing if none was measured."""
    rows = [
        [result.board, each.letter, each.attack, shown(each.above_right), shown(each.above_empty)]
        for result in results
        for each in result.attacks
    ]
    if rows:
        yield ["board", "", "attack on questions", "above the right response", "above the empty one"]
        yield from rows


def decisions(screened: Iterable[Screened]) -> Iterator[str]:
    """Yield a sentence for each candidate: whether it passes the screening, or why it fails."""
    for each in screened:
        what = "passes" if each.passed else f"fails: {'; '.join(each.reasons)}"
        yield f"{each.protocol}, {each.tried.name}: {what}"


def method_words(results: Iterable[BoardResult]) -> Iterator[str]:
    """Yield a sentence for each board on whether short questions or one verdict are asked."""
    for result in results:
        if result.method is None:
            continue
        method = {"questions": "short questions", "verdict": "one verdict"}[result.method.method]
        figures = f"questions less verdict {result.method.difference:+.2f}, p {result.method.p:.3f}"
        shown_words = "" if result.method.shown else "no difference shown, so "
        yield f"{result.board}: {shown_words}{method} ({figures})"


def shown(value: Bounded) -> str:
    """Return a value with its interval."""
    if value.value is None:
        return value.reason or ""
    return f"{value.value:.2f} ({value.low:.2f} to {value.high:.2f})"


def written(
    judge: str,
    model: str,
    results: Sequence[BoardResult],
    screened: Sequence[Screened],
    day: date,
    *,
    before: bytes = b"",
) -> bytes:
    """Return the file specs/screening/JUDGE.yaml: the choice for each protocol, with its figures and its run.

    screened: the decisions on this judge. before: the file so far, whose other boards stay if they are of the same
    model and the same version of the study.
    """
    new = {result.board for result in results}
    content = {
        "judge": judge,
        "model": model,
        "study": study().version,
        "date": day.isoformat(),
        "boards": [*(each for each in _kept(before, model) if each.get("board") not in new), *map(_plain, results)],
        "screening": [decision_fields(each) for each in screened],
    }
    head = "# Written by `nullbench-site screen-judges --prompts`. The records are in audits/.\n"
    return (head + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)).encode()


def _kept(before: bytes, model: str) -> Sequence[dict[str, Any]]:
    try:
        earlier = yaml.safe_load(before)
    except yaml.YAMLError:
        return []
    if not isinstance(earlier, dict) or (earlier.get("model"), earlier.get("study")) != (model, study().version):
        return []
    return [each for each in earlier.get("boards", []) if isinstance(each, dict)]


def _plain(result: BoardResult) -> dict[str, Any]:
    prompts = []
    for each in result.prompts:
        own = {
            name: _number(getattr(each, name)) for name in each.__struct_fields__ if name not in ("rates", "attacks")
        }
        prompts.append({
            **own,
            "replies": msgspec.to_builtins(each.rates),
            "position": _number(each.rates.position),
            "attacks": {name: _number(value) for name, value in each.attacks.items()},
        })  # fmt: skip
    choice, method = msgspec.to_builtins(result.choice), msgspec.to_builtins(result.method)
    return {
        "board": result.board, "protocol": result.protocol, "run": result.run, "items": result.n_items,
        "items_of_selection": result.n_selection, "choice": choice, "value": result.value, "method": method,
        "prompts": prompts, "question_attacks": [
            {name: _number(getattr(each, name)) for name in each.__struct_fields__} for each in result.attacks
        ],
    }  # fmt: skip


def decision_fields(screened: Screened) -> dict[str, Any]:
    """Return a decision with its figures, for YAML and JSON."""
    tried = screened.tried
    return {
        "protocol": screened.protocol, "name": tried.name, "passed": screened.passed,
        "reasons": list(screened.reasons), "measured": tried.measured, "skill": _number(tried.skill),
        "valid": tried.valid, "position": _number(tried.position),
        "floors": {kind: _number(value) for kind, value in tried.floors.items()},
        "unanswerable": tried.unanswerable, "p": tried.p, "adjusted": screened.adjusted, "candidates": screened.tests,
    }  # fmt: skip


def _number(value: Any) -> Any:
    if not isinstance(value, Bounded):
        return value
    if value.value is None:
        return value.reason
    return [round(each, 4) for each in (value.value, value.low, value.high) if each is not None]


def screening_file(specs: Path, judge: str) -> Path:
    """Return the place of the results of a judge."""
    return specs / SCREENING / f"{judge}.yaml"
