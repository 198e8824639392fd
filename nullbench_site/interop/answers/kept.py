"""What `validate` asks of the files of answers that a repository keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nullbench_site.errors import Problem, SpecError, breaking
from nullbench_site.evaluation.backends.recorded import ANSWERS, answers_file, is_named, lines_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.document import read_document
from nullbench_site.specs.types import RECORDED


def check_answers(specs: Path, benchmark: Benchmark) -> list[Problem]:
    """What is to be warned of: answers to private items that stand in plain words. They go by the files, for the
    contestant of one may stand in a profile alone, or be gone.

    Raises SpecError for each contestant whose file of answers is not the one that its spec names, RunError where a line
    is no answer.
    """
    if problems := [*_misnamed(specs, benchmark)]:
        raise SpecError(list(breaking("contestants", problems)))
    private = {item.id for _, item in benchmark.every_item if item.visibility == "private"}
    files = sorted((specs.parent / ANSWERS).glob("*.jsonl")) if private else []
    return [*breaking("private", (problem for file in files for problem in _in_plain_words(file, private)))]


def _misnamed(specs: Path, benchmark: Benchmark) -> Iterator[Problem]:
    for model in benchmark.models.values():
        file = answers_file(specs.parent, model.id)
        if model.backend == RECORDED and ANSWERS in model.params and not is_named(file, model):
            name = f"models/{model.id}.yaml"
            document, _ = read_document(f"specs/{name}", (specs / name).read_bytes())
            message = f"{_shown(file)} is not the file of this digest; restore it from git, or import the answers again"
            if document is not None:
                yield document.problem(["params", ANSWERS], message)


def _in_plain_words(file: Path, private: set[str]) -> Iterator[Problem]:
    for number, (answer, *_) in enumerate(lines_of(file), start=1):
        if answer.item in private and answer.hidden is None:
            message = (
                f"an answer in plain words to {answer.item!r}, which is private; import the same file of answers "
                "again, which moves it to the private folder, and take what git has of it for published"
            )
            yield Problem(_shown(file), number, 1, message)


def _shown(file: Path) -> str:
    return f"{ANSWERS}/{file.name}"
