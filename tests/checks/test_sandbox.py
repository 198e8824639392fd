"""Executing code in the sandbox, and attacks on it. What needs bubblewrap is skipped where there is none."""

import os
import subprocess
import sys
import textwrap
import tracemalloc
from pathlib import Path

import pytest
from checks.examples import does_not_apply, flags, run_check

from nullbench_site.checks import sandbox
from nullbench_site.checks.runnable_code import CodeRunnable
from nullbench_site.checks.sandbox import Ending, SandboxUnavailableError, execute, sandbox_problem, seccomp_filter

PROBLEM = sandbox_problem()
sandboxed = pytest.mark.skipif(PROBLEM is not None, reason=PROBLEM or "")

RUN = CodeRunnable(run=True, tests="assert double(4) == 8", seconds=60)


def block(code: str) -> str:
    return f"```python\n{code}\n```\n"


def ending(code: str, *, seconds: float = 60) -> Ending:
    return execute(textwrap.dedent(code), seconds=seconds, megabytes=256)


@sandboxed
def test_code_runs_and_is_tested() -> None:
    assert flags(block("def double(x): return 2 * x"), RUN) == []
    assert flags(block("def double(x):"), RUN) == ["syntax_error"]
    assert flags(block("def double(x): return x") + block("print(double(1))"), RUN) == ["tests_failed"]
    assert flags(block("double = 1 / 0"), RUN) == ["raised"]
    assert flags(block("exit()"), RUN) == ["exited"]


@sandboxed
def test_blocks_run_as_one_program_named_main() -> None:
    text = block("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int") + block(
        "def double(x): return A(2 * x).x\nif __name__ == '__main__': assert double(1) == 2"
    )
    assert flags(text, RUN) == []


def test_code_that_needs_packages_is_not_run() -> None:
    assert does_not_apply(block("import numpy as np"), RUN)
    assert does_not_apply(block("from torch.nn import Module"), RUN)


@sandboxed
def test_a_loop_ends_with_its_time() -> None:
    assert ending("while True: pass", seconds=1) == "timed-out"
    assert ending("import time; time.sleep(600)", seconds=1) == "timed-out"
    assert ending("import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()") == "finished"


ENDINGS = {
    "out-of-memory": ["x = bytearray(1 << 32)", "x = []\nwhile True: x.append(bytearray(1 << 20))", "x = 'a' * 10**11"],
    # No process is started.
    "raised": [
        "import os\nwhile True: os.fork()",
        "import subprocess; subprocess.run(['/bin/sh', '-c', 'true'])",
        "import os; os.posix_spawn('/bin/sh', ['sh'], {})",
        "import multiprocessing; multiprocessing.Process(target=print).start()",
        # Files cannot be reached or filled.
        "open('/etc/passwd')",
        "open('/proc/self/environ')",
        "open('/proc/1/environ')",
        "open('/dev/null')",
        f"open({str(Path(__file__).resolve())!r})",
        f"import os; os.listdir({str(Path.cwd())!r})",
        "open('/new', 'w')",
        "import json; open(json.__file__, 'a')",
        "open('/tmp/large', 'wb').write(bytes(9 << 20))",
        "for n in range(9): open(f'/tmp/{n}', 'wb').write(bytes(4 << 20))",
        "import os; os.write(os.memfd_create('hidden'), b'x')",
        "held = [open(f'/tmp/{n}', 'w') for n in range(99)]",
        # There is no network.
        "import socket; socket.create_connection(('127.0.0.1', 22), 1)",
        "import socket; socket.create_connection(('192.0.2.1', 80), 1)",
        "import urllib.request; urllib.request.urlopen('http://example.invalid', timeout=1)",
        # Limits cannot be lifted, and packages of this machine are not there.
        "import resource as r; r.setrlimit(r.RLIMIT_AS, (-1, -1))",
        "import msgspec",
    ],
    # A crash is the end of the code only.
    "killed": ["import os; os.abort()", "import ctypes; ctypes.string_at(0)", "import os; os._exit(1)"],
    # Threads are allowed, and output is thrown away.
    "finished": [
        "import threading; t = threading.Thread(target=print); t.start(); t.join()",
        "import sys\nfor _ in range(2000): sys.stdout.write('x' * 100_000)",
        "import sys\nfor _ in range(2000): sys.stderr.write('x' * 100_000)",
    ],
}


@sandboxed
@pytest.mark.parametrize(("code", "ended"), [(code, ended) for ended, codes in ENDINGS.items() for code in codes])
def test_code_has_little_memory_and_reaches_nothing_outside(code: str, ended: str) -> None:
    assert ending(code) == ended


@sandboxed
def test_a_little_may_be_written_and_nothing_stays() -> None:
    mark = Path("/tmp/nullbench-sandbox-mark")  # noqa: S108
    write = f"open({str(mark)!r}, 'x').write('x')"
    assert ending(write) == "finished"
    assert ending(write) == "finished"
    assert not mark.exists()


@sandboxed
def test_the_environment_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_KEY", "canary")
    assert ending("import os; assert not os.environ, 'not empty'") == "finished"


@sandboxed
def test_other_processes_cannot_be_seen_or_stopped() -> None:
    parent = os.getpid()
    assert ending(f"import os; os.kill({parent}, 9)") == "raised"
    assert ending("import os; os.kill(os.getppid(), 9)") in ("finished", "killed")
    assert ending("import os; os.kill(-1, 9)") in ("raised", "killed")


@sandboxed
def test_output_takes_none_of_our_memory() -> None:
    code = "import os\nfor _ in range(300): os.write(2, b'x' * 1_000_000)"
    tracemalloc.start()
    try:
        assert ending(code) == "finished"
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_filter_is_whole_instructions_and_its_jumps_stay_inside(machine: str) -> None:
    rules = seccomp_filter(machine)
    assert len(rules) % 8 == 0
    count = len(rules) // 8
    for at in range(count):
        code, yes, no = rules[8 * at], rules[8 * at + 2], rules[8 * at + 3]
        if code & 7 == 5:  # a jump
            assert at + 1 + max(yes, no) < count


def test_an_unknown_machine_has_no_filter() -> None:
    assert seccomp_filter("vax") is None


def test_a_machine_without_bubblewrap_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    sandbox_problem.cache_clear()
    try:
        with pytest.raises(
            SandboxUnavailableError, match=r"found no bwrap.*install the package bubblewrap.*; leave out"
        ):
            run_check(block("def double(x): return 2 * x"), RUN)
        assert run_check(block("def double(x): return 2 * x"), CodeRunnable()).outcome == "passed"
    finally:
        sandbox_problem.cache_clear()


def test_a_bubblewrap_that_does_not_work_is_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: no permission' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    sandbox_problem.cache_clear()
    try:
        assert sandbox.sandbox_problem() == "bubblewrap could not start a sandbox: bwrap: no permission"
    finally:
        sandbox_problem.cache_clear()


def test_reading_the_checks_starts_nothing() -> None:
    code = "import sys, nullbench_site.checks.registry; sys.exit('multiprocessing' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
