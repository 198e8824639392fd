"""Items that are published by a hash: which text it is of, what is refused, and what a clone without texts has."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest
from support.private import DOMAIN, HIDDEN, SECRET, SHOWN, git, vault_repository
from support.repositories import edit

from nullbench_site import api
from nullbench_site.answer_keys.numeric import Numeric
from nullbench_site.errors import SpecError, UsageError
from nullbench_site.protocols.oracle.specs import OracleText
from nullbench_site.repository import Repository
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import canonical_json, sha256, spec_digest
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.private import is_hash_of, public_item, text_hash, withheld_words
from nullbench_site.visibility import hide, reveal

DOMAIN_FILE = f"domains/{DOMAIN}.yaml"


@pytest.fixture
def vault(tmp_path: Path) -> Repository:
    """With two of three items private."""
    repository = vault_repository(tmp_path / "vault")
    hide(repository.specs, repository.private, DOMAIN, HIDDEN)
    return repository


def lines(vault: Repository) -> list[dict[str, object]]:
    return [json.loads(line) for line in (vault.private / "vault.jsonl").read_text("utf-8").splitlines()]


def write(vault: Repository, *texts: dict[str, object]) -> None:
    (vault.private / "vault.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts), "utf-8")


def load(vault: Repository) -> Benchmark:
    return load_benchmark(vault.specs, private=vault.private)


def problems(vault: Repository) -> list[str]:
    with pytest.raises(SpecError) as refused:
        load(vault)
    said = [str(problem) for problem in refused.value.problems]
    assert not [line for line in said if SECRET in line]
    return said


def prompts(benchmark: Benchmark) -> dict[str, str]:
    board = benchmark.boards["questions"]
    return {placed.id: placed.prompt for placed in benchmark.items(board) if placed.domain.id == DOMAIN}


def test_a_private_item_is_asked_with_the_text_of_its_private_line(vault: Repository) -> None:
    found = prompts(load(vault))
    assert all(found[item].startswith(f"{SECRET}prompt of {item}") for item in HIDDEN)
    assert prompts(load_benchmark(vault.specs)) == {**dict.fromkeys(HIDDEN, ""), SHOWN: found[SHOWN]}


def test_the_digest_of_the_specs_is_the_same_with_and_without_the_texts_and_covers_the_hash(vault: Repository) -> None:
    with_texts = spec_digest(load(vault))
    assert spec_digest(load_benchmark(vault.specs)) == with_texts
    assert spec_digest(load(vault).without_texts) == with_texts
    line = next(line for line in (vault.specs / DOMAIN_FILE).read_text("utf-8").splitlines() if "sha256:" in line)
    edit(vault.specs / DOMAIN_FILE, line, line.replace("sha256:", "sha256:0")[:-2] + '"')
    assert spec_digest(load_benchmark(vault.specs)) != with_texts


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("prompt", f"{SECRET}prompt of vault-01: which of the two is Older?\n# {SECRET}flag"),
        ("ideal", f"The first, {SECRET}ideal"),
        ("criteria", ["Gives a reason", f"Says {SECRET}criterion"]),
        ("checks", [{"type": "banned-words", "words": ["delve", f"{SECRET}flag"]}, {"type": "reasoning"}]),
        ("salt", "0" * 32),
    ],
    ids=["a letter", "a full stop", "the order of criteria", "a check", "the salt"],
)
def test_whatever_is_changed_in_a_private_text_its_hash_no_longer_fits(
    vault: Repository, field: str, value: object
) -> None:
    first, *others = lines(vault)
    write(vault, {**first, field: value}, *others)
    (said,) = problems(vault)
    assert said.startswith("specs/domains/vault.yaml:15:15: the hash of 'vault-01' is sha256:")
    assert said.endswith("put it here, or restore the text in private/vault.jsonl:1")


def test_the_order_of_lines_and_of_keys_and_an_empty_line_change_nothing(vault: Repository) -> None:
    before = load(vault)
    written = [json.dumps(dict(reversed(text.items())), indent=None) for text in reversed(lines(vault))]
    (vault.private / "vault.jsonl").write_text("\r\n\r\n".join(written), "utf-8")
    assert prompts(load(vault)) == prompts(before)


def test_a_missing_hash_is_said_with_the_right_one(vault: Repository) -> None:
    text = (vault.specs / DOMAIN_FILE).read_text("utf-8")
    line = next(line for line in text.splitlines() if "sha256:" in line)
    edit(vault.specs / DOMAIN_FILE, line + "\n", "")
    (said,) = problems(vault)
    assert line.split('"')[1] in said
    shutil.rmtree(vault.private)
    (said,) = problems(vault)
    assert "missing key 'hash'; a private item needs the salted hash of its text" in said


def test_a_line_that_stands_twice_or_is_of_no_item_or_of_a_public_one_is_named(vault: Repository) -> None:
    first, second = lines(vault)
    write(vault, first, second, {**first, "ideal": "Another."})
    assert problems(vault)[0].endswith("duplicate item 'vault-01', already on line 1; keep one")
    write(vault, first, second, {**first, "id": "vault-09"})
    (said,) = problems(vault)
    assert said.startswith("private/vault.jsonl:3:")
    assert "domain 'vault' has no item 'vault-09'; did you mean 'vault-03'?" in said
    write(vault, first, second, {**first, "id": SHOWN})
    assert f"item '{SHOWN}' is public in specs/domains/vault.yaml:" in problems(vault)[0]


def test_a_line_that_is_missing_in_a_file_that_is_here_is_named(vault: Repository) -> None:
    write(vault, lines(vault)[1])
    (said,) = problems(vault)
    assert said.startswith("specs/domains/vault.yaml:12:13: the private file of this domain has no line")


def test_a_private_file_of_no_domain_is_named(vault: Repository) -> None:
    (vault.private / "volt.jsonl").write_text("{}\n", "utf-8")
    assert problems(vault)[0].startswith("private/volt.jsonl:1:1: no domain has this id")


def test_a_salt_is_32_hex_digits_or_more_and_never_in_the_specs_of_a_private_item(vault: Repository) -> None:
    first, second = lines(vault)
    write(vault, {**first, "salt": "abc"}, second)
    assert "the value has the wrong form. 32 or more random hex digits" in problems(vault)[0]
    write(vault, {name: value for name, value in first.items() if name != "salt"}, second)
    assert "private/vault.jsonl:1:1: missing key 'salt'" in problems(vault)[0]
    write(vault, first, second)
    edit(vault.specs / DOMAIN_FILE, "visibility: private\n", f"visibility: private\n        salt: '{first['salt']}'\n")
    assert "with the salt anyone can test guesses" in problems(vault)[0]


def test_text_of_a_private_item_in_the_specs_is_refused(vault: Repository) -> None:
    edit(vault.specs / DOMAIN_FILE, "visibility: private\n", "visibility: private\n        ideal: It is.\n")
    (said,) = problems(vault)
    assert "'ideal' publishes the text of a private item; move it to the private file" in said


def test_a_private_file_that_git_would_take_is_refused(vault: Repository) -> None:
    ignored = vault.root / ".gitignore"
    kept = ignored.read_text("utf-8")
    ignored.write_text(kept.replace("/private/\n", ""), "utf-8")
    assert "git would publish this file; add its folder to .gitignore" in problems(vault)[0]
    git(vault.root, "add", "private/vault.jsonl")
    ignored.write_text(kept, "utf-8")
    assert "git would publish this file" in problems(vault)[0], "what git has is not ignored any more"
    git(vault.root, "rm", "-q", "--cached", "private/vault.jsonl")
    assert load(vault).private


def test_asking_git_runs_no_program_that_the_settings_of_a_work_tree_name(vault: Repository) -> None:
    program = vault.root / "watch.sh"
    program.write_text("#!/bin/sh\ntouch ran\n", "utf-8")
    program.chmod(0o755)
    git(vault.root, "add", "specs")
    git(vault.root, "config", "core.fsmonitor", "./watch.sh")
    api.validate(vault)
    assert not (vault.root / "ran").exists()


def test_a_private_folder_outside_the_repository_may_be_in_a_git_of_its_own(
    vault: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "texts"
    vault.private.rename(elsewhere)
    git(elsewhere, "init", "-q")
    git(elsewhere, "add", "-A")
    assert not load(vault).private
    monkeypatch.setenv("NULLBENCH_PRIVATE", str(elsewhere))
    assert set(load(vault).private) == set(HIDDEN)
    monkeypatch.delenv("NULLBENCH_PRIVATE")
    (vault.root / ".env").write_text("NULLBENCH_PRIVATE=../texts\n", "utf-8")
    assert set(load(vault).private) == set(HIDDEN)


def test_a_variable_that_names_no_folder_is_said(vault: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NULLBENCH_PRIVATE", "/nowhere")
    with pytest.raises(UsageError, match="NULLBENCH_PRIVATE names /nowhere, which does not exist"):
        api.validate(vault)


def test_a_clone_without_the_texts_is_valid_and_says_what_is_not_here(vault: Repository) -> None:
    assert withheld_words(load(vault)) is None
    shutil.rmtree(vault.private)
    words = "2 private items have no text here; set NULLBENCH_PRIVATE to the folder with vault.jsonl"
    assert withheld_words(api.validate(vault)) == words


def test_hiding_and_revealing_give_back_the_item_with_what_proves_its_text(vault: Repository) -> None:
    hidden = load(vault)
    reveal(vault.specs, vault.private, DOMAIN, HIDDEN)
    assert not (vault.private / "vault.jsonl").exists()
    shown = load(vault)
    assert prompts(shown) == prompts(hidden)
    items = {item.id: item for _, item in shown.every_item}
    before = {item.id: item for _, item in hidden.every_item}
    assert [items[name].hash for name in HIDDEN] == [before[name].hash for name in HIDDEN]
    edit(vault.specs / DOMAIN_FILE, f"{SECRET}ideal", "another ideal")
    with pytest.raises(SpecError, match="the text of 'vault-01' differs from the hidden one: its hash is sha256:"):
        load(vault)


def test_the_hash_is_of_the_line_in_the_form_of_rfc_8785() -> None:
    """Numbers as ECMAScript writes them: 1E30, 4.50 and 1e-27 are the standard's own examples."""
    key = Numeric(value=1e30, tolerance=4.5, relative_tolerance=1e-27)
    text = OracleText(id="a-1", salt="0" * 32, prompt="\u00e9\n", key=key)
    form = (
        '{"id":"a-1","key":{"relative_tolerance":1e-27,"tolerance":4.5,"type":"numeric","value":1e+30},'
        '"prompt":"\u00e9\\n","salt":"00000000000000000000000000000000"}'
    )
    assert text_hash(text) == f"sha256:{sha256(form.encode())}"


