"""Compare with other programs on the same prompts: `python -m benchmarks.peers inspect promptfoo deepeval`.

The newest version of each is installed into a temporary folder. It makes as many calls at the same concurrency as we
do, to the server of `benchmarks.loopback`. The CPU times of whole processes are compared.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from benchmarks.loopback import served
from benchmarks.measure import ROOT, Outcome, report, run
from benchmarks.runner import COLD, CONCURRENCY, evaluated, write

_HERE = ROOT / "benchmarks"


@dataclass(frozen=True)
class _Peer:
    """times: how much of our CPU it takes at least. install: it, into an empty folder.

    command: what asks the server at a URL all the prompts of a file, to be run in that folder.
    """

    times: float
    install: Callable[[Path], None]
    command: Callable[[Path, str, Path], list[str]]


def check(names: Collection[str]) -> None:
    """Exit with a message if there is no such peer."""
    unknown = sorted(set(names) - set(_PEERS))
    if unknown:
        sys.exit(f"there is no peer {', '.join(unknown)}; there are {', '.join(_PEERS)}")


def outcomes(names: Collection[str]) -> list[Outcome]:
    """Measure the CPU time of each peer relative to ours."""
    with TemporaryDirectory() as name:
        folder, recorded, prompts = Path(name), Path(name) / "recorded.jsonl", Path(name) / "prompts.jsonl"
        with served(record=recorded) as url:
            repository = write(folder, url, COLD)
            evaluated(repository)
            bodies = recorded.read_bytes().splitlines()
            prompts.write_text("".join(json.dumps(json.loads(body)["messages"]) + "\n" for body in bodies), "utf-8")
            return [_outcome(peer, folder / peer, url, prompts, repository) for peer in names]


def _outcome(name: str, folder: Path, url: str, prompts: Path, repository: Path) -> Outcome:
    """One round, ours before and after it: a peer takes minutes."""
    peer, title = _PEERS[name], f"{name}, CPU of {COLD.calls:,} calls"
    folder.mkdir()
    # Logs, caches and settings go with the folder.
    variables = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    before = evaluated(repository).cpu
    try:
        peer.install(folder)
        theirs = run(peer.command(folder, url, prompts), variables, folder).cpu
    except (subprocess.CalledProcessError, OSError) as error:
        detail = f"it does not install or run here: {error}"
        return Outcome(title, math.nan, peer.times, detail, noun="times ours", at_least=True)
    ours = mean((before, evaluated(repository).cpu))
    detail = f"{theirs:.1f} s against {ours:.1f} s"
    return Outcome(title, theirs / ours, peer.times, detail, noun="times ours", at_least=True)


def _install_python(*packages: str) -> Callable[[Path], None]:
    def install(folder: Path) -> None:
        run([sys.executable, "-m", "venv", str(folder / "venv")], {})
        pip = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        run([_python(folder), *pip, *packages], {})

    return install


def _python(folder: Path) -> str:
    return str(folder / "venv" / "bin" / "python")


def _script(name: str) -> Callable[[Path, str, Path], list[str]]:
    def command(folder: Path, url: str, prompts: Path) -> list[str]:
        return [_python(folder), str(_HERE / name), url, str(prompts), str(CONCURRENCY)]

    return command


def _install_promptfoo(folder: Path) -> None:
    """With a Node of its own, newer than distributions have it; what is compiled then is compiled for that one."""
    command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel", "error"]
    run([*command, "node@22"], {})
    run([*command, "promptfoo"], {"PATH": _path(folder)})


def _path(folder: Path) -> str:
    """What npm installed there, before all else."""
    return os.pathsep.join([str(folder / "node_modules" / ".bin"), os.environ["PATH"]])


def _promptfoo(folder: Path, url: str, prompts: Path) -> list[str]:
    """A test a prompt, without assertions."""
    texts = ["\n\n".join(message["content"] for message in json.loads(line)) for line in prompts.open("rb")]
    config = {
        "prompts": ["{{text}}"],
        "providers": [{"id": "openai:chat:model", "config": {"apiBaseUrl": url, "apiKey": "none"}}],
        "tests": [{"vars": {"text": text}} for text in texts],
    }
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    variables = (
        f"PATH={_path(folder)}",
        "PROMPTFOO_DISABLE_TELEMETRY=1",
        "PROMPTFOO_DISABLE_UPDATE=1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION=1",
    )
    options = ("--no-cache", "--no-table", "--no-progress-bar", "-j", str(CONCURRENCY), "-c", "config.json")
    return ["env", *variables, str(folder / "node_modules" / ".bin" / "promptfoo"), "eval", *options]


_PEERS = {
    "inspect": _Peer(10, _install_python("inspect-ai", "openai"), _script("peer_inspect.py")),
    "promptfoo": _Peer(4, _install_promptfoo, _promptfoo),
    "deepeval": _Peer(3, _install_python("deepeval"), _script("peer_deepeval.py")),
}


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(_PEERS)
    check(chosen)
    sys.exit(report(outcomes(chosen)))
