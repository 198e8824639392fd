"""The `pairwise` protocol: judges compare two answers to a prompt, without knowing who wrote which.

Sources: Dubois et al. (2024), Length-controlled AlpacaEval, for the single game with a continuous preference; Li et al.
(2024), From crowdsourced data to high-quality benchmarks: Arena-Hard, for two mirrored games with five verdicts; Zheng
et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, for games in which both orders have to agree.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from nullbench_site.judging.calls import Comparison, JudgeTask, Message, Reference, Reply
from nullbench_site.judging.prompts import PromptedQuestion, PromptedTokenQuestion, Texts
from nullbench_site.judging.protocol import Found, JudgedItems, JudgingProtocol, with_results
from nullbench_site.judging.replies import (
    closed_object,
    json_object,
    judge_messages,
    parts_beside,
    prose,
    shown_value,
    verdict_reply,
)
from nullbench_site.judging.scales import Choices
from nullbench_site.judging.style import marks
from nullbench_site.judging.verdict_lines import verdict_lines
from nullbench_site.runs.records import Judgment, Record, Response, Score
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.judging_prompts import prompt_of
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.scores import preference

if TYPE_CHECKING:
    from nullbench_site.protocols.pairwise.specs import PairwiseBoardFile, PairwisePlacedItem

PREFERENCE, VERDICT, TOKEN_ALONE = "preference", "verdict", "token_alone"
"""The names of a judgment's scores: a preference from 1 (the first answer shown) to 2; a verdict from -2 to 2; whether
the preference is a single token, as there were no log probabilities."""
MISSING_MASS = "missing_mass"
"""The name of the probability, 0-1, of all other tokens than the two letters."""
TOKENS = ("m", "M")
"""The tokens a judge answers with: the first answer shown is better, or the second."""
EVEN = 1.5
_NAMED = 5
"""How many tokens a message names."""
VERDICTS = {"A>>B": -2, "A>B": -1, "A=B": 0, "B>A": 1, "B>>A": 2}
"""The value of each verdict. A is the answer shown first."""
IDENTICAL = "Both answers are the same text, so nobody was asked."
ORDERS = ("first", "second")
"""The place of the contestant's answer in tasks that are asked in both orders."""
STYLE, STYLE_REVISION = "style", 1
"""The type of the result with the length and the style of an answer, and its revision."""

_LETTERS = Choices({"m": 1, "M": 2}, cased=True)
_SPELLINGS = {
    **VERDICTS,
    "B<<A": -2, "B<A": -1, "B=A": 0, "A<B": 1, "A<<B": 2, "A==B": 0, "tie": 0,
}  # fmt: skip
_FIVE = Choices(_SPELLINGS, asked=tuple(VERDICTS))
"""The five verdicts; A<B says the same as B>A."""
_WORDING = parts_beside(__file__)
_BRACKETED = re.compile(r"\[\[([AB<>=]{1,9})\]\]")


def style(text: str) -> tuple[str, ...]:
    """Return the length in code points, and the numbers of headers, list items and bold passages of Markdown.

    Source: what Arena-Hard-Auto controls for; there the length is in tokens.
    """
    counts = marks(text)._asdict()
    return (f"length {len(text)}", *(f"{name} {n}" for name, n in counts.items()))


def template(opponent: str, position: int | None) -> str:
    """Return the name of a task: the opponent and, if both orders are played, the place of the contestant's answer."""
    return opponent if position is None else f"{opponent}/{ORDERS[position]}"


def positions(board: PairwiseBoardFile) -> tuple[int | None, ...]:
    """Return the places of a contestant's answer in the tasks of one judge and opponent."""
    return (0, 1) if board.orders == "both" else (None,)


def opponents(benchmark: Benchmark, board: PairwiseBoardFile, model: str) -> tuple[str, ...]:
    """Return the opponents of a contestant or control: the baselines or everyone, except itself."""
    names = board.baselines or tuple(each.id for each in benchmark.contestants(board))
    return tuple(name for name in names if name != model)


