"""Problems of specs as the programs around a review read them: GitHub's workflow commands, and SARIF 2.1.0."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from nullbench_site import __version__
from nullbench_site.errors import RULES, NullbenchError, Problem, SpecError
from nullbench_site.specs.digest import sha256
from nullbench_site.text import one_line, shortened

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_MOST = 1000
"""Characters of a message: names in it are somebody's, and as long as they like."""
_PLACE = re.compile(r"(?<=[a-z]):[0-9]+(:[0-9]+)?\b")
"""Lines and columns behind the name of a file, which move with what stands above them."""
_RULES = list(RULES)


def workflow_commands(error: NullbenchError | None, root: Path, warnings: Sequence[Problem] = ()) -> list[str]:
    """An `::error` a problem, a `::warning` a warning, at its place. root: the repository that files are named from."""
    if error is not None and not isinstance(error, SpecError):
        return [f"::error::{_data(_bounded(str(error)))}"]
    told = [("error", problem) for problem in (() if error is None else error.problems)]
    return [
        f"::{level} file={_property(_from_here(problem.file, root))},line={problem.line},col={problem.column},"
        f"title={_property(f'specs: {problem.rule}')}::{_data(_bounded(problem.message))}"
        for level, problem in [*told, *(("warning", problem) for problem in warnings)]
    ]


def sarif(error: NullbenchError | None, root: Path, warnings: Sequence[Problem] = ()) -> bytes:
    """A SARIF 2.1.0 log with every problem, none where there is no error, and every warning. root: as above.

    An error that is no problem of a spec is a notification of an invocation that failed.
    """
    problems = error.problems if isinstance(error, SpecError) else ()
    invocation: dict[str, Any] = {"executionSuccessful": error is None or isinstance(error, SpecError)}
    if error is not None and not invocation["executionSuccessful"]:
        message = {"text": _unlinked(_bounded(str(error)))}
        invocation["toolExecutionNotifications"] = [{"level": "error", "message": message}]
    rules = [{"id": rule, "shortDescription": {"text": f"{RULES[rule]}."}} for rule in _RULES]
    run = {
        "tool": {"driver": {"name": "nullbench-site", "version": __version__, "rules": rules}},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [*_results(problems, root, "error"), *_results(warnings, root, "warning")],
    }
    return msgspec.json.encode({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _results(problems: Sequence[Problem], root: Path, level: str) -> list[dict[str, Any]]:
    alike: Counter[str] = Counter()
    results = []
    for problem in problems:
        file = _from_here(problem.file, root)
        same = "\n".join((problem.rule, file, _PLACE.sub("", problem.message)))
        alike[same] += 1
        base = "PRIVATE" if Path(problem.file).is_absolute() else "%SRCROOT%"
        location = {
            "artifactLocation": {"uri": quote(file), "uriBaseId": base},
            "region": {"startLine": problem.line, "startColumn": problem.column},
        }
        results.append(
            {
                "ruleId": problem.rule,
                "ruleIndex": _RULES.index(problem.rule),
                "level": level,
                "message": {"text": _unlinked(_bounded(problem.message))},
                "locations": [{"physicalLocation": location}],
                "partialFingerprints": {"problem/v1": f"{sha256(same.encode())[:32]}:{alike[same]}"},
            }
        )
    return results


def _from_here(file: str, root: Path) -> str:
    """A file of the repository as it is called in the folder that the command was run in.

    One elsewhere, which holds private texts, by its name alone.
    """
    if Path(file).is_absolute():
        return Path(file).name
    place = os.path.relpath(root / file)
    return file if place.startswith("..") else Path(place).as_posix()


def _bounded(message: str) -> str:
    return shortened("\n".join(map(one_line, message.splitlines())), _MOST)


def _unlinked(message: str) -> str:
    """Without `[text](target)`, which is a link in a message of SARIF."""
    return message.replace("](", "] (")


def _data(text: str) -> str:
    """https://docs.github.com/actions: what stands for a line's end in a command, and for the sign that says so."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
