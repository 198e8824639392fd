"""`validate --fix`: a missing canary is filled in, and no other byte of any file changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import nullbench
from support.evidence import files
from support.repositories import edit, small_repository

from nullbench_site.specs.document import read_document
from nullbench_site.specs.rewriting import missing_canaries

CANARY = re.compile(rb'canary: "nullbench-canary:[0-9a-f-]{36}"')
ODD = {
    "comments": b"# yaml-language-server: $schema=x\n\n# a note\nid: a  # beside\ntitle: 'A'\n",
    "line ends of Windows": b"# note\r\nid: a\r\ntitle: A\r\n",
    "no line end at the end": b"id: a\ntitle: A",
    "anchors": b"base: &base {k: 1}\nother: *base\n",
    "an anchor at the first key": b"&first id: a\nother: *first\n",
    "a byte order mark": b"\xef\xbb\xbfid: a\n",
    "a document marker": b"%YAML 1.2\n---\nid: a\n",
    "indentation": b"  id: a\n  title: A\n",
    "braces": b"{id: a, title: A}\n",
    "JSON": b'{"id": "a", "title": "A"}\n',
    "a block of text": b"text: |-\n  one\n\n  two  \nid: a\n",
}


def fixed(folder: Path, content: bytes) -> bytes:
    """What is made of a file of a benchmark."""
    path = folder / "specs" / "goals" / "a.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return dict(missing_canaries(folder / "specs")).get(path, content)


@pytest.mark.parametrize("name", ODD)
def test_one_key_is_put_in_and_every_other_byte_stays(tmp_path: Path, name: str) -> None:
    made = fixed(tmp_path, ODD[name])
    found = CANARY.search(made)
    behind = made[found.end() :]
    key = found[0] + re.match(rb", |\r?\n *", behind)[0]  # type: ignore[index]
    assert made.replace(key, b"") == ODD[name]
    before, after = read_document("a", ODD[name])[0], read_document("a", made)[0]
    assert list(after.data) == ["canary", *before.data]
    assert fixed(tmp_path, made) == made


@pytest.mark.parametrize("content", [b"", b"# nothing\n", b"- a\n", b"{}\n", b"a: [\n", b"canary:\nid: a\n", b"\xff\n"])
def test_what_has_a_canary_or_can_take_none_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    assert fixed(tmp_path, content) == content


@given(st.lists(st.sampled_from(["# note", "", "id: a", "k: [1, 2]", "t: >-", "  x", "&a b: c", "d: *a", "---"])))
def test_a_file_reads_back_with_the_canary_or_is_left_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    raw = "\n".join(lines).encode()
    made = fixed(tmp_path_factory.mktemp("made"), raw)
    before, after = read_document("a", raw)[0], read_document("a", made)[0]
    assert made == raw or CANARY.search(made)
    if made != raw and before is not None and after is not None and isinstance(before.data, dict):
        assert {name: value for name, value in after.data.items() if name != "canary"} == before.data


def test_the_command_says_what_it_changed_and_changes_it_once(tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "board")
    specs = repository.specs
    lost = [specs / "models" / "lead-2.yaml", specs / "domains" / "science.yaml"]
    for path in lost:
        text = path.read_text("utf-8")
        path.write_text(re.sub(r"canary: .*\n", "", text), "utf-8")
    edit(specs / "models" / "paraphrase.yaml", "title: ", "titel: ")
    (repository.private).mkdir()
    (repository.private / "science.jsonl").write_text('{"id": "x"}\n', "utf-8")
    outside = tmp_path / "outside.yaml"
    outside.write_text("id: outside\n", "utf-8")
    (specs / "models" / "outside.yaml").symlink_to(outside)
    before = files(repository.root)
    done = nullbench(repository.root, "validate", "--fix")
    assert done.code == 2, "another mistake is told, and not mended"
    assert sorted(re.findall(r"added a canary to \S*(specs/\S+)", done.err)) == sorted(
        path.relative_to(repository.root).as_posix() for path in lost
    )
    after = files(repository.root)
    names = {path.relative_to(repository.root).as_posix() for path in lost}
    assert {name for name in after if after[name] != before.get(name)} == names
    assert outside.read_text("utf-8") == "id: outside\n"
    assert "added a canary" not in nullbench(repository.root, "validate", "--fix").err
    assert files(repository.root) == after