def meetings(benchmark: Benchmark, board: PairwiseBoardFile, model: str) -> dict[str, frozenset[str]]:
    """Return the items on which a contestant or control meets each opponent, on a board with a schedule.

    A control meets one contestant on each item, drawn by their ids. Its games are not part of the budget.
    """
    names, items = _by_hash(each.id for each in benchmark.contestants(board)), _items_of(benchmark, board)
    met: dict[str, set[str]] = {}
    if model not in names:
        for item in items:
            met.setdefault(min(names, key=lambda name: _hash(item, name)), set()).add(item)
    else:
        assert board.schedule is not None  # noqa: S101 - of boards with one
        for item, *pair in _scheduled(names, items, board.schedule.budget):
            if model in pair:
                met.setdefault(pair[pair[0] == model], set()).add(item)
    return {opponent: frozenset(of_it) for opponent, of_it in met.items()}


def _items_of(benchmark: Benchmark, board: PairwiseBoardFile) -> tuple[str, ...]:
    """Return the items in the order of the schedule. If some are removed, the others keep their games."""
    whole = (benchmark.whole or benchmark).with_every_item
    return _by_hash(placed.id for placed in whole.items(whole.boards[board.id]))


@lru_cache(maxsize=16)
def _scheduled(names: tuple[str, ...], items: tuple[str, ...], budget: int) -> tuple[tuple[str, str, str], ...]:
    """Return each game: the item and the two contestants."""
    from nullbench_site.stats.pairings import scheduled_pairs  # noqa: PLC0415 - numpy, of which a warm command needs nothing

    games = scheduled_pairs(len(names), len(items), budget)
    return tuple((items[item], names[one], names[other]) for item, one, other in games.tolist())


def _by_hash(ids: Iterable[str]) -> tuple[str, ...]:
    """Sort by hash: an arbitrary order that is the same on every machine."""
    return tuple(sorted(ids, key=_hash))


def _hash(*ids: str) -> bytes:
    return hashlib.sha256("\n".join(ids).encode()).digest()


def may_judge(benchmark: Benchmark, board: PairwiseBoardFile, model: ModelFile, opponent: str) -> list[str]:
    """Return the judges that may compare two contestants: of neither's family, unless the panel allows it."""
    of_opponent = {judge.id for judge in benchmark.judges_for(board, benchmark.answerer(opponent))}
    return [judge.id for judge in benchmark.judges_for(board, model) if judge.id in of_opponent]


def drawn_position(item: str, model: str, opponent: str) -> int:
    """Return the place of `model` in a game of one order. The opponent gets the other place."""
    one, other = sorted((model, opponent))
    first = (one, other)[_hash(item, one, other)[0] & 1]
    return 0 if model == first else 1


def asked(placed: PairwisePlacedItem) -> str:
    """Return the prompt, or all turns if there are several."""
    if not placed.turns:
        return placed.prompt
    return "\n\n".join(f"Turn {turn}:\n\n{prompt}" for turn, prompt in enumerate(placed.turns, start=1))


def conversation(answers: Sequence[str]) -> str:
    """Return the answers to all turns as judges see them; for one turn the answer itself."""
    if len(answers) == 1:
        return answers[0]
    return "\n\n".join(f"Answer to turn {turn}:\n\n{answer}" for turn, answer in enumerate(answers, start=1))


def share_won(scores: Mapping[str, Score], position: int | None) -> float | None:
    """Return the probability that an answer is preferred by a judgment's scores; a verdict is 1, 1/2 or 0.

    position: 1 if the answer was shown second.
    """
    if PREFERENCE in scores:
        second = scores[PREFERENCE] - 1
    elif VERDICT in scores:
        second = (1 + (scores[VERDICT] > 0) - (scores[VERDICT] < 0)) / 2
    else:
        return None
    return second if position == 1 else 1 - second