def test_a_hash_of_before_rfc_8785_is_still_that_of_its_text_and_of_no_other() -> None:
    text = OracleText(id="a-1", salt="0" * 32, prompt="How many?", key=Numeric(value=2.0))
    before = "sha256:" + sha256(canonical_json(text))
    assert before != text_hash(text)
    assert is_hash_of(before, text)
    assert is_hash_of(text_hash(text), text)
    other = msgspec.structs.replace(text, prompt="How many now?")
    assert not any(is_hash_of(known, other) for known in (before, text_hash(text), None))


def test_an_item_known_by_a_hash_of_before_rfc_8785_keeps_it_when_it_is_revealed(vault: Repository) -> None:
    whole = load(vault)
    name = HIDDEN[0]
    before = f"sha256:{sha256(canonical_json(whole.private[name]))}"
    item = next(item for _, item in whole.every_item if item.id == name)
    known = msgspec.structs.replace(item, hash=before)
    assert public_item(known, whole.private[name]).hash == before


def test_a_public_item_has_hash_and_salt_or_neither(vault: Repository) -> None:
    reveal(vault.specs, vault.private, DOMAIN, HIDDEN[:1])
    whole = (vault.specs / DOMAIN_FILE).read_text("utf-8")
    for name, said in (
        ("salt", "a public item with a hash needs its salt"),
        ("hash", "a salt needs its hash"),
    ):
        line = next(line for line in whole.splitlines() if line.strip().startswith(f"{name}: "))
        (vault.specs / DOMAIN_FILE).write_text(whole.replace(line + "\n", "", 1), "utf-8")
        assert said in problems(vault)[0]


