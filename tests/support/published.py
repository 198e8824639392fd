"""The packs of published pairwise data beside the checkout, as arrays; they are not part of the project."""

from __future__ import annotations

import csv
import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.commands import ROOT

from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.style_control import GamedRows

ALPACA = ROOT.parent / "shared" / "data" / "alpacaeval2"
ARENA = ROOT.parent / "shared" / "data" / "arena-hard"
needs_alpaca = pytest.mark.skipif(not ALPACA.is_dir(), reason="the published annotations are not part of the project")
needs_arena = pytest.mark.skipif(not ARENA.is_dir(), reason="the published verdicts are not part of the project")

POINTS = {"A>>B": -2, "A>B": -1, "A=B": 0, "B>A": 1, "B>>A": 2}


@cache
def expected_alpaca() -> dict[str, dict[str, Any]]:
    """By model."""
    return {entry["model"]: entry for entry in json.loads((ALPACA / "expected.json").read_text())["models"]}


@cache
def annotations(model: str) -> dict[str, Floats]:
    """(n,) by the field of the annotations, NaN for null."""
    lines = (ALPACA / "annotations" / f"{model}.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return {
        name: np.array([np.nan if row[name] is None else float(row[name]) for row in rows])
        for name in ("preference", "len_model", "len_baseline", "logprob_m", "logprob_M", "switched")
    }


@cache
def fixed_difficulty() -> Floats:
    with (ALPACA / "instruction_difficulty.csv").open() as file:
        return np.array([float(row["instruction_difficulty"]) for row in csv.DictReader(file)])


@cache
def gamed_rows() -> GamedRows:
    with (ALPACA / "gamed_baseline_rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    shares, lengths, difficulty = (
        np.array([float(row[name]) for row in rows])
        for name in ("preference_minus_1", "std_delta_len", "instruction_difficulty")
    )
    return GamedRows(shares, np.tanh(lengths), difficulty)


@cache
def expected_arena() -> dict[str, Any]:
    """All of it: `models` and the fits of style on this pack."""
    found: dict[str, Any] = json.loads((ARENA / "expected.json").read_text())
    return found


@cache
def verdicts(model: str) -> Floats:
    """(questions, 2) of both games for the model; a second game that is missing is the first one's verdict again."""
    games = [json.loads(line) for line in (ARENA / "judgments" / f"{model}.jsonl").read_text().splitlines()]
    return np.array([[POINTS[game["g1"]], -POINTS[game["g2"] or game["g1"]]] for game in games], np.float64)


@cache
def styles(model: str) -> tuple[Floats, Floats]:
    """(questions, 4) of the model and of the baseline: tokens, headers, list items, bold."""
    games = [json.loads(line) for line in (ARENA / "judgments" / f"{model}.jsonl").read_text().splitlines()]
    ours, theirs = (np.array([game[name] for game in games], np.float64) for name in ("style_model", "style_baseline"))
    return ours, theirs