class PairwiseJudging(JudgingProtocol["PairwiseBoardFile", "PairwisePlacedItem"]):
    """The judging of the `pairwise` protocol."""

    shows = ("prompt", "reference", "first", "second", "judging")
    words: ClassVar[Mapping[str, str]] = {
        "reference": "the reference answer",
        "first": "the answer shown first",
        "second": "the answer shown second",
        "judging": "what is asked for",
    }

    def tasks(self, benchmark: Benchmark, board: PairwiseBoardFile, model: ModelFile) -> tuple[JudgeTask, ...]:
        """Return a task for each judge, opponent and order."""
        return tuple(
            JudgeTask(benchmark.judges[judge], template(opponent, position), opponent, position)
            for opponent in opponents(benchmark, board, model.id)
            for judge in may_judge(benchmark, board, model, opponent)
            for position in positions(board)
        )

    def judged_items(self, benchmark: Benchmark, board: PairwiseBoardFile, model: ModelFile) -> JudgedItems:
        """Return the items of a task: with a schedule, those on which it meets the opponent."""
        some = super().judged_items(benchmark, board, model)
        if board.schedule is None:
            return some
        met = meetings(benchmark, board, model.id)
        of_tasks = {
            (task.judge.id, task.template): met.get(str(task.opponent), frozenset())
            for task in self.tasks(benchmark, board, model)
        }
        return {task: items.intersection(some.get(task, items)) for task, items in of_tasks.items()}

    def won(self, judgment: Judgment) -> float | None:
        return share_won(judgment.scores, judgment.position)

    def recorded(self, benchmark: Benchmark, board: PairwiseBoardFile) -> Iterator[Record]:
        """Yield the responses and judgments of games that were played elsewhere."""
        games: Any = benchmark.tables[board.id]
        yield from games.records(board)

    def reference(self, placed: PairwisePlacedItem) -> Reference | None:
        """Return the item's reference answer; None for several turns, as only the last has one."""
        return Reference(placed.reference.strip()) if placed.reference and placed.n_turns == 1 else None

    def has_checks(self, placed: PairwisePlacedItem) -> bool:
        """Return True: the length and style of every answer are measured."""
        return True

    def checked(self, placed: PairwisePlacedItem, response: Response, *, execute: bool = True) -> Response:
        """Return the response with its length and style."""

        def run(text: str) -> Iterator[Found]:
            yield Found("not-applicable", style(text))

        return with_results(response, [(STYLE, STYLE_REVISION, None)], run)

    def comparisons(
        self,
        benchmark: Benchmark,
        board: PairwiseBoardFile,
        model: ModelFile,
        placed: PairwisePlacedItem,
        *,
        response: Response,
        others: Mapping[str, Sequence[Response]],
    ) -> Iterator[Comparison]:
        for task in self.tasks(benchmark, board, model):
            other = others.get(task.opponent or "")
            if other is not None:
                ours, theirs = [*placed.earlier, response.text], [turn.text for turn in other]
                yield _game(board, model.id, placed, task, (conversation(ours), conversation(theirs)))

    def blank_questions(
        self, benchmark: Benchmark, board: PairwiseBoardFile, placed: PairwisePlacedItem, task: JudgeTask
    ) -> Iterator[Comparison]:
        yield _game(board, "", placed, task, ("", ""))


def _game(
    board: PairwiseBoardFile, model: str, placed: PairwisePlacedItem, task: JudgeTask, texts: Sequence[str]
) -> Comparison:
    position = task.position if task.position is not None else drawn_position(placed.id, model, str(task.opponent))
    first, second = texts if position == 0 else reversed(texts)
    kind = PreferenceGame if board.judging == PREFERENCE else VerdictGame
    game = kind(task, placed, first, second, position)
    prompt = prompt_of("pairwise", task.judge)
    if prompt is None:
        return game
    reply = task.judge.reply or specs_of("pairwise").judge_replies(board, prompt.name, tuple(prompt.replies))[0]
    shown = Texts(game.shown(), {"answer A": first, "answer B": second})
    asked = (task, prompt, reply, game.fields(), shown)
    if reply == "letter":
        return PromptedPreference(*asked, read_letter, weigh_letters, position, game.settled())
    return PromptedVerdict(*asked, partial(read_verdict, board.judging), position, game.settled())


class PromptedVerdict(PromptedQuestion, frozen=True):
    """Two answers in a named prompt, with a reply that ends in a verdict. even: the reply to two equal answers."""

    position: int
    even: Reply | None

    def settled(self) -> Reply | None:
        return self.even


