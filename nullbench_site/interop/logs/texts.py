"""The answers in a log, for `import answers`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from nullbench_site.errors import UsageError
from nullbench_site.interop.importer import AnswersFile, FileAnswer, SourceProblem
from nullbench_site.interop.logs.log import Log
from nullbench_site.interop.logs.reading import logs_with_texts
from nullbench_site.text import escaped, listed, quoted, slug


def answers_in_log(file: str, raw: bytes) -> AnswersFile | None:
    """Return the answers in a log and its problems; None if the bytes are not a log. file: its name in messages."""
    try:
        logs = logs_with_texts(file, raw)
    except UsageError as error:
        message = str(error).removeprefix(f"{file}:").lstrip()
        line = re.match(r"([0-9]+): ", message)
        return AnswersFile(
            (), [SourceProblem(file, int(line[1]) if line else 0, "", message[line.end() if line else 0 :])]
        )
    if logs is None:
        return None
    answers = list(_answers(logs))
    if answers:
        return AnswersFile(answers, (), None if len(_models(answers)) > 1 else escaped(answers[0].model or "") or None)
    notes = [note.removeprefix(f"{file}: ") for log in logs for note in log.notes]
    message = "; ".join(["the log has no answer; log samples with their output", *notes])
    return AnswersFile((), [SourceProblem(file, 0, "", message)])


def _answers(logs: Sequence[Log]) -> Iterator[FileAnswer]:
    for log in logs:
        for sample in log.samples:
            if sample.answer is not None:
                yield FileAnswer(
                    item=sample.item,
                    prompt=sample.prompt,
                    text=sample.answer,
                    line=0,
                    sample=sample.number,
                    seconds=sample.seconds,
                    input_tokens=sample.input_tokens,
                    output_tokens=sample.output_tokens,
                    ended=sample.ended,
                    model=log.model,
                )


def _models(answers: Sequence[FileAnswer]) -> list[str]:
    return list(dict.fromkeys(answer.model for answer in answers if answer.model is not None))


def of_one_model(file: str, given: AnswersFile, model: str, title: str | None) -> AnswersFile:
    """Return the answers of one model: that whose name is the title, or makes the id. Raises UsageError."""
    models = _models(given.answers)
    if len(models) < 2:
        return given
    chosen = [name for name in models if name == title or slug(name) == model]
    if len(chosen) != 1:
        names = listed([quoted(name) for name in models])
        raise UsageError(f"{file}: the log has answers of {names}; choose one by its name, with --title")
    answers = [answer for answer in given.answers if answer.model == chosen[0]]
    return replace(given, answers=answers, generator=escaped(chosen[0]))
