"""Read a column of answers to questions with options: by letter, number, label or text, as the whole column fits."""

from __future__ import annotations

import ast
import json
import re
import string
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec

from nullbench_site.answer_keys.key import spelled
from nullbench_site.specs.protocol import Row
from nullbench_site.text import escaped, listed, plural, quoted, shortened

LETTERS = string.ascii_uppercase
Places: TypeAlias = tuple[int, ...]
"""The places of the right options, from 0."""
READINGS = ("letter", "index-0", "index-1", "text")
READING_WORDS = {
    "letter": "a letter", "index-0": "a number counted from 0", "index-1": "a number counted from 1",
    "text": "the text of an option", "label": "a label",
}  # fmt: skip
_LETTER = re.compile(r"(?:(?:option|choice|answer|opt|op|ans)[ _-]?)?\(?([A-Za-z])\)?[.:]?", re.IGNORECASE)
_LETTERED = re.compile(r"\(?([A-Za-z])(?:\)|\.|:|\) ?[.:])\s*(\S.*)", re.DOTALL)
_SEVERAL = re.compile(r"\(?[A-Z]\)?(?:\s*(?:[,;/&+]|\band\b)\s*\(?[A-Z]\)?)+")
_INDEX = re.compile(r"(?:(?:option|choice|answer|opt|ending|sol|ans)[ _-]?)?(0|[1-9][0-9]?)(?:\.0)?", re.IGNORECASE)
_LISTED = re.compile(r"\s*[\[({]\s*['\"]")
_NO_COMMA = re.compile(r"['\"]\s+['\"]")
_MOST_LITERAL = 20_000


class Options(msgspec.Struct, frozen=True):
    """The options of a question. labels: how the source names them. right: the places that it marks as right."""

    texts: tuple[str, ...]
    labels: tuple[str, ...] = ()
    right: Places | None = None


class Asked(msgspec.Struct, frozen=True):
    """A question with options: its line, the cell with its answer as entries, and the options."""

    line: int
    entries: tuple[str, ...]
    options: Options


def is_listed(cell: str) -> bool:
    """Return True if a text begins like a list or an object of texts."""
    return _LISTED.match(cell) is not None


def literal(cell: Any) -> Any:
    """Return the list or object that a text spells in JSON or as Python prints it, else the cell itself."""
    if not isinstance(cell, str) or not is_listed(cell) or len(cell) > _MOST_LITERAL:
        return cell
    with suppress(ValueError, RecursionError):
        return json.loads(cell)
    if _NO_COMMA.search(cell):  # as NumPy prints arrays; Python would join the texts
        return cell
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        value = ast.literal_eval(cell.strip())
        return list(value) if isinstance(value, tuple) else value
    return cell


