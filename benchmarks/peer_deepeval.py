"""deepeval on the prompts of a file: `python peer_deepeval.py URL PROMPTS CONCURRENCY`, in a venv that has it.

Each prompt is a test case, judged once by G-Eval with given steps, so that a test case is one call.
"""

# mypy: disable-error-code="import-not-found"

import json
import os
import sys
from pathlib import Path

url, prompts, concurrency = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
os.environ |= {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "OPENAI_API_KEY": "none",
    "OPENAI_BASE_URL": url,
    "ERROR_REPORTING": "0",
}

from deepeval import evaluate  # noqa: E402 - it reads the variables when it is imported
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig  # noqa: E402
from deepeval.metrics import GEval  # noqa: E402
from deepeval.models import OpenAIModel  # noqa: E402
from deepeval.test_case import LLMTestCase, SingleTurnParams  # noqa: E402

texts = ["\n\n".join(m["content"] for m in json.loads(line)) for line in prompts.read_text("utf-8").splitlines()]
metric = GEval(
    name="Fidelity",
    evaluation_steps=["Compare the answer with its source."],
    evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
    model=OpenAIModel(model="gpt-5", base_url=url, api_key="none"),
)
result = evaluate(
    [LLMTestCase(input=text, actual_output="An answer.") for text in texts],
    [metric],
    async_config=AsyncConfig(max_concurrent=concurrency),
    display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
    cache_config=CacheConfig(write_cache=False),
)
assert len(result.test_results) == len(texts)
assert all(data.error is None for test in result.test_results for data in test.metrics_data or ())
