"""One measurement by deepeval's GEval, paused where it calls its model. Only `prepare` may import this module.

We step through deepeval's coroutine instead of awaiting it: it runs up to its question, and continues with our answer.
So errors and cancellations of a call never pass through it, and it cannot ask a second question.
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
    """An awaitable that yields its prompt and returns what is sent."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt

    def __await__(self) -> Generator[str, GEvalScore, GEvalScore]:
        return (yield self._prompt)


class _Model(DeepEvalBaseLLM):  # type: ignore[misc]  # deepeval is not type-checked
    """The model that deepeval calls."""

    def load_model(self) -> None:
        """Do nothing: there is nothing to load."""

    def get_model_name(self) -> str:
        return "nullbench-site"

    def generate(self, prompt: str, schema: Any) -> Any:
        raise NotImplementedError("deepeval is used in its asynchronous form only")

    async def a_generate(self, prompt: str, schema: Any) -> Any:
        verdict = await _Question(prompt)
        return schema(reason=verdict.reason, score=verdict.score)


_MODEL = _Model()


class Conversation:
    """A prompt, and the score of its answer. Close it if there is no answer. scope: the context for deepeval."""

    def __init__(self, metric: GEvalMetric, texts: Mapping[Field, str], nonce: str, scope: Context) -> None:
        fence = Fence(nonce)
        # Without its validators, which search for images in time quadratic in the length of the text.
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
        """Return the score 0-1 as deepeval computes it."""
        try:
            self._context.run(self._running.send, verdict)
        except StopIteration as done:
            return float(done.value)
        raise RuntimeError("deepeval asked a second question")

    def close(self) -> None:
        """End the coroutine, finished or not."""
        self._context.run(self._running.close)
