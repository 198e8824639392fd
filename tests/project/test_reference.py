"""The generated pages of docs/reference/, and the links between all documents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.commands import ROOT
from support.reference import pages

DOCUMENTS = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")] + [*ROOT.glob("docs/**/*.md")]


@pytest.mark.parametrize(("path", "text"), pages().items(), ids=list(pages()))
def test_a_generated_page_is_what_the_program_says_now(path: str, text: str) -> None:
    assert (ROOT / path).read_text("utf-8") == text, "run: make docs"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_document_leads_to_a_file_and_a_heading(document: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", document.read_text("utf-8"), flags=re.DOTALL)):
        if "://" not in link:
            name, _, heading = link.partition("#")
            target = (document.parent / name).resolve() if name else document
            assert target.exists(), link
            assert not heading or heading in _headings(target), link


def _headings(document: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
