"""Nobody but a protocol's own folder knows its name: what is shared goes by the interface of protocols."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from support.commands import ROOT

from nullbench_site.extensions import registered

NAMES = "|".join(registered("protocols"))
AN_OWN_FOLDER = ("nullbench_site/protocols/", "nullbench_site/interop/")
"""An import format may be that of one protocol."""
OF_A_PROTOCOL = re.compile(
    rf"protocols\.(?:{NAMES})\b|`(?:{NAMES})`|[\"'](?:rubric|oracle)[\"']"
    r"|protocol\w* *(?:[!=]==?|in|not in)[ (\[{]*[\"']"
    rf"|\b(?:{NAMES.title()})(?!File\b)[A-Z]\w*|\b_?(?:rubric|oracle)_|\b(?:{NAMES})[-_](?:board|domain|item|protocol)"
)
"""Axes, with their file and their goals, are words that specs of any protocol may use; a protocol's name is not."""


def lines(*endings: str) -> dict[str, str]:
    """Every line of what is shared, by its place."""
    texts = {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for folder in ("nullbench_site", "site_templates")
        for path in sorted(Path(ROOT, folder).rglob("*"))
        if path.suffix in endings
    }
    return {
        f"{name}:{number}: {line}": line
        for name, text in texts.items()
        if not name.startswith(AN_OWN_FOLDER)
        for number, line in enumerate(text.splitlines(), start=1)
    }


def test_no_protocol_may_import_another() -> None:
    """Those of one layer may not; of one that no layer names lint would say nothing."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = [set(layer.split(" | ")) for contract in contracts for layer in contract.get("layers", ())]
    assert {f"nullbench_site.protocols.{name}" for name in registered("protocols")} in layers


def test_no_line_of_what_is_shared_names_a_protocol() -> None:
    shared = lines(".py", ".j2", ".js", ".css", ".yaml", ".yml")
    assert len(shared) > 10_000
    assert [place for place, line in shared.items() if OF_A_PROTOCOL.search(line)] == []