def text_of(value: Any) -> str:
    """Return a value as people write it: 2.0 of a data frame is 2."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).replace("\r\n", "\n").strip()


def options_of(cell: Any) -> Options:
    """Return the options in a cell: a list, texts with | between them, an object by label, or labels beside texts.

    Raises ValueError for a cell with less than two.
    """
    if isinstance(cell, Options):
        return cell
    cell = literal(cell)
    if isinstance(cell, str) and is_listed(cell):
        raise ValueError("the options look like a list, but cannot be read as one; write a JSON list")
    labels: list[str] = []
    right: Places | None = None
    if isinstance(cell, Mapping):
        texts, labels, right = _of_object(cell)
    elif isinstance(cell, list):
        texts = cell
        if all(isinstance(each, Mapping) and {"label", "text"} <= each.keys() for each in cell):
            texts, labels = [each["text"] for each in cell], [text_of(each["label"]) for each in cell]
    else:
        texts = [each for each in str(cell).split("|") if each.strip()]
    if any(isinstance(each, list | dict) for each in texts):
        raise ValueError("the options are lists or objects, not texts; write a list of texts")
    shown = [text_of("" if each is None else each) for each in texts]
    while shown and not shown[-1]:
        shown.pop()
    if len(shown) < 2:
        raise ValueError(f"found {plural(len(shown), 'option')}; write a list, or put | between the options")
    if "" in shown:
        raise ValueError(f"option {LETTERS[shown.index('')]} is empty; fill it in")
    if len(shown) > len(LETTERS):
        raise ValueError(f"{len(shown)} options; at most {len(LETTERS)} are possible")
    return Options(_bare(shown), tuple(labels[: len(shown)]), right)


def _of_object(cell: Mapping[str, Any]) -> tuple[list[Any], list[str], Places | None]:
    """Return texts, labels and the right places of an object."""
    texts = cell.get("text", cell.get("texts", cell.get("choices")))
    named = cell.get("label", cell.get("labels"))
    if isinstance(texts, list) and isinstance(named, list):
        if len(texts) != len(named):
            raise ValueError(f"{len(texts)} options, but {len(named)} labels; write one label an option")
        if "choices" in cell and set(named) <= {0, 1}:
            return _sorted(texts, [bool(each) for each in named])
        return texts, [text_of(each) for each in named], None
    if cell and all(not isinstance(value, bool) and value in (0, 1) for value in cell.values()):
        return _sorted(list(cell), [value == 1 for value in cell.values()])
    return list(cell.values()), [str(key) for key in cell], None


def _sorted(texts: Sequence[Any], right: Sequence[bool]) -> tuple[list[Any], list[str], Places]:
    """Return options in the order of their texts: in such sources the right ones come first."""
    order = sorted(range(len(texts)), key=lambda at: text_of(texts[at]).casefold())
    return [texts[at] for at in order], [], tuple(place for place, at in enumerate(order) if right[at])


def sorted_options(right: Sequence[Any], wrong: Sequence[Any]) -> Options:
    """Return options from right and wrong ones, in the order of their texts. Raises ValueError for less than two."""
    texts, _, places = _sorted([*right, *wrong], [True] * len(right) + [False] * len(wrong))
    return msgspec.structs.replace(options_of(texts), right=places)


def _bare(texts: Sequence[str]) -> tuple[str, ...]:
    """Return options without their own letters, if all of them begin with theirs: `A) wood`."""
    matches = [_LETTERED.fullmatch(text) for text in texts]
    if all(match and match[1].upper() == LETTERS[at] for at, match in enumerate(matches)):
        return tuple(match[2] for match in matches if match)
    return tuple(texts)


def placed(reading: str, entry: str, options: Options) -> Places | None:
    """Return the places that an entry names in one reading."""
    size = len(options.texts)
    if reading == "label":
        labels = [label.casefold() for label in options.labels]
        return (labels.index(entry.casefold()),) if entry.casefold() in labels else None
    if reading in ("index-0", "index-1"):
        index = _INDEX.fullmatch(entry)
        place = int(index[1]) - (reading == "index-1") if index else -1
        return (place,) if 0 <= place < size else None
    if reading == "text":
        same = [at for at, text in enumerate(options.texts) if text == entry]
        same = same or [at for at, text in enumerate(options.texts) if spelled(text) == spelled(entry)]
        return (same[0],) if len(same) == 1 else None
    if one := _LETTER.fullmatch(entry):
        return _inside((LETTERS.index(one[1].upper()),), size)
    if (lettered := _LETTERED.fullmatch(entry)) and LETTERS.index(lettered[1].upper()) < size:
        at = LETTERS.index(lettered[1].upper())
        return (at,) if spelled(options.texts[at]) == spelled(lettered[2]) else None
    if _SEVERAL.fullmatch(entry):
        return _inside(tuple(dict.fromkeys(LETTERS.index(each) for each in re.findall(r"\b[A-Z]\b", entry))), size)
    return None


def _inside(places: Places, size: int) -> Places | None:
    return places if all(place < size for place in places) else None


def _read(reading: str, asked: Asked) -> Places | None:
    found = [placed(reading, entry, asked.options) for entry in asked.entries]
    if not found or None in found:
        return None
    return tuple(dict.fromkeys(at for places in found if places for at in places))


def chosen(questions: Sequence[Asked], stated: str, row: Row) -> tuple[list[Places | None], list[tuple[int, str]]]:
    """Return the right places of each question, None where there is a problem, and the problems with their lines.

    stated: the reading that the user names, or "". row: how messages name lines, and whether they offer --answers.
    """
    if stated in READINGS:
        readings = [stated, "label"] if stated == "letter" else [stated]
    else:
        readings = ["letter", "text", *(("label",) if all(each.options.labels for each in questions) else ())]
        readings += ["index-0", "index-1"] if "label" not in readings and row.of_table else []
    marked = [each.options.right for each in questions]
    open_ = [at for at, right in enumerate(marked) if right is None]
    results = {reading: [_read(reading, questions[at]) for at in open_] for reading in readings}
    fitting = [reading for reading in readings if None not in results[reading]]
    different = list({tuple(results[reading]): reading for reading in reversed(fitting)}.values())[::-1]
    if len(different) > 1:
        return [None] * len(questions), [_question(different, [questions[at] for at in open_], results, row)]
    places, problems = list(marked), list[tuple[int, str]]()
    for number, at in enumerate(open_):
        if fitting:
            places[at] = results[fitting[0]][number]
            continue
        # Letters and texts may alternate; a number needs the whole column to say where it counts from.
        ways = {results[each][number] for each in readings if not each.startswith("index") or stated} - {None}
        if len(ways) == 1:
            places[at] = ways.pop()
        else:
            problems.append((questions[at].line, _no_option(questions[at], results, number, stated)))
    return places, problems


def _shown(asked: Asked, places: Places | None) -> str:
    return listed([f"{LETTERS[at]}) {shortened(asked.options.texts[at], 40)}" for at in places or ()])


def _question(
    readings: Sequence[str], asked: Sequence[Asked], results: Mapping[str, Sequence[Places | None]], row: Row
) -> tuple[int, str]:
    """Return a problem with both readings of a column, at the first line where they differ."""
    at = next(at for at in range(len(asked)) if len({results[reading][at] for reading in readings}) > 1)
    entry = quoted(shortened("|".join(asked[at].entries), 40))
    ways = [
        f"as {READING_WORDS[reading]} it is {escaped(_shown(asked[at], results[reading][at]))}" for reading in readings
    ]
    if row.of_table:
        options = [f"--answers {'letter' if each == 'label' else each}" for each in readings]
        advice = f"choose with {' or '.join(options)}"
    else:
        advice = f"write the letter of the right option, A to {LETTERS[len(asked[at].options.texts) - 1]}"
    return asked[at].line, f"the answer {entry} has {len(readings)} readings: {listed(ways)}; {advice}"


def _no_option(asked: Asked, results: Mapping[str, Sequence[Places | None]], number: int, stated: str) -> str:
    entry, last = quoted(shortened("|".join(asked.entries), 40)), LETTERS[len(asked.options.texts) - 1]
    fitting = [READING_WORDS[reading] for reading in results if results[reading][number] is not None]
    if fitting and not stated:
        others = "but other rows do not fit this; write all answers in one way, such as a letter"
        return f"the answer {entry} may be {' or '.join(fitting)}, {others}"
    how = (
        f"as {READING_WORDS[stated]}; fix it, or leave out --answers"
        if stated
        else f"write a letter from A to {last}, or the text of an option"
    )
    return f"the answer {entry} is none of the {len(asked.options.texts)} options{' ' if stated else '; '}{how}"
