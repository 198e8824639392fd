"""`nullbench-site overlap`: what it compares, what it writes, and what becomes of it in the specs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import write_benchmark
from support.commands import nullbench
from support.json_server import TOKEN, JsonServer
from support.repositories import shipped_benchmark

from nullbench_site import api
from nullbench_site.errors import SpecError, UsageError
from nullbench_site.interop.overlap import Comparison, Piece, compare, find_overlap, passages
from nullbench_site.repository import Repository
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import OverlapFile, OverlapItem

BOARD = "keys"
PROMPT = "About 12 men stand in a row of 12 m. How far apart are they, in metres?"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    write_benchmark(tmp_path, "oracle")
    return Repository(tmp_path)


def corpus(repository: Repository, *texts: str, name: str = "corpus.jsonl") -> Path:
    path = repository.root / name
    path.write_text("".join(f"{json.dumps(text)}\n" for text in texts), "utf-8")
    return path


def found_in(repository: Repository, *texts: str, **more: Any) -> OverlapFile:
    chosen = Comparison([corpus(repository, *texts)], similarity=more.pop("similarity", "none"), **more)
    return find_overlap(repository, BOARD, chosen)[1]


def item(found: OverlapFile, id: str = "counting-07") -> OverlapItem:
    return next(each for each in found.items if each.id == id)


def test_the_command_writes_a_spec_that_the_next_build_shows(repository: Repository) -> None:
    before = api.build(repository, render_site=False)
    corpus(repository, "An exam of 1990.", f"Question 7: {PROMPT.upper()}", "The end.")
    done = nullbench(repository.root, "overlap", BOARD, "corpus.jsonl", "--similarity", "none")
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines()[0] == "1 of 6 tested items are contaminated; 7 not testable"
    after = api.build(repository)
    assert after.run != before.run
    assert (after.calls.made, after.calls.reused) == (0, before.calls.planned)
    table = (Path(after.run_dir) / "results" / BOARD / "overlap.csv").read_text("utf-8")
    assert table.splitlines()[1].startswith("copy,6,1,0.166667,")
    assert api.verify(repository, after.run).problems == []
    assert after.site_dir is not None
    page = (Path(after.site_dir) / "boards" / BOARD / "trust" / "index.html").read_text("utf-8")
    assert "Of 13 items, 6 could be tested and 1 is in the text below: <bdi>counting-07</bdi>." in page
    assert "corpus.jsonl" in page
    assert (Path(after.site_dir) / "data" / "v1" / "boards" / BOARD / "overlap.csv").is_file()


def test_an_item_is_compared_by_the_words_in_a_row_and_by_similarity(repository: Repository) -> None:
    close = "About 12 men stand in a row of 12 m: how far apart are they, in feet?"
    found = found_in(repository, "Something else, which is longer than that.", close, similarity="tf-idf")
    asked = item(found)
    assert (asked.words, asked.shared) == (17, 4)
    text = "about 12 men stand in a row of 12 m how far apart are they in metres"
    assert asked.edit == pytest.approx(1 - 4 / len(text), abs=1e-4)  # "metres" becomes "feet"
    assert asked.cosine is not None
    assert 0.8 < asked.cosine < 1
    assert found.contaminated(asked)
    assert not found.contaminated(item(found, "naming-01"))
    assert found.similarity is not None
    assert found.similarity.method == "tf-idf"


def test_the_thresholds_and_the_canary_of_a_file_stay(repository: Repository) -> None:
    first = found_in(repository, PROMPT, tau=0.95)
    path = repository.specs / "overlap" / f"{BOARD}.yaml"
    path.write_text(path.read_text("utf-8").replace("least_shared: 1", "least_shared: 6"), "utf-8")
    second = found_in(repository, PROMPT)
    assert (second.least_shared, second.tau, second.canary) == (6, 0.95, first.canary)
    assert item(second).shared == 5
    assert not second.contaminated(item(second))
    assert load_benchmark(repository.specs).overlaps[BOARD] == second


def test_the_shipped_files_are_what_the_command_finds() -> None:
    benchmark = shipped_benchmark()
    for board, shipped in benchmark.overlaps.items():
        assert compare(benchmark, board, Comparison(boards=True)) == shipped


def test_private_items_are_left_out(repository: Repository) -> None:
    api.hide(repository, "counting", ["counting-07"])
    found = found_in(repository, PROMPT)
    assert "counting-07" not in {each.id for each in found.items}
    assert api.validate(repository).overlaps == {BOARD: found}


def test_the_text_of_other_boards_is_a_corpus(repository: Repository) -> None:
    boards = repository.specs / "boards"
    spec = (boards / f"{BOARD}.yaml").read_text("utf-8").replace("-000000000002", "-00000000000b")
    part = spec.replace("id: keys", "id: part").replace("[counting, naming]", "[naming]")
    (boards / "part.yaml").write_text(part, "utf-8")
    with pytest.raises(UsageError, match="no other board has a text; name files"):  # its items are those of the board
        find_overlap(repository, BOARD, Comparison(boards=True))
    _, found = find_overlap(repository, "part", Comparison(boards=True))
    (text,) = found.corpora
    assert (text.name, text.words > 50) == (f"board {BOARD}", True)
    assert not any(map(found.contaminated, found.items))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            ("domains/counting.yaml", "How many are 3 dozen?", "How many are 4 dozen?"),
            "texts of board 'keys' have changed",
        ),
        (("overlap/keys.yaml", 'id: "counting-07"', 'id: "counting-06"'), "'counting-06' is there twice"),
        (("overlap/keys.yaml", 'id: "counting-07"', 'id: "counting-08"'), "'counting-08' is no public item of board"),
        (("overlap/keys.yaml", 'id: "keys"', 'id: "kees"'), "no board has this id; did you mean 'keys'?"),
        (("overlap/keys.yaml", "words: 17", "words: -1"), "overlap/keys.yaml"),
        (("overlap/keys.yaml", "tau: 0.9", "tau: 9"), "overlap/keys.yaml"),
    ],
)
def test_a_file_that_does_not_fit_its_board_is_refused(
    edit: tuple[str, str, str], message: str, repository: Repository
) -> None:
    found_in(repository, PROMPT)
    name, before, after = edit
    path = repository.specs / name
    assert before in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(before, after), "utf-8")
    with pytest.raises(SpecError, match="(?s).*" + message) as refused:
        api.validate(repository)
    if "nullbench-site overlap" in str(refused.value) and name.startswith("domains"):
        found_in(repository, PROMPT)
        api.validate(repository)


@pytest.mark.parametrize(
    ("board", "chosen", "message"),
    [
        ("kees", {}, "there is no board 'kees'; did you mean 'keys'?"),
        (BOARD, {"files": ()}, "there is no corpus to compare board 'keys' with: name files, or give --boards"),
        (BOARD, {"files": ("a.jsonl", "b/a.jsonl")}, "two corpora are called 'a.jsonl'; rename a file"),
        (BOARD, {"files": ("empty.txt",)}, "corpus 'empty.txt' has no word; name a file with text"),
        (BOARD, {"files": ("torn.jsonl",)}, "torn.jsonl:1: invalid JSON"),
        (BOARD, {"similarity": "embeddings"}, "--similarity embeddings needs a model; name it with --model"),
        (BOARD, {"similarity": "embeddings", "model": "m", "endpoint": "lab"}, "there is no endpoint 'lab'"),
    ],
)
def test_what_cannot_be_compared_has_one_message(
    board: str, chosen: dict[str, Any], message: str, repository: Repository
) -> None:
    (repository.root / "b").mkdir()
    for name, content in (("a.jsonl", '"a"'), ("b/a.jsonl", '"b"'), ("empty.txt", "- !"), ("torn.jsonl", '"a')):
        (repository.root / name).write_text(content, "utf-8")
    files = [repository.root / name for name in chosen.pop("files", ("a.jsonl",))]
    with pytest.raises(UsageError) as refused:
        find_overlap(repository, board, Comparison(files, **{"similarity": "none", **chosen}))
    assert message in str(refused.value)
    assert not (repository.specs / "overlap").exists()


@pytest.mark.parametrize("size", [1, 2, 5, 8])
@pytest.mark.parametrize("length", [0, 1, 4, 9, 30])
def test_every_run_of_words_is_whole_in_a_passage(size: int, length: int) -> None:
    every = [f"w{number}" for number in range(length)]
    cuts = [every[start : start + 7] for start in range(0, length, 7)]
    pieces = [Piece(" ".join(cut), starts=not number) for number, cut in enumerate(cuts)]
    made = list(passages(iter([*pieces, Piece("x y", starts=True)]), size))
    own = [" ".join(passage) for passage in made if passage[0] != "x" and passage[0] != "y"]
    assert all(len(passage) <= 2 * size for passage in made)
    runs = [" ".join(every[start : start + size]) for start in range(max(length - size + 1, min(length, 1)))]
    assert all(any(run in passage for passage in own) for run in runs)
    assert not any("x" in passage and "w" in passage for passage in own)


class EmbeddingServer(JsonServer):
    """The embedding of a text: whether it is about men in a row, and how long it is. It first gives `answers`."""

    def __init__(self, *answers: tuple[int, Any]) -> None:
        super().__init__()
        self.first = list(answers)

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: dict[str, Any]) -> tuple[int, Any]:
        assert (method, path, body["model"]) == ("POST", "/v1/embeddings", "small")
        if self.first:
            return self.first.pop(0)
        vectors = [[9.0, 0.1] if "men" in text or "people" in text else [0.1, len(text)] for text in body["input"]]
        data = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
        return 200, {"data": data[::-1]}


def at_server(repository: Repository, server: EmbeddingServer, patch: pytest.MonkeyPatch) -> Callable[[], OverlapFile]:
    endpoint = f"{{id: lab, base_url: '{server.url}/v1', key_env: LAB_KEY, limits: {{first_wait: 0.001, attempts: 2}}}}"
    canary = 'canary: "nullbench-canary:5c000000-0000-4000-8000-00000000000a"'
    (repository.specs / "endpoints.yaml").write_text(f"{canary}\nendpoints: [{endpoint}]\n", "utf-8")
    patch.setenv("LAB_KEY", TOKEN)
    texts = ("A dozen people queue over twelve metres.", "The weather is fine today.")
    return lambda: found_in(repository, *texts, similarity="embeddings", model="small", endpoint="lab")


def test_embeddings_find_a_paraphrase(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    with EmbeddingServer((500, {"error": "busy"})) as server:
        found = at_server(repository, server, monkeypatch)()
    asked = item(found)
    assert asked.shared == 0
    assert asked.cosine == 1.0
    assert found.contaminated(asked)
    assert found.similarity is not None
    assert (found.similarity.method, found.similarity.model) == ("embeddings", "small")
    assert len(server.asked) == 3  # the first again, and the passages


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([(401, {"error": {"message": "no"}})], "no embeddings of 'small': "),
        ([(404, {"error": {"message": "The model small does not exist", "code": "model_not_found"}})], "no such model"),
        ([(200, {"data": []})] * 2, "its answer has no embedding of each of the 13 texts"),
        ([(200, b"<html>")] * 2, "its answer has no embeddings"),
        ([(503, {"error": "busy"})] * 2, "it answered 503"),
    ],
)
def test_an_endpoint_without_embeddings_is_named(
    answers: list[tuple[int, Any]], message: str, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EmbeddingServer(*answers) as server, pytest.raises(UsageError) as refused:
        at_server(repository, server, monkeypatch)()
    assert str(refused.value).startswith("endpoint 'lab': ")
    assert message in str(refused.value)
    assert TOKEN not in str(refused.value)
