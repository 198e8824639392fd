"""Invalid answers: what a mark depends on, the causes that records and results have, and what pages say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from support import boards, oracle_boards
from support.oracle_boards import answer, category, domain, marked, prompt, scored

from nullbench_site.answer_keys.choices import MultipleChoice
from nullbench_site.answer_keys.exact import Exact
from nullbench_site.answer_keys.key import Cause as KeyCause
from nullbench_site.answer_keys.numeric import Numeric
from nullbench_site.answer_keys.phrases import languages
from nullbench_site.protocols.oracle.judging import JUDGING, asked
from nullbench_site.protocols.oracle.metrics import CAUSES, OracleResults
from nullbench_site.protocols.oracle.pages import PAGES, OracleEvidence, OracleView
from nullbench_site.protocols.oracle.specs import LANGUAGES, OraclePlacedItem
from nullbench_site.protocols.oracle.unread import causes_in_words, unread, warning
from nullbench_site.runs.records import Cause, CheckResult, Hidden, Record, Response, encode_lines, published
from nullbench_site.scoring.tables import result_files
from nullbench_site.site.pages.sentences import failures
from nullbench_site.specs.digest import scored_json

# --- what a mark depends on -----------------------------------------------------------------------------------------


def placed(question: str = "Which is larger, 9.11 or 9.9?", **change: Any) -> OraclePlacedItem:
    item = prompt("a", key=Numeric(value=9.9))
    (one,) = list(oracle_boards.of(item).items(oracle_boards.of(item).boards["main"]))
    made: OraclePlacedItem = replace(one, prompt=question, **change)
    return made


def mark_of(placed: OraclePlacedItem, text: str, **fields: Any) -> CheckResult:
    bare = msgspec.structs.replace(answer("a"), checks=(), text=text, **fields)
    (mark,) = JUDGING.checked(placed, bare).checks
    return mark


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"question": "Which is larger, 9.12 or 9.9?"}, False),
        ({"question": "Which is larger: 9.11 or 9.9?"}, False),
        ({"turns": ("Name 7.", "Which is larger, 9.11 or 9.9?")}, False),
        ({"languages": ("de",)}, False),
        ({"earlier": ("an answer",)}, True),
    ],
)
def test_the_digest_of_a_mark_covers_the_question_and_the_languages(change: dict[str, Any], same: bool) -> None:
    assert (mark_of(placed(), "9.9").params == mark_of(placed(**change), "9.9").params) is same


def test_an_answer_that_has_its_mark_is_not_marked_again_and_one_to_a_changed_question_is() -> None:
    forged = msgspec.structs.replace(
        JUDGING.checked(placed(), msgspec.structs.replace(answer("a"), checks=(), text="9.9")), text="no idea"
    )
    assert JUDGING.checked(placed(), forged).checks[0].outcome == "correct"
    assert JUDGING.checked(placed("Which is larger, 9.11 or 9.8?"), forged).checks[0].outcome == "invalid"


def test_the_question_is_all_turns_without_its_source_and_template() -> None:
    sources = domain("facts", category("dates", prompt("a", source="text")), sources={"text": "It was in 1912."})
    board = oracle_boards.benchmark(sources)
    (one,) = list(board.items(board.boards["main"]))
    assert asked(one) == "Is it a?"
    assert asked(placed().in_turns(("First 1.", "Then 2."))) == "First 1.\n\nThen 2."


@pytest.mark.parametrize(
    ("ended", "cause"),
    [("stop", "no answer"), ("length", "cut"), ("content_filter", "cut"), ("tool_calls", "no answer")],
)
def test_an_answer_that_was_stopped_before_its_result_is_cut(ended: str, cause: str) -> None:
    text = "Let us compare both digit by digit, and begin behind the point, where each of them"
    mark = mark_of(placed(), text, ended=ended)
    assert (mark.outcome, mark.cause) == ("invalid", cause)


def test_the_languages_of_a_board_reach_its_items_and_change_no_old_digest() -> None:
    board = oracle_boards.of("a")
    without: Any = board.boards["main"]
    spoken = msgspec.structs.replace(without, languages=("de", "fr"))
    assert {each.languages for each in board.items(spoken)} == {("de", "fr")}
    assert {each.languages for each in board.items(without)} == {()}
    assert b"languages" not in scored_json(without)
    assert b'"languages":["de","fr"]' in scored_json(spoken)


def test_a_board_can_name_the_languages_that_keys_know() -> None:
    assert sorted(LANGUAGES) == sorted(languages())


def test_a_valid_answer_has_no_cause() -> None:
    assert [mark_of(placed(), text).cause for text in ("9.9", "9.11", "Answer: 3")] == [None, None, None]


# --- records and results --------------------------------------------------------------------------------------------


def test_records_know_the_causes_that_keys_give() -> None:
    assert get_args(Cause) == get_args(KeyCause) == tuple(CAUSES)


def test_the_published_record_of_a_private_item_keeps_the_cause_and_no_reason() -> None:
    record = answer("a", "invalid", why="chooses none of the options A, B", cause="several answers")
    told = published(record, "salt")
    assert isinstance(told, Response)
    assert told.checks == (CheckResult("hidden", "", "invalid", (), "several answers"),)


def invalid(causes: str, model: str = "m", **more: Any) -> list[Record]:
    """Answers to q0, q1 ... in order: c cut, n none, s several, o other form, + correct, - wrong, ? no cause."""
    named: dict[str, Cause | None] = {
        "c": "cut", "n": "no answer", "s": "several answers", "o": "other form", "?": None,
    }  # fmt: skip
    return [
        answer(f"q{place}", "invalid", model, cause=named[letter], **more)
        if letter in named
        else answer(f"q{place}", "correct" if letter == "+" else "wrong", model)
        for place, letter in enumerate(causes)
    ]


def results_of(**contestants: str) -> OracleResults:
    n = len(next(iter(contestants.values())))
    board = oracle_boards.of(*(f"q{place}" for place in range(n)), models=list(contestants))
    records = [record for model, causes in contestants.items() for record in invalid(causes, model)]
    results: OracleResults = scored(board, records)
    return results


@pytest.mark.parametrize(
    ("causes", "counted", "said"),
    [
        ("+-+", (0, 0, 0, 0), ""),
        ("cc+", (2, 0, 0, 0), "2 cut off before an answer"),
        ("nno-", (0, 2, 0, 1), "2 without an answer, 1 in another form than asked"),
        ("csno", (1, 1, 1, 1),
         "1 cut off before an answer, 1 without an answer, 1 with several answers, 1 in another form than asked"),
        ("sss", (0, 0, 3, 0), "3 with several answers"),
    ],
)  # fmt: skip
def test_invalid_answers_are_counted_by_cause(causes: str, counted: Sequence[int], said: str) -> None:
    results = results_of(m=causes)
    (row,) = results.leaderboard
    columns = row.n_invalid_cut, row.n_invalid_no_answer, row.n_invalid_several_answers, row.n_invalid_other_form
    assert columns == tuple(counted)
    assert row.n_invalid == sum(counted)
    assert causes_in_words([row]) == said
    assert [(item.cause != "") for item in results.items] == [letter not in "+-" for letter in causes]


def test_without_a_recorded_cause_the_results_are_those_of_earlier_versions_and_say_not_recorded() -> None:
    results = results_of(m="??+", n="+++")
    files = result_files(results)
    assert not any(b"n_invalid_cut" in content or b'"cause"' in content for content in files.values())
    assert results.leaderboard[0].causes is None
    assert causes_in_words(results.leaderboard) == "causes not recorded"


def test_a_contestant_with_an_unrecorded_cause_has_no_counts_and_says_why() -> None:
    results = results_of(m="c?+", n="co+")
    rows = {row.model: row for row in results.leaderboard}
    assert (rows["m"].n_invalid_cut, rows["m"].absent["n_invalid_cut"]) == (None, "not recorded")
    assert (rows["n"].n_invalid_cut, rows["n"].n_invalid_other_form) == (1, 1)
    assert causes_in_words(results.leaderboard) == (
        "1 cut off before an answer, 1 in another form than asked, 2 with no recorded cause"
    )
    assert results.leaderboard[0].causes is None or rows["n"].causes is not None


def test_the_columns_of_causes_come_after_all_others() -> None:
    header = result_files(results_of(m="cn+"))["leaderboard.csv"].decode().splitlines()[0].split(",")
    names = ["n_invalid_cut", "n_invalid_no_answer", "n_invalid_several_answers", "n_invalid_other_form"]
    assert header[-4:] == names


# --- pages ----------------------------------------------------------------------------------------------------------


def page_of(tmp_path: Path, records: Sequence[Record], *items: Any, **models: str) -> tuple[OracleView, dict[str, Any]]:
    """The view of a board with these records, and what its page says of invalid answers."""
    answers: list[Any] = list(records)
    ids = items or tuple(dict.fromkeys(each.item for each in answers))
    names = list(dict.fromkeys(each.model for each in answers))
    board = oracle_boards.of(*ids, models=[boards.model(name, models.get(name, "model")) for name in names])
    (tmp_path / "responses").mkdir()
    for name in names:
        own = [each for each in answers if each.model == name]
        (tmp_path / "responses" / f"{name}.jsonl").write_bytes(encode_lines(own))
    view: OracleView = boards.view(board, answers)
    return view, unread(tmp_path, view).get("unread", {})


def test_a_board_shows_three_answers_of_a_contestant_with_many_invalid_ones(tmp_path: Path) -> None:
    """One of each cause before a second of one, in the order of the items."""
    view, part = page_of(tmp_path, [*invalid("ccn+o", text="I  am\nnot <b>sure</b>"), *invalid("c++++", "n")])
    (many,) = part["many"]
    assert many.says == (
        "4 of 5 answers of m are invalid (2 cut off before an answer, 1 without an answer, 1 in another form than "
        "asked)"
    )
    assert [(each.item, each.cause) for each in many.examples] == [
        ("q0", "cut off"), ("q2", "no answer"), ("q4", "another form"),
    ]  # fmt: skip
    assert {each.text for each in many.examples} == {"I am not <b>sure</b>"}
    assert many.examples[0].link == "evidence/#board=main&by=m&item=q0"
    assert warning(view) == [
        "More than 20 % of the answers of m cannot be read (2 cut off before an answer, 1 without an answer, 1 in "
        "another form than asked): see the examples below before you compare scores."
    ]
    assert warning(view)[0] in PAGES.board(view)["further_reading"]
    assert (part["n"], part["n_answers"], len(part["rows"])) == (5, 10, 2)
    assert "5 of 10 are invalid (3 cut off before an answer, 1 without an answer, 1 in another" in failures(view)


def test_a_fifth_of_invalid_answers_is_not_many(tmp_path: Path) -> None:
    view, part = page_of(tmp_path, invalid("c++++"))
    assert (part["many"], warning(view)) == ([], [])


def test_a_board_without_invalid_answers_says_nothing_of_them(tmp_path: Path) -> None:
    view, part = page_of(tmp_path, invalid("+-+"))
    assert (part, warning(view)) == (None, [])


def test_a_null_model_is_shown_last_and_is_no_warning(tmp_path: Path) -> None:
    view, part = page_of(tmp_path, [*invalid("nnn", "m"), *invalid("nn+", "z")], m="null")
    assert [each.model for each in part["many"]] == ["z", "m"]
    assert "answers of z cannot" in warning(view)[0]


def test_private_items_give_no_example(tmp_path: Path) -> None:
    hidden = Hidden("sha256:0", 3)
    records = [
        answer("secret", "invalid", cause="cut", hidden=hidden, text=""),
        answer("a", "invalid", cause="no answer", text="Who knows?"),
        answer("b", "invalid", cause="no answer", hidden=hidden, text=""),
    ]
    _, part = page_of(tmp_path, records, prompt("secret", visibility="private"), "a", "b")
    (many,) = part["many"]
    assert [each.item for each in many.examples] == ["a"]
    assert "1 cut off" in many.says


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("word " * 100 + "The end.", "…" + ("word " * 100 + "The end.")[-120:].lstrip()),
        ("a\u202eb", "a⟨U+202E⟩b"),
    ],
)
def test_an_example_is_short_and_shows_invisible_characters(tmp_path: Path, text: str, shown: str) -> None:
    _, part = page_of(tmp_path, invalid("n", text=text))
    assert part["many"][0].examples[0].text == shown


def test_without_records_on_this_machine_there_is_no_example(tmp_path: Path) -> None:
    view = boards.view(oracle_boards.of("q0"), invalid("n"))
    assert unread(tmp_path / "elsewhere", view)["unread"]["many"][0].examples == []


def test_the_evidence_says_the_cause_of_an_invalid_answer_also_of_a_private_item() -> None:
    view = boards.view(oracle_boards.of("a", prompt("secret", visibility="private")), marked({"a": "correct"}))
    evidence = OracleEvidence(view)
    shown = [
        msgspec.to_builtins(evidence.sample(record, {}))["marks"]
        for record in (
            answer("a", "invalid", why="states no number", cause="no answer"),
            answer("a", "invalid", why="states no number"),
            answer("secret", "invalid", why="B is right", cause="cut", hidden=Hidden("sha256:0", 3)),
        )
    ]
    assert shown == [
        [{"outcome": "invalid", "why": "states no number", "cause": "no answer"}],
        [{"outcome": "invalid", "why": "states no number", "cause": "cause not recorded"}],
        [{"outcome": "invalid", "cause": "cut off"}],
    ]


def test_keys_that_read_no_number_are_marked_with_the_question_too() -> None:
    """The digest has the question whatever the key, so a key that begins to use it needs no other digest."""
    for key in (Exact(accepted=("yes",)), MultipleChoice(options={"A": "one", "B": "two"}, correct="A")):
        marks = {mark_of(placed(question, key=key), "yes").params for question in ("Is it 3?", "Is it 4?")}
        assert len(marks) == 2
