"""The reference answer of an item with a source: its facts, in the room and the form that the task gives."""

from support.repositories import shipped_benchmark

from nullbench_site.checks.reading import word_count
from nullbench_site.judging.protocol import judging
from nullbench_site.programs.english import bullets, normalise, sentences
from nullbench_site.protocols.axes.judging import reference_answer
from nullbench_site.protocols.axes.specs import AxesBoardFile, Constraints, Fact

FACTS = (
    Fact(kind="scope", text="The trial had 536 adults.", keys=("536",)),
    Fact(kind="null", text="Time to walking was the same.", keys=("same",)),
    Fact(kind="null", text="Clinic visits were similar.", keys=("similar",)),
    Fact(kind="context", text="Fellmere ran it.", keys=("Fellmere",)),
    Fact(kind="caveat", text="Everyone knew the groups.", keys=("knew",)),
)


def test_all_facts_stand_in_their_order_where_nothing_limits_them() -> None:
    assert reference_answer(FACTS, Constraints()) == " ".join(fact.text for fact in FACTS)


def test_more_facts_than_sentences_are_joined() -> None:
    answer = reference_answer(FACTS, Constraints(max_sentences=2))
    assert answer == (
        "The trial had 536 adults; Time to walking was the same. "
        "Clinic visits were similar; Fellmere ran it; Everyone knew the groups."
    )


def test_of_facts_that_do_not_all_fit_the_first_of_each_kind_stay_and_context_goes_first() -> None:
    answer = reference_answer(FACTS, Constraints(max_words=15))
    assert answer == "The trial had 536 adults. Time to walking was the same. Everyone knew the groups."


def test_bullets_share_the_facts() -> None:
    answer = reference_answer(FACTS, Constraints(format="bullets", bullets=2))
    assert answer is not None
    assert [len(sentences(bullet)) for bullet in bullets(answer)] == [2, 3]


def test_what_the_task_forbids_is_not_said() -> None:
    answer = reference_answer(FACTS, Constraints(forbid=("similar",)))
    assert answer is not None
    assert "similar" not in answer
    assert reference_answer(FACTS, Constraints(max_words=2)) is None


def test_every_reference_answer_of_the_shipped_board_keeps_to_its_task() -> None:
    benchmark = shipped_benchmark()
    boards = [board for board in benchmark.boards.values() if isinstance(board, AxesBoardFile)]
    placed = [placed for board in boards for placed in benchmark.items(board)]
    assert placed
    for item in placed:
        answer, limits = judging("axes").reference(item).text, item.constraints
        assert word_count(answer) <= (limits.max_words or 10**6), item.id
        assert len(sentences(answer)) <= (limits.max_sentences or 10**6), item.id
        assert limits.format != "bullets" or len(bullets(answer)) == (limits.bullets or len(bullets(answer))), item.id
        assert not any(normalise(word) in normalise(answer) for word in limits.forbid), item.id
