"""The code on `docs/how-to/use-the-library.md` runs, block by block, and prints what the page shows."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from support.commands import ROOT

BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<shown>.*?)^```$)?", re.MULTILINE | re.DOTALL)


def test_the_page_of_the_library_prints_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my-board").symlink_to(ROOT)
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "how-to" / "use-the-library.md").read_text("utf-8")
    names: dict[str, Any] = {}
    for block in BLOCK.finditer(page):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(block["code"], names)  # noqa: S102 - the page is ours
        assert printed.getvalue() == (block["shown"] or ""), block["code"]
    assert (tmp_path / "scores.svg").read_text("utf-8").startswith("<svg")
    assert len(names["most"]) == 20
