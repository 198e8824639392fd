"""One measurement by deepeval's GEval, stopped where it asks its model. Only `prepare` may import this module.

deepeval is run by hand and not awaited: it works up to its question, waits for nothing, and works on from the answer.
So an error of a call, or its being cancelled, never passes through it, and it can put no second question.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextvars import Context
from typing import Any

from deepeval.metrics import GEval
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase, SingleTurnParams

from nullbench_site.judging.geval import FIELDS, QUOTED, Field, GEvalMetric, GEvalScore
from nullbench_site.judging.quoting import Fence


class _Question:
    """Awaited, it hands its prompt to whoever runs the coroutine, and is answered with what that one sends."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt

    def __await__(self) -> Generator[str, GEvalScore, GEvalScore]:
        return (yield self._prompt)


class _Model(DeepEvalBaseLLM):  # type: ignore[misc]  # deepeval is not type-checked
    """The model deepeval believes to talk to."""

    def load_model(self) -> None:
        """There is none."""

    def get_model_name(self) -> str:
        return "nullbench-site"

    def generate(self, prompt: str, schema: Any) -> Any:
        raise NotImplementedError("deepeval is used in its asynchronous form only")

    async def a_generate(self, prompt: str, schema: Any) -> Any:
        verdict = await _Question(prompt)
        return schema(reason=verdict.reason, score=verdict.score)


_MODEL = _Model()


class Conversation:
    """A prompt, and what its answer scores. To be closed where it is not answered. scope: what to run deepeval in."""

    def __init__(self, metric: GEvalMetric, texts: Mapping[Field, str], nonce: str, scope: Context) -> None:
        fence = Fence(nonce)
        # Made without its validators: they look for images to load, in time quadratic in the length of the text.
        case = LLMTestCase.model_construct(**{name: fence.around(text, FIELDS[name]) for name, text in texts.items()})
        self._metric = GEval(
            name=metric.title,
            evaluation_params=[SingleTurnParams(name) for name in texts],
            evaluation_steps=[QUOTED.format(nonce=nonce), *metric.steps],
            model=_MODEL,
            verbose_mode=False,
        )
        self._context = scope.copy()
        self._running = self._metric.a_measure(case, _show_indicator=False)
        self.prompt: str = self._context.run(self._running.send, None)

    def score(self, verdict: GEvalScore) -> float:
        """0-1, as deepeval computes it."""
        try:
            self._context.run(self._running.send, verdict)
        except StopIteration as done:
            return float(done.value)
        raise RuntimeError("deepeval asked a second question")

    def close(self) -> None:
        """Ends it where it stands; no harm where it has ended."""
        self._context.run(self._running.close)
