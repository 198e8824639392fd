"""The baseline of rendering: a plain MkDocs project of the same pages as raw HTML blocks in Markdown."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

_FRONT = re.compile(r"\A---\n(?P<other>.*?)html: (?P<html>\"[^\n]*\")\n---\n", re.DOTALL)


def write_project(tree: Path, project: Path) -> tuple[str, ...]:
    """Make `project` of a generated tree, without its data files and pictures; returns the arguments that build it."""
    shutil.copytree(tree, project, ignore=shutil.ignore_patterns("data", "cards"))
    for page in (project / "docs").rglob("*.md"):
        text = page.read_text("utf-8")
        front = _FRONT.match(text)
        if front is None:
            raise ValueError(f"{page}: found no front matter with the HTML of a page")
        page.write_text(f"---\n{front['other']}---\n\n{json.loads(front['html'])}\n", "utf-8")
    (project / "overrides" / "main.html").write_text('{% extends "base.html" %}\n', "utf-8")
    return ("-m", "mkdocs", "build", "-q", "-f", str(project / "mkdocs.yml"), "-d", str(project / "site"))
