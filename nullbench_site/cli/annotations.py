"""Write findings as workflow commands of GitHub, and as SARIF 2.1.0."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import quote

import msgspec

from nullbench_site import __version__
from nullbench_site.errors import RULES, NullbenchError, Problem, SpecError
from nullbench_site.specs.digest import sha256
from nullbench_site.text import one_line, shortened

if TYPE_CHECKING:
    from nullbench_site.review.report import Diff

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_MOST = 1000
"""The most characters of a message; foreign names in it can be long."""
_PLACE = re.compile(r"(?<=[a-z]):[0-9]+(:[0-9]+)?\b")
"""Lines and columns after the name of a file. They change when lines are added above."""
Level: TypeAlias = Literal["error", "warning", "note"]
_COMMANDS: Mapping[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}
_RULES: Mapping[str, str] = {str(rule): words for rule, words in RULES.items()}
_REVIEW = {
    "summary": "The change in one line",
    "change": "A changed spec that can move a score",
    "notice": "A change that reviewers should ask about",
    "compared": "Both sides can be compared",
    "evidence": "The ledger, runs and records are unedited",
}
"""The rules of a comparison. Their names are stable."""


class Finding(msgspec.Struct, frozen=True):
    """One finding, with its place if it has one. Lines and columns count from 1."""

    rule: str
    level: Level
    message: str
    file: str = ""
    line: int = 1
    column: int = 1


class Findings(msgspec.Struct, frozen=True):
    """The findings of a command. about: the start of titles. rules: sentences by stable name.

    failed: why the command failed; empty if it did not.
    """

    about: str
    rules: Mapping[str, str]
    listed: Sequence[Finding]
    failed: str = ""


def of_error(error: NullbenchError | None, warnings: Sequence[Problem] = ()) -> Findings:
    """Return every problem and warning of specs."""
    if error is not None and not isinstance(error, SpecError):
        return Findings("specs", _RULES, [], failed=str(error))
    problems = () if error is None else error.problems
    errors = [_finding(problem, "error") for problem in problems]
    return Findings("specs", _RULES, [*errors, *(_finding(problem, "warning") for problem in warnings)])


def _finding(problem: Problem, level: Level) -> Finding:
    return Finding(problem.rule, level, problem.message, problem.file, problem.line, problem.column)


def of_diff(diff: Diff) -> Findings:
    """Return the changes that can move a score as notes at their places, and problems as errors."""
    return Findings("diff", _REVIEW, list(_of_diff(diff)))


def _of_diff(diff: Diff) -> Iterator[Finding]:
    from nullbench_site.review import rendering

    if diff.compared:
        yield Finding("summary", "note", rendering.first_line(diff))
    for problem in diff.problems:
        yield Finding("compared", "error", problem)
    for notice in diff.notices:
        yield Finding("notice", "note", notice)
    for line in rendering.evidence_lines(diff):
        yield Finding("evidence", "error", line)
    for change in diff.changes:
        if change.scored:
            yield Finding("change", "note", rendering.change_line(change, str), change.file, change.line, change.column)


def workflow_commands(findings: Findings, root: Path) -> list[str]:
    """Return one workflow command per finding. root: the repository."""
    commands = [f"::error::{_data(_bounded(findings.failed))}"] if findings.failed else []
    for each in findings.listed:
        file = _property(_from_here(each.file, root))
        place = f"file={file},line={each.line},col={each.column}," if each.file else ""
        title = _property(f"{findings.about}: {each.rule}")
        commands.append(f"::{_COMMANDS[each.level]} {place}title={title}::{_data(_bounded(each.message))}")
    return commands


def sarif(findings: Findings, root: Path) -> bytes:
    """Return a SARIF 2.1.0 log. The reason of a failed command is a notification. root: the repository."""
    invocation: dict[str, Any] = {"executionSuccessful": not findings.failed}
    if findings.failed:
        message = {"text": _unlinked(_bounded(findings.failed))}
        invocation["toolExecutionNotifications"] = [{"level": "error", "message": message}]
    rules = [{"id": rule, "shortDescription": {"text": f"{words}."}} for rule, words in findings.rules.items()]
    run = {
        "tool": {"driver": {"name": "nullbench-site", "version": __version__, "rules": rules}},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": _results(findings, root),
    }
    return msgspec.json.encode({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _results(findings: Findings, root: Path) -> list[dict[str, Any]]:
    alike: Counter[str] = Counter()
    results = []
    for each in findings.listed:
        file = _from_here(each.file, root) if each.file else ""
        same = "\n".join((each.rule, file, _PLACE.sub("", each.message)))
        alike[same] += 1
        results.append(
            {
                "ruleId": each.rule,
                "ruleIndex": list(findings.rules).index(each.rule),
                "level": each.level,
                "message": {"text": _unlinked(_bounded(each.message))},
                "locations": [{"physicalLocation": _location(each, file)}] if file else [],
                "partialFingerprints": {"problem/v1": f"{sha256(same.encode())[:32]}:{alike[same]}"},
            }
        )
    return results


def _location(finding: Finding, file: str) -> dict[str, Any]:
    base = "PRIVATE" if Path(finding.file).is_absolute() else "%SRCROOT%"
    return {
        "artifactLocation": {"uri": quote(file), "uriBaseId": base},
        "region": {"startLine": finding.line, "startColumn": finding.column},
    }


def _from_here(file: str, root: Path) -> str:
    """Return the path from the current folder; for a private file elsewhere, only the name."""
    if Path(file).is_absolute():
        return Path(file).name
    place = os.path.relpath(root / file)
    return file if place.startswith("..") else Path(place).as_posix()


def _bounded(message: str) -> str:
    return shortened("\n".join(map(one_line, message.splitlines())), _MOST)


def _unlinked(message: str) -> str:
    """Break `[text](target)`, which is a link in a SARIF message."""
    return message.replace("](", "] (")


def _data(text: str) -> str:
    """Escape the text of a workflow command (https://docs.github.com/actions)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
