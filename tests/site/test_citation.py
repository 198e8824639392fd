"""How to cite: a valid CITATION.cff, BibTeX that no title breaks, and what the page of data offers to copy."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from zipfile import ZipFile

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.histories import ADDRESS
from support.sites import Site, each_of, files

from nullbench_site.site import words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.wellknown import bibtex, citation, citation_cff, contribute, dispute

HOSTILES = (
    "100% {of} #1 & $5_a~b^c \\input{x} \"q\" <b>|",
    "}}, note = {broken out",
    "{" * 5,
    "\\",
    "key: value # no comment\n- item\t\u202e\x07",
    "'single' and \"double\"",
    "@misc{x,",
    "null",
    "2026-11-21",
)  # fmt: skip
TITLES = st.one_of(st.sampled_from(HOSTILES), st.text(min_size=1, max_size=60))


def _with(site: SiteData, **fields: object) -> SiteData:
    about = msgspec.structs.replace(site.benchmark.about, **fields)
    return replace(site, benchmark=replace(site.benchmark, about=about))


def _valid(cff: bytes) -> dict[str, object]:
    """The file, after the rules of the format's schema (1.2.0) for what we write of it."""
    fields = yaml.safe_load(cff)
    assert isinstance(fields, dict)
    assert fields["cff-version"] == "1.2.0"
    assert fields["type"] == "dataset"
    assert fields.keys() <= {
        "cff-version", "message", "type", "title", "version", "authors", "abstract", "date-released", "license", "url",
        "identifiers", "doi", "repository-code",
    }  # fmt: skip
    for name in ("message", "title", "abstract"):
        assert isinstance(fields[name], str)
        assert fields[name]
    assert isinstance(fields["version"], str)
    assert fields["authors"]
    assert all(author.keys() == {"name"} and isinstance(author["name"], str) for author in fields["authors"])
    if "date-released" in fields:
        assert re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", fields["date-released"])
    if "url" in fields:
        assert re.match(r"(https|http|ftp|sftp)://.+", fields["url"])
    for identifier in fields["identifiers"]:
        assert identifier.keys() == {"type", "value", "description"}
        assert identifier["type"] == "other"
    return fields


def _fields(entry: str) -> dict[str, str]:
    """The fields of a BibTeX entry, read as BibTeX does: braces are counted, whatever stands before them."""
    key, _, rest = entry.removeprefix("@misc{").partition(",")
    assert re.fullmatch(r"[a-z0-9._-]+", key)
    found, name, value, depth = {}, "", "", 0
    for character in rest:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            break
        if character == "," and depth == 0:
            found[name.strip()], name, value = value.strip(), "", ""
        elif character == "=" and depth == 0 and not value:
            name, value = value or name, " "
        elif value:
            value += character
        else:
            name += character
    assert depth == -1
    return found


def test_the_file_at_the_root_of_the_site_is_valid_and_names_the_run(history: Site, small_site: Site) -> None:
    for site in (history, small_site):
        manifest = site.entry.manifest
        fields = _valid((site.folder / "CITATION.cff").read_bytes())
        assert (fields["title"], fields["version"]) == ("Small", manifest.version)
        assert fields["date-released"] == str(manifest.sealed_at)[:10]
        assert fields["license"] == "CC-BY-4.0"
        assert fields["authors"] == [{"name": "The authors of Small"}]
        assert fields["url"] == "https://example.org/small"
        assert fields["identifiers"] == [
            {"type": "other", "value": f"sha256:{manifest.digest}", "description": f"Manifest of run {manifest.run}"}
        ]


def test_the_address_of_the_site_stands_in_for_a_homepage(small_site: Site) -> None:
    site = _with(small_site.data, homepage=None)
    assert _valid(citation_cff(site, ADDRESS))["url"] == ADDRESS
    assert f"url = {{{ADDRESS}}}" in bibtex(site, ADDRESS)
    assert "url" not in _valid(citation_cff(site, None))
    assert "url" not in bibtex(site, None)


def test_a_licence_that_the_format_does_not_know_and_a_date_that_is_not_yet_are_left_out(small_site: Site) -> None:
    site = _with(small_site.data, license="All rights reserved")
    manifest = msgspec.structs.replace(site.entry.manifest, state="open", sealed_at=None)
    fields = _valid(citation_cff(replace(site, entry=replace(site.entry, manifest=manifest)), None))
    assert not {"license", "date-released"} & fields.keys()


@given(title=TITLES)
def test_no_title_breaks_a_citation(small_site: Site, title: str) -> None:
    site = _with(small_site.data, title=title, description=title)
    shown = " ".join("".join(c if c.isprintable() or c.isspace() else " " for c in title).split())
    fields = _valid(citation_cff(site, None)) if shown else {}
    if shown and title.isascii():
        assert fields["title"] == shown
    entry = _fields(bibtex(site, None))
    assert entry.keys() == {"title", "author", "year", "month", "version", "note", "url"}
    assert not re.search(r"(?<!\\)[#$%&_]", entry["title"])
    assert "\n" not in citation(site)