def test_an_item_that_is_hidden_again_gets_a_new_salt(vault: Repository) -> None:
    first = lines(vault)[0]["salt"]
    reveal(vault.specs, vault.private, DOMAIN, HIDDEN[:1])
    hide(vault.specs, vault.private, DOMAIN, HIDDEN[:1])
    assert first not in [text["salt"] for text in lines(vault)]
    assert {item.salt for _, item in load(vault).every_item} == {None}


def test_a_private_item_says_how_many_turns_it_has_and_its_text_has_so_many(vault: Repository) -> None:
    first, *others = lines(vault)
    shown = vault.specs / DOMAIN_FILE
    turns = {"turns": ["zq one?", "zq two?"], "prompt": None}
    write(vault, first | turns, *others)
    assert any("private text of 'vault-01' has 2 turns; write turns: 2" in line for line in problems(vault))
    edit(shown, "visibility: private", "turns: 3\n        visibility: private")
    assert any("has 2 turns; write turns: 2" in line for line in problems(vault))
    edit(shown, "turns: 3", "turns: 2")
    assert not any("2 turns; write" in line for line in problems(vault))
    write(vault, first, *others)
    assert any("'vault-01' has a prompt and no turns; remove the key" in line for line in problems(vault))
    write(vault, first | {"prompt": None}, *others)
    assert any("vault.jsonl:1:1: missing key 'prompt'" in line for line in problems(vault))
    write(vault, first | {"turns": ["zq one?", "zq two?"]}, *others)
    assert any("`turns` replaces `prompt`" in line for line in problems(vault))
    assert not any("zq" in line for line in problems(vault))