class PromptedPreference(PromptedTokenQuestion, frozen=True):
    """Two answers in a named prompt, with a reply of one letter. even: the reply to two equal answers."""

    position: int
    even: Reply | None

    def settled(self) -> Reply | None:
        return self.even


LETTERS = ("A", "B")
"""The answers in named prompts: shown first, shown second."""
TIE = "tie"


def weigh_letters(logprobs: Mapping[str, float]) -> Reply:
    """Return 1 + P(B), of A and B only, and the probability of other tokens. Spaces around a letter do not count."""
    mass = dict.fromkeys(LETTERS, 0.0)
    for token, logprob in logprobs.items():
        if token.strip() in mass:
            mass[token.strip()] += math.exp(logprob)
    first, second = mass.values()
    if not first + second:
        seen = ", ".join(shown_value(token) for token in list(logprobs)[:_NAMED]) or "none"
        return _invalid(PREFERENCE, f"neither A nor B is among the likeliest tokens: {seen}")
    missing = round(max(0.0, 1 - first - second), 6)
    return Reply({PREFERENCE: round(1 + second / (first + second), 12), MISSING_MASS: missing}, {}, "")


def read_letter(text: str) -> Reply:
    """Read the letter alone, if no log probabilities came."""
    if text.strip() not in LETTERS:
        return _invalid(PREFERENCE, f"{shown_value(text)} is neither A nor B, and no log probabilities came")
    return Reply({PREFERENCE: 1 + LETTERS.index(text.strip()), TOKEN_ALONE: True}, {}, "")


def read_verdict(judging: str, text: str) -> Reply:
    """Read the last line `Verdict: A`, `B` or `tie`. judging: that of the board, which sets the score."""
    name = PREFERENCE if judging == PREFERENCE else VERDICT
    found = verdict_lines(text, {"Verdict": (*LETTERS, TIE)})
    if found.invalid:
        return Reply({}, {name: found.invalid["Verdict"]}, found.before)
    verdict = found.values["Verdict"]
    if judging == PREFERENCE:
        value = EVEN if verdict == TIE else 1 + LETTERS.index(verdict)
        return Reply({PREFERENCE: value, TOKEN_ALONE: True}, {}, found.before)
    return Reply(
        {VERDICT: VERDICTS["A=B" if verdict == TIE else f"{verdict}>{'B' if verdict == 'A' else 'A'}"]},
        {},
        found.before,
    )


class _Game(msgspec.Struct, frozen=True):
    """Two answers as a judge sees them, and the place of the contestant's own.

    judging: as in the board. names: of the answers. reply: the part of the wording that says how to reply. even: the
    scores of identical answers.
    """

    judging: ClassVar[str]
    names: ClassVar[tuple[str, str]]
    reply: ClassVar[str]
    even: ClassVar[Mapping[str, Score]]

    task: JudgeTask
    placed: PairwisePlacedItem
    first: str
    second: str
    position: int

    def fields(self) -> dict[str, Any]:
        return {
            "prompt": asked(self.placed),
            "reference": self.placed.reference,
            "first": self.first,
            "second": self.second,
            "judging": self.judging,
        }

    def shown(self) -> dict[str, str]:
        """Return the texts before the answers, by section."""
        return {"prompt": asked(self.placed), "good answer": self.placed.reference}

    def messages(self) -> tuple[Message, ...]:
        shown = self.shown()
        answers = {f"answer {name}": text for name, text in zip(self.names, (self.first, self.second), strict=True)}
        return judge_messages(_WORDING, shown, answers, after=[_WORDING[self.reply]])

    def settled(self) -> Reply | None:
        return Reply(self.even, {}, IDENTICAL) if self.first == self.second else None