def test_tex_reads_the_signs_of_a_title_as_they_are(small_site: Site) -> None:
    entry = _fields(bibtex(_with(small_site.data, title="100% {A&B}_x \\ ~"), None))
    assert entry["title"] == (r"{{100\% \textbraceleft{}A\&B\textbraceright{}\_x \textbackslash{} \textasciitilde{}}}")


def test_an_address_with_braces_stays_an_address(small_site: Site) -> None:
    site = _with(small_site.data, homepage="https://example.org/a{b}\\c")
    assert _fields(bibtex(site, None))["url"] == "{https://example.org/a%7Bb%7D%5Cc}"


def test_the_page_of_data_offers_all_forms_to_copy(history: Site) -> None:
    content = history.content("data/")
    blocks = [block.raw.strip() for block in content.all("pre", class_="nb-copy")]
    assert blocks[:2] == [citation(history.data), bibtex(history.data, ADDRESS).strip()]
    assert any(link.attributes["href"] == "../CITATION.cff" for link in content.all("a"))


# --- downloads ------------------------------------------------------------------------------------------------------


site = each_of("history", "mixed", "axes_and_oracle")


def test_every_file_of_data_is_counted_in_one_row_and_every_schema_is_linked(site: Site) -> None:
    root = site.folder / "data" / "v1"
    files = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    content = site.content("data/")
    tables = [table for table in content.all("table") if table.one("caption").text.startswith("Downloads: ")]
    counts = [re.search(r"([\d\u202f]+) files$", row[2]) for table in tables for row in table.rows()]
    counted = sum(int(found[1].replace("\u202f", "")) if found else 1 for found in counts)
    assert counted == sum(not name.endswith(".schema.json") for name in files)
    linked = {
        link.attributes["href"].removeprefix("v1/") for link in content.all("a") if link.attributes["href"][:3] == "v1/"
    }
    assert {name for name in files if name.endswith(".schema.json")} <= linked
    assert linked <= set(files)


def test_the_archive_has_every_file_and_the_table_every_answer(site: Site) -> None:
    root = site.folder / "data" / "v1"
    with ZipFile(root / "archive.zip") as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    assert packed == {f"data/v1/{name}": file for name, file in files(root).items() if name != "archive.zip"}
    rows = list(csv.DictReader(io.StringIO(packed["data/v1/answers.csv"].decode())))
    results = [(view.board.id, row) for view in site.data.views for row in view.results.items if row.model in view.rows]
    assert [(row["board"], row["model"], row["item"], row["state"]) for row in rows] == [
        (board, row.model, row.item, row.ended) for board, row in results
    ]
    assert [float(row["score"]) if row["score"] else None for row in rows] == [row.score for _, row in results]


def test_sizes_are_those_of_the_files(site: Site) -> None:
    root = site.folder / "data" / "v1"
    table = site.content("data/").all("table")[0]
    sizes = {row[0].replace(" ", ""): row[2] for row in table.rows()}
    models = [path.stat().st_size for path in (root / "models").glob("*.json") if not path.name.endswith("schema.json")]
    for name, said in (
        ("index.json", words.size((root / "index.json").stat().st_size)),
        ("models/CONTESTANT.json", f"{words.size(sum(models))} {len(models)} files"),
    ):
        assert sizes[name] == " ".join(said.split())


@pytest.mark.parametrize(
    ("n_bytes", "said"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"), (12_345_678, "12.3 MB")],
)
def test_sizes_are_in_words(n_bytes: int, said: str) -> None:
    assert words.size(n_bytes) == said.replace(" ", "\N{NO-BREAK SPACE}")


def test_authors_doi_and_repository_are_cited_and_lead_to_the_issues(small_site: Site) -> None:
    home = "https://example.org/us/board"
    site = _with(small_site.data, authors=("Ada Lovelace", "A & B"), doi="10.5281/zenodo.1", repository=f"{home}/")
    cited = _valid(citation_cff(site, None))
    assert cited["authors"] == [{"name": "Ada Lovelace"}, {"name": "A & B"}]
    assert (cited["doi"], cited["repository-code"]) == ("10.5281/zenodo.1", f"{home}/")
    assert "author = {{Ada Lovelace} and {A \\& B}}" in bibtex(site, None)
    assert "doi = {10.5281/zenodo.1}" in bibtex(site, None)
    assert citation(site).startswith("Ada Lovelace, A & B. ")
    assert contribute(site.benchmark.about)["Dispute an answer"] == f"{home}/issues/new?template=dispute-an-answer.yml"
    assert contribute(small_site.data.benchmark.about) == {}
    manifest = site.entry.manifest
    assert dispute(site) == (
        f"{home}/issues/new?template=dispute-an-answer.yml&title={{title}}&place={{place}}"
        f"%2C%20run%20{manifest.run}%2C%20sha256%3A{manifest.digest}"
    )
    lab = _with(small_site.data, repository="https://gitlab.example.org/b")
    assert "/-/issues/new?issue[title]={title}&issue[description]={place}" in dispute(lab)
    assert dispute(small_site.data) == ""
