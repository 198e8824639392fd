"""A gateway with dead models, one that refuses long prompts, and healthy ones: one build finishes the healthy."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import pytest
from support.evidence import records
from support.fault_server import Canned, FaultServer
from support.live import JUDGES, live_repository
from support.repositories import ITEMS, build, run_dir

CONTESTANTS = ("dead", "failing", "short", "one", "two")
HEALTHY = ("one", "two")
LONGEST = 1000
"""Characters; half of the prompts have more."""
TOO_LONG = "prompt is too long: 213462 tokens > 200000 maximum"
LIMITS = {"concurrency": 4, "attempts": 2, "first_wait": 0.01}
STARTED_WITHIN_S = 200.0


def faults_of(server: FaultServer) -> None:
    refusal = {"type": "error", "error": {"type": "invalid_request_error", "message": TOO_LONG}}
    server.always |= {"model-dead": "429", "model-failing": "500"}
    server.longest["model-short"] = (LONGEST, Canned(refusal, status=400))


def finishes_the_healthy_in_one_build(folder: Path, url: str, **endpoint: str) -> None:
    board = live_repository(folder, url, contestants=CONTESTANTS, limits=LIMITS, endpoint=endpoint)
    report = build(board)
    responses, judgments = (list(records(run_dir(board), kind)) for kind in ("responses", "judgments"))
    answered = Counter(record["model"] for record in responses if record["state"] == "answered")
    assert {name: answered[name] for name in (*HEALTHY, "dead", "failing")} == {
        **dict.fromkeys(HEALTHY, ITEMS),
        "dead": 0,
        "failing": 0,
    }
    assert 0 < answered["short"] < ITEMS
    judged = Counter(record["model"] for record in judgments if record["state"] == "scored")
    assert judged == {name: answered[name] * len(JUDGES) for name in (*HEALTHY, "short")}

    stopped = sorted(report.stopped)
    assert len(stopped) == 2
    for message, name in zip(stopped, ("dead", "failing"), strict=True):
        assert f"specs/models/{name}.yaml:" in message
        assert f"model 'model-{name}' at endpoint 'local' stopped: 4 calls in a row got no answer" in message
    refused = [record["error"] for record in responses if record["model"] == "short" and record["state"] == "errored"]
    assert len(refused) == ITEMS - answered["short"]
    assert all(error.startswith("the request is too long for the model") for error in refused), refused


def test_a_gateway_with_dead_models_finishes_the_healthy_ones_in_one_build(tmp_path: Path) -> None:
    with FaultServer() as server:
        faults_of(server)
        finishes_the_healthy_in_one_build(tmp_path / "board", server.url)
        assert server.repeated == 0


@pytest.mark.sweep
@pytest.mark.nightly
def test_the_proxy_of_litellm_with_dead_models_finishes_the_healthy_ones_in_one_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_KEY", key := f"sk-{secrets.token_hex(32)}")
    with FaultServer() as server:
        faults_of(server)
        with litellm_proxy(tmp_path, models(server.url), key) as url:
            finishes_the_healthy_in_one_build(tmp_path / "board", url, key_env="GATEWAY_KEY")


def models(behind: str) -> list[dict[str, Any]]:
    """What the proxy calls its models, and who answers for each: itself, or the server behind it."""
    mocked = {"model-dead": "litellm.RateLimitError", "model-one": "A healthy answer, made by the proxy itself."}
    names = [f"model-{name}" for name in (*CONTESTANTS, *JUDGES)]
    relayed = {"api_base": behind, "api_key": "none"}
    return [
        {
            "model_name": name,
            "litellm_params": {
                "model": f"openai/{name}",
                **({"mock_response": mocked[name]} if name in mocked else relayed),
            },
        }
        for name in names
    ]


@contextmanager
def litellm_proxy(folder: Path, models: list[dict[str, Any]], key: str) -> Iterator[str]:
    """LiteLLM's proxy as a process of its own; its base URL."""
    # In an environment of its own: it wants other versions of what we use.
    program = shutil.which(os.environ.get("LITELLM", "litellm"))
    assert program, "LiteLLM is not installed; make test-all installs what the nightly tests need"
    config = folder / "litellm.yaml"
    config.write_text(json.dumps({"model_list": models}), "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    told = folder / "litellm.log"
    # Without these it asks the network for prices and the like; nothing of ours is to reach it but its models.
    quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False", "LITELLM_MASTER_KEY": key}
    environ = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "SSL_CERT_FILE") if name in os.environ}
    command = [program, "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
    with told.open("wb") as log, subprocess.Popen(
        command, cwd=folder, env={**environ, **quiet}, stdout=log, stderr=subprocess.STDOUT
    ) as process:  # fmt: skip
        try:
            wait_until_it_answers(port, process, told)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def wait_until_it_answers(port: int, process: subprocess.Popen[bytes], told: Path) -> None:
    end = time.monotonic() + STARTED_WITHIN_S
    while True:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health/liveliness")
            if connection.getresponse().status == 200:
                return
        except (OSError, HTTPException):
            pass
        finally:
            connection.close()
        if process.poll() is not None or time.monotonic() > end:
            pytest.fail(f"the proxy does not answer:\n{told.read_text('utf-8', 'replace')[-3000:]}")
        time.sleep(0.2)