class PreferenceGame(_Game, frozen=True):
    """A preference from 1 (the first answer is surely better) to 2 (the second is)."""

    judging, names, reply, even = PREFERENCE, TOKENS, "letter", {PREFERENCE: EVEN}

    @property
    def top_logprobs(self) -> int:
        return self.task.judge.top_logprobs

    def reply_schema(self) -> None:
        return None

    def weigh(self, logprobs: Mapping[str, float]) -> Reply:
        """Return 1 + P(M), of m and M only, and the probability of other tokens.

        A letter that is not among the likeliest tokens has probability 0.

        Source: Dubois et al. (2024), the weighted annotator of AlpacaEval 2.0.
        """
        value = preference(*map(logprobs.get, TOKENS))
        if value is None:
            seen = ", ".join(shown_value(token) for token in list(logprobs)[:_NAMED]) or "none"
            return _invalid(PREFERENCE, f"neither m nor M is among the likeliest tokens: {seen}")
        shares = (math.exp(logprobs[token]) for token in TOKENS if token in logprobs)
        missing = round(max(0.0, 1 - math.fsum(shares)), 6)
        return Reply({PREFERENCE: round(value, 12), MISSING_MASS: missing}, {}, "")

    def read(self, text: str) -> Reply:
        """Read the token, or the JSON of a program: {"preference": 1-2, "rationale": str}."""
        if self.task.judge.is_program:
            reply = json_object(text)
            if isinstance(reply, str):
                return _invalid("reply", reply)
            value = reply.get(PREFERENCE)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= 2:
                return _invalid(PREFERENCE, f"{shown_value(value)} is not a number from 1 to 2")
            return Reply({PREFERENCE: value}, {}, prose(reply.get("rationale")))
        if text in TOKENS:
            return Reply({PREFERENCE: 1 + TOKENS.index(text), TOKEN_ALONE: True}, {}, "")
        read = verdict_reply(text, PREFERENCE, _LETTERS)
        if not read.parsed:
            return _invalid(PREFERENCE, f"{shown_value(text)} is neither m nor M, and no log probabilities came")
        return Reply({**read.scores, TOKEN_ALONE: True}, {}, read.rationale, read.forms, read.stated)


class VerdictGame(_Game, frozen=True):
    """One of five verdicts."""

    judging, names, reply, even = "verdicts", ("A", "B"), "verdict", {VERDICT: 0}

    def reply_schema(self) -> dict[str, Any]:
        return closed_object({"rationale": {"type": "string"}, VERDICT: {"type": "string", "enum": [*VERDICTS]}})

    def read(self, text: str) -> Reply:
        """Read {"rationale": str, "verdict": "A>B"}, [[A>B]], or another form that states one of the five verdicts.

        An ambiguous reply is invalid. A quote in a rationale is not a verdict: otherwise an answer could void its games
        by what judges quote.
        """
        asked, reply = self._read_as_asked(text), verdict_reply(text, VERDICT, _FIVE)
        if not reply.parsed:
            return Reply({}, reply.invalid, asked.rationale) if asked.parsed else asked
        return asked if asked.scores == reply.scores else reply

    @staticmethod
    def _read_as_asked(text: str) -> Reply:
        """Read a JSON object, or the verdicts in double brackets of a text without one."""
        reply = json_object(text)
        bracketed = Counter(_BRACKETED.findall(text))
        if isinstance(reply, str):
            if len(bracketed) != 1:
                several = f"several verdicts that differ: {', '.join(sorted(bracketed))}"
                return _invalid(VERDICT, several if bracketed else f"no verdict in either format ({reply})")
            (verdict,), rationale = bracketed, prose(text)
        else:
            verdict, rationale = reply.get(VERDICT), prose(reply.get("rationale"))
            bracketed -= Counter(_BRACKETED.findall(rationale))
            if any(each != verdict for each in bracketed):
                return _invalid(VERDICT, f"verdicts in both formats that differ: {', '.join(sorted(bracketed))}")
        if not isinstance(verdict, str) or verdict not in VERDICTS:
            why = "missing" if verdict is None else f"{shown_value(verdict)} is none of {', '.join(VERDICTS)}"
            return Reply({}, {VERDICT: why}, rationale)
        return Reply({VERDICT: VERDICTS[verdict]}, {}, rationale)


def _invalid(name: str, why: str) -> Reply:
    return Reply({}, {name: why}, "")


JUDGING = PairwiseJudging()
