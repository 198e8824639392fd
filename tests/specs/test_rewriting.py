"""What `hide` and `reveal` leave of a domain file: every byte that is not of the item."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.private import DOMAIN, HIDDEN, SECRET, SHOWN, vault_repository

from nullbench_site.errors import UsageError
from nullbench_site.repository import Repository
from nullbench_site.specs.document import FORBIDDEN, read_document
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.rewriting import with_item
from nullbench_site.visibility import hide, reveal

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: not FORBIDDEN.search(text))
_LINES = st.lists(st.sampled_from(["", "# no comment", "- a: b", "  indented", "a: |-", "plain"]), min_size=1)
TEXTS = _TEXT | _LINES.map("\n".join).filter(bool)
BEFORE = "# Head.\ncategories:\n  - id: one\n    items:\n      # above\n      "
AFTER = "\n\n      # between, of the next\n      - id: last\n        ideal: L\n    # end\n"


@pytest.fixture
def vault(tmp_path: Path) -> Repository:
    return vault_repository(tmp_path / "vault")


def domain_file(vault: Repository) -> Path:
    return vault.specs / "domains/vault.yaml"


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
def test_an_item_reads_back_as_written_whatever_it_holds_and_the_rest_stays(text: str, several: list[str]) -> None:
    data = {
        "id": "x-1",
        "difficulty": "hard",
        "prompt": text,
        "criteria": several,
        "checks": [{"type": "a", "w": several}],
    }
    document, _ = read_document("f", (BEFORE + "- id: x-1\n        prompt: |-\n          # a heading" + AFTER).encode())
    assert document is not None
    written = with_item(document, ("categories", 0, "items", 0), data)
    assert written.startswith(BEFORE + "- ")
    assert written.endswith(AFTER.removeprefix("\n"))
    assert "a heading" not in written.removeprefix(BEFORE) or "a heading" in text
    found, wrong = read_document("f", written.encode())
    assert not wrong
    assert found.data["categories"][0]["items"] == [data, {"id": "last", "ideal": "L"}]  # type: ignore[index,call-overload]


def test_comments_beside_an_item_stay_and_those_inside_it_go_with_its_text(vault: Repository) -> None:
    before = domain_file(vault).read_text("utf-8")
    hide(vault.specs, vault.private, DOMAIN, HIDDEN)
    after = domain_file(vault).read_text("utf-8")
    assert SECRET not in after
    start, shown = before[: before.index("- id: vault-01")], before[before.index("      - id: vault-03") :]
    assert after.startswith(start)
    assert after.endswith(shown)


def test_comments_on_what_stays_outlast_hiding_and_revealing(vault: Repository) -> None:
    path = domain_file(vault)
    text = path.read_text("utf-8")
    hard = "        # Of three tries.\n        difficulty: hard  # as measured\n"
    path.write_text(text.replace("        difficulty: hard\n", hard, 1), "utf-8")
    hide(vault.specs, vault.private, DOMAIN, HIDDEN[:1])
    hidden = path.read_text("utf-8")
    assert hard in hidden
    assert f"{SECRET}comment" not in hidden[: hidden.index(HIDDEN[1])]
    reveal(vault.specs, vault.private, DOMAIN, HIDDEN[:1])
    shown = path.read_text("utf-8")
    assert hard in shown
    assert f"        prompt: |-\n          {SECRET}prompt of vault-01" in shown
    assert "          - {type: banned-words, words: [zqsecretflag, delve]}" in shown


@pytest.mark.parametrize("where", ["          # {}\n", "        # {}\n", "  # {}\n", "# {}\n"])
def test_no_comment_near_a_hidden_text_outlasts_it(vault: Repository, where: str) -> None:
    """Above a key that goes, at any depth; what looks like a comment inside a text is none."""
    path = domain_file(vault)
    text = path.read_text("utf-8")
    for key in ("prompt", "ideal", "criteria", "checks"):
        text = text.replace(f"        {key}:", f"{where.format(SECRET)}        {key}:")
    path.write_text(text, "utf-8")
    hide(vault.specs, vault.private, DOMAIN, HIDDEN)
    hidden, _ = path.read_text("utf-8").split(f"- id: {SHOWN}")
    assert SECRET not in hidden
    reveal(vault.specs, vault.private, DOMAIN, HIDDEN)


def test_line_ends_and_a_byte_order_mark_stay(vault: Repository) -> None:
    path = domain_file(vault)
    raw = b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n")
    path.write_bytes(raw)
    hide(vault.specs, vault.private, DOMAIN, HIDDEN[1:])
    now = path.read_bytes()
    assert now.count(b"\n") == now.count(b"\r\n")
    assert now.startswith(raw[: raw.index(b"- id: vault-02")])
    reveal(vault.specs, vault.private, DOMAIN, HIDDEN[1:])
    assert load_benchmark(vault.specs)


def test_a_file_in_flow_style_is_rewritten_where_the_item_stands(vault: Repository) -> None:
    path = domain_file(vault)
    document, _ = read_document("f", path.read_bytes())
    path.write_text(json.dumps(document.data, indent=1), "utf-8")
    hide(vault.specs, vault.private, DOMAIN, HIDDEN)
    assert SECRET not in path.read_text("utf-8")
    reveal(vault.specs, vault.private, DOMAIN, HIDDEN)
    assert path.read_text("utf-8").count(f"{SECRET}ideal") == len(HIDDEN)


def test_an_item_of_an_items_file_is_rewritten_in_its_line(vault: Repository) -> None:
    path = domain_file(vault)
    document, _ = read_document("f", path.read_bytes())
    category = document.data["categories"][0]  # type: ignore[index,call-overload]
    items = category.pop("items")
    category["items_file"] = "vault-items.jsonl"
    path.write_text(json.dumps(document.data), "utf-8")
    items_file = path.with_name("vault-items.jsonl")
    items_file.write_text("\r\n".join(map(json.dumps, items)), "utf-8", newline="")
    lines = items_file.read_bytes().split(b"\n")
    hide(vault.specs, vault.private, DOMAIN, HIDDEN[1:])
    now = items_file.read_bytes().split(b"\n")
    assert [now[0], now[2]] == [lines[0], lines[2]]
    assert SECRET.encode() not in now[1]
    assert now[1].endswith(b"}\r")
    assert set(load_benchmark(vault.specs, private=vault.private).private) == {HIDDEN[1]}


@pytest.mark.parametrize(
    ("borrowed", "hidden"), [("criteria: [", HIDDEN), ("difficulty: hard", [SHOWN])], ids=["lends", "keeps"]
)
def test_an_item_that_lends_or_keeps_what_another_has_is_refused_and_nothing_is_moved(
    vault: Repository, borrowed: str, hidden: Sequence[str]
) -> None:
    path, (key, value) = domain_file(vault), borrowed.split(": ")
    text = path.read_text("utf-8").replace(borrowed, f"{key}: &same {value}", 1)
    last = text.rindex(f"{key}: ")
    path.write_text(text[:last] + f"{key}: *same" + text[text.index("\n", last) :], "utf-8")
    before = path.read_bytes()
    with pytest.raises(UsageError, match=f"'{hidden[0]}' cannot be rewritten in place; write it without anchors"):
        hide(vault.specs, vault.private, DOMAIN, hidden)
    assert path.read_bytes() == before
    assert not vault.private.exists()


def test_an_item_that_borrows_a_text_from_another_is_hidden_without_it(vault: Repository) -> None:
    path = domain_file(vault)
    text = path.read_text("utf-8").replace("ideal: The first,", "ideal: &same The first,", 1)
    last = text.rindex("ideal: ")
    path.write_text(text[:last] + "ideal: *same" + text[text.index("\n", last) :], "utf-8")
    hide(vault.specs, vault.private, DOMAIN, [SHOWN])
    hidden = path.read_text("utf-8")
    assert hidden[: hidden.index(SHOWN)] == text[: text.index(SHOWN)]
    assert "same" not in hidden[hidden.index(SHOWN) :]
    reveal(vault.specs, vault.private, DOMAIN, [SHOWN])
    assert path.read_text("utf-8").count(f"The first, {SECRET}ideal.") == len(HIDDEN) + 1


@pytest.mark.parametrize(
    ("domain", "item", "said"),
    [
        ("volt", "vault-01", "there is no domain 'volt'; did you mean 'vault'"),
        (DOMAIN, "vault-1", "domain 'vault' has no item 'vault-1'; did you mean 'vault-01'"),
    ],
)
def test_a_wrong_name_is_said(vault: Repository, domain: str, item: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        hide(vault.specs, vault.private, domain, [item])


def test_hiding_twice_and_revealing_what_is_public_are_refused(vault: Repository) -> None:
    hide(vault.specs, vault.private, DOMAIN, HIDDEN)
    with pytest.raises(UsageError, match="'vault-01' is private already"):
        hide(vault.specs, vault.private, DOMAIN, HIDDEN)
    with pytest.raises(UsageError, match=f"'{SHOWN}' is already public"):
        reveal(vault.specs, vault.private, DOMAIN, [SHOWN])


def test_revealing_without_the_text_is_refused(vault: Repository) -> None:
    hide(vault.specs, vault.private, DOMAIN, HIDDEN)
    vault.private.rename(vault.root.parent / "away")
    with pytest.raises(UsageError, match="found no vault\\.jsonl with the text of 'vault-01'"):
        reveal(vault.specs, vault.private, DOMAIN, HIDDEN)


def test_a_private_folder_that_git_would_take_or_runs_would_copy_is_refused(vault: Repository) -> None:
    with pytest.raises(UsageError, match="the private folder is inside"):
        hide(vault.specs, vault.specs / "private", DOMAIN, HIDDEN)
    (vault.root / ".gitignore").write_text("", "utf-8")
    with pytest.raises(UsageError, match="add the line /private/ to "):
        hide(vault.specs, vault.private, DOMAIN, HIDDEN)
    assert SECRET in domain_file(vault).read_text("utf-8")
