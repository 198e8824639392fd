"""The board of `small_axes` whose only judge is asked short questions."""

from __future__ import annotations

from pathlib import Path

from support.benchmarks import edit, write_benchmark

from nullbench_site.repository import Repository

QUESTIONS = """\
canary: "nullbench-canary:5a000000-0000-4000-8000-0000000000d1"
axes:
  truthfulness: [sentences]
  neutrality: [sentences, framing, salience]
  reasoning: [facts, hedging, causality]
  causal-restraint: [sentences, causality]
prohibitions: {growing: [2, 5], levels: [2, 5], fish: [2, 5]}
"""
"""No question is about `clarity` and `numerical-fidelity`."""


def questioned_axes(
    folder: Path, *, questions: str | None = QUESTIONS, fields: str = "", gates: str = ""
) -> Repository:
    """Write the board. questions: specs/axis-questions.yaml. fields: more of the judge. gates: of the panel."""
    specs = write_benchmark(folder, "axes")
    judge = (
        "  - {id: asker, title: Asker, description: A model., backend: openai, model: asker-1, family: askers, "
        f"method: questions, decoding: {{max_tokens: 1}}{fields}}}\n"
    )
    edit(specs, "judges.yaml", "panels:\n", f"{judge}panels:\n")
    edit(specs, "judges.yaml", "judges: [support, restraint, form]", "judges: [asker]")
    edit(specs, "judges.yaml", "    refusal_gates: {sample: 2, votes: 2}\n", gates)
    if questions is not None:
        (specs / "axis-questions.yaml").write_text(questions, "utf-8")
    return Repository(folder)
