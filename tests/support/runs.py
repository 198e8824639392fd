"""Run folders made by hand, without specs or programs: for tests of what a folder does with its records."""

from __future__ import annotations

from pathlib import Path

import msgspec
from hypothesis import strategies as st

from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import FORMAT, Manifest
from nullbench_site.runs.records import Judgment, Response

OPEN = Manifest(
    format=FORMAT, run="1.0.0-00000000", benchmark="tiny", version="1.0.0", spec_digest="0" * 64,
    calls_digest="0" * 64, tool="tests", state="open", fresh=False, created_at="2026-01-01T00:00:00+00:00",
)  # fmt: skip
RESPONSE = Response(
    key="a" * 64, board="main", model="lead", item="one", template="plain", sample=0, state="answered",
    text="An answer.", error=None, started_at="2026-01-01T00:00:00.000+00:00", seconds=0.5,
)  # fmt: skip
JUDGMENT = Judgment(
    key="b" * 64, board="main", model="lead", item="one", template="plain", sample=0, judge="form",
    judge_template=None, position=None, state="scored", scores={"clarity": 4, "goal_alignment": 70}, invalid={},
    rationale="Clear.", raw=None, error=None, started_at="2026-01-01T00:00:00.000+00:00", seconds=0.25,
)  # fmt: skip

KEYS = st.text("0123456789abcdef", min_size=64, max_size=64)
TEXTS = st.one_of(
    st.text(),
    st.sampled_from(
        [
            "line one\nline two\r\nline three\n",
            '{"key":"' + "f" * 64 + '","state":"errored"}\n',
            '"state":"errored"',
            '\\"state\\":\\"errored\\"',
            "separators \u2028 and \u2029 and \x85 and \x0b and \x0c and \x1c",
            "quotes ' \" and \\ and \\n and \x00 and \x7f and \ufeff",
            "\U0001f600 e\u0301",
        ]
    ),
)
_WORDS = st.sampled_from(["state", "errored", "key", "clarity"])
RESPONSES = st.builds(
    Response, key=KEYS, board=st.just("main"), model=st.sampled_from(["a", "b"]), item=TEXTS, template=st.just("plain"),
    sample=st.integers(0, 2), state=st.sampled_from(["answered", "errored"]), text=TEXTS, error=st.none() | TEXTS,
    started_at=st.just("2026-01-01"), seconds=st.floats(0, 100), input_tokens=st.none() | st.integers(0, 9),
)  # fmt: skip
JUDGMENTS = st.builds(
    Judgment, key=KEYS, board=st.just("main"), model=st.sampled_from(["a", "b"]), item=TEXTS, template=st.just("plain"),
    sample=st.integers(0, 2), judge=st.sampled_from(["x", "y"]), judge_template=st.none(), position=st.none(),
    state=st.sampled_from(["scored", "unparsed", "errored"]),
    scores=st.dictionaries(_WORDS, st.integers(1, 5) | st.booleans()), invalid=st.dictionaries(_WORDS, _WORDS),
    rationale=TEXTS, raw=st.none() | TEXTS, error=st.none() | TEXTS, started_at=st.just("2026-01-01"),
    seconds=st.floats(0, 100),
)  # fmt: skip


def open_run(path: Path, manifest: Manifest = OPEN) -> RunFolder:
    """A new open run whose specs are one file."""
    specs = path.parent / f"{path.name}-specs"
    specs.mkdir(parents=True)
    (specs / "benchmark.yaml").write_text("id: tiny\n", "utf-8")
    return RunFolder.create(path, msgspec.structs.replace(manifest, run=path.name), specs)


def entry(folder: RunFolder) -> CatalogEntry:
    return CatalogEntry(folder.path, folder.manifest)
