from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.boards import judgment
from support.runs import OPEN

from nullbench_site.errors import RunError
from nullbench_site.runs.manifest import (
    Counts,
    FileDigest,
    Manifest,
    RecordTally,
    Usage,
    Usages,
    read_manifest,
    write_manifest,
)

SEALED = replace(
    OPEN,
    state="sealed",
    sealed_at="2026-01-02T00:00:00+00:00",
    counts=Counts(answered=3, scored=9),
    files={"responses/é \u2028.jsonl": FileDigest("ab" * 32, 17)},
)


@pytest.mark.parametrize("manifest", [OPEN, SEALED])
def test_it_is_read_as_it_was_written(tmp_path: Path, manifest: Manifest) -> None:
    written = write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == written
    assert replace(written, digest="") == manifest


@given(st.data())
def test_any_changed_byte_is_noticed_and_the_file_named(data: st.DataObject) -> None:
    text = SEALED.with_digest().text()
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != text[place]))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "manifest.json").write_bytes(text[:place] + bytes([other]) + text[place + 1 :])
        with pytest.raises(RunError, match=f"^{folder}/manifest.json: "):
            read_manifest(Path(folder))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + b" ",
        lambda text: text[:-1],
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: text.replace(b'"fresh": false', b'"fresh":  false'),
        lambda text: b"",
        lambda text: b"[]",
        lambda text: text.replace(b'"run"', b'"nur"'),
        # JSON takes the last of two; the digest takes neither.
        lambda text: text.replace(b'"fresh": false', b'"fresh": true,\n "fresh": false'),
    ],
)
def test_any_other_way_to_write_it_is_noticed(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    text = change(SEALED.with_digest().text())
    (tmp_path / "manifest.json").write_bytes(text)
    with pytest.raises(
        RunError, match=r"manifest\.json: (the manifest (is damaged|was changed)|only its line ends changed)"
    ):
        read_manifest(tmp_path)


def test_one_of_a_newer_format_says_what_to_update(tmp_path: Path) -> None:
    """Also where that format has fields nobody knows yet."""
    for text in (b'{"format": 2, "runes": []}', replace(SEALED, format=2).with_digest().text()):
        (tmp_path / "manifest.json").write_bytes(text)
        expected = r"manifest\.json: the manifest has format 2, this program reads up to 1; update nullbench-site"
        with pytest.raises(RunError, match=expected):
            read_manifest(tmp_path)


def test_a_folder_without_one_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=rf"^{tmp_path}: found no manifest\.json, so this is not a run folder"):
        read_manifest(tmp_path)


def test_a_program_has_no_cost_though_nobody_had_to_be_asked_for_some_of_its_verdicts() -> None:
    """Those on two answers with the same text cost nothing, whoever judges."""
    tally = RecordTally()
    tally.add([judgment("form", "one"), replace(judgment("form", "two"), cost_usd=0.0)])
    assert (tally.usage, tally.usage.cost_usd) == (Usages(), None)
    earlier = Usages(judges={"program": Usage(2, uncounted=2, unpriced=1)})
    assert earlier.of_endpoints == Usages(), "what runs were once sealed with"
    asked = replace(judgment("model", "one"), cost_usd=0.5, input_tokens=9, output_tokens=9)
    tally.add([asked, replace(judgment("model", "two"), cost_usd=0.0)])
    assert (set(tally.usage.judges), tally.usage.cost_usd) == ({"model"}, 0.5)
