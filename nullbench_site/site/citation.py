"""How to cite the run that a site shows: CITATION.cff (Citation File Format 1.2.0), BibTeX and a line of text."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import yaml

from nullbench_site.site.gather import SiteData

NAME = "CITATION.cff"
"""Where it stands, from the root of the site."""

_SPDX = frozenset({
    "AGPL-3.0-only", "AGPL-3.0-or-later", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-3.0", "CC-BY-4.0",
    "CC-BY-NC-4.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC0-1.0",
    "CDLA-Permissive-1.0", "CDLA-Permissive-2.0", "CDLA-Sharing-1.0", "EUPL-1.2", "GPL-2.0-only", "GPL-2.0-or-later",
    "GPL-3.0-only", "GPL-3.0-or-later", "ISC", "LGPL-3.0-only", "LGPL-3.0-or-later", "MIT", "MPL-2.0", "ODC-By-1.0",
    "ODbL-1.0", "PDDL-1.0", "Unlicense",
})  # fmt: skip
"""Licences of data and code by their SPDX ids. The format allows ids of that list alone, so another is left out."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TEX = {
    "\\": r"\textbackslash{}",
    # Not \{ and \}: BibTeX counts braces whatever stands before them.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}
_NOT_IN_BRACES = re.compile(r"[{}\\]")


def citation_cff(site: SiteData, address: str | None) -> bytes:
    """The file. address: of the site, as far as it is known; the benchmark's homepage comes before it."""
    about, manifest = site.benchmark.about, site.entry.manifest
    title = plain(about.title)
    fields: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use these results, name the benchmark, its version and the run.",
        "type": "dataset",
        "title": title,
        "version": manifest.version,
        "authors": [{"name": _authors(title)}],
        "abstract": plain(about.description),
    }
    if manifest.sealed_at:
        fields["date-released"] = manifest.sealed_at[:10]
    if about.license in _SPDX:
        fields["license"] = about.license
    if url := about.homepage or address:
        fields["url"] = url
    digest = {"type": "other", "value": f"sha256:{manifest.digest}", "description": f"Manifest of run {manifest.run}"}
    fields["identifiers"] = [digest]
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=float("inf")).encode()


def bibtex(site: SiteData, address: str | None) -> str:
    """The same as an entry of BibTeX, which texts of specs cannot break out of."""
    about, manifest = site.benchmark.about, site.entry.manifest
    title = plain(about.title)
    year, month, _ = (manifest.sealed_at or manifest.created_at)[:10].split("-")
    fields = {
        "title": f"{{{{{_tex(title)}}}}}",
        "author": f"{{{{{_tex(_authors(title))}}}}}",
        "year": f"{{{year}}}",
        "month": _MONTHS[int(month) - 1],
        "version": f"{{{manifest.version}}}",
        "note": f"{{Run {_tex(manifest.run)}, manifest sha256:{manifest.digest}}}",
    }
    if url := about.homepage or address:
        fields["url"] = f"{{{_NOT_IN_BRACES.sub(lambda found: f'%{ord(found[0]):02X}', url)}}}"
    lines = "".join(f"  {name} = {value},\n" for name, value in fields.items())
    return f"@misc{{{about.id}-{manifest.version},\n{lines}}}\n"


def citation(site: SiteData) -> str:
    """The same as a line of text."""
    about, manifest = site.benchmark.about, site.entry.manifest
    date = (manifest.sealed_at or manifest.created_at)[:10]
    return f"{plain(about.title)} {manifest.version}, run {manifest.run}, {date}, sha256:{manifest.digest}"


def _authors(title: str) -> str:
    """Specs name no people, and a citation needs an author."""
    return f"The authors of {title}"


def plain(text: str) -> str:
    """`text` on one line, without what steers a terminal or a reading direction."""
    shown = "".join(" " if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} else c for c in text)
    return " ".join(shown.split())


def _tex(text: str) -> str:
    return "".join(_TEX.get(c, c) for c in text)
