"""Make the Inspect logs of this folder: our own items, a mock model, two scorers, two epochs and a failed sample."""

import sys

import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, accuracy, includes, mean, scorer, stderr
from inspect_ai.solver import solver

ITEMS = {"tea": ("What colour is green tea?", "green"), "two": ("What is 1 + 1?", "2"), "sky": ("Name a star.", "Sun")}
ANSWERS = {
    "alpha": {"tea": "It is green.", "two": "2", "sky": "The Sun"},
    "beta": {"tea": "It is brown.", "two": "2", "sky": "The Moon"},
}


@scorer(metrics={"brief": [mean(), stderr()], "polite": [accuracy()]})
def style():
    """Give two values; a brevity of NaN marks a response that could not be scored."""

    async def score(state, target):
        words = len(state.output.completion.split())
        return Score(value={"brief": float("nan") if words == 1 else 1 / words, "polite": "N"})

    return score


@solver
def answers(of_items):
    """Answer as the mock model would, and fail in the second epoch of one item."""

    async def solve(state, generate):
        if state.sample_id == "sky" and state.epoch == 2:
            raise RuntimeError("the mock solver fails here")
        state.output = ModelOutput.from_content(str(state.model), of_items[state.sample_id])
        return state

    return solve


def run(form, name, epochs):
    """Write a log of one mock model."""
    task = inspect_ai.Task(
        name="small_talk",
        dataset=[Sample(id=item, input=prompt, target=target) for item, (prompt, target) in ITEMS.items()],
        solver=answers(ANSWERS[name]),
        scorer=[includes(), style()],
    )
    inspect_ai.eval(
        task, model=f"mockllm/{name}", epochs=epochs, fail_on_error=False, log_dir=f"{sys.argv[1]}/{form}",
        log_format=form, display="none",
    )  # fmt: skip


run("eval", "alpha", 2)
run("eval", "beta", 2)
run("json", "alpha", 1)
