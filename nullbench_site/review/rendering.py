"""A comparison for readers: lines for a terminal, and Markdown in which the words of strangers can do nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from nullbench_site.review.comparison import Cost, Diff, RunFile, SpecChange
from nullbench_site.review.reranking import BoardRanks, Place, RankChange
from nullbench_site.site import words
from nullbench_site.site.change_words import some
from nullbench_site.text import ABSENT, listed, one_line, plural, shortened

_MOST_LINES = 40
"""Changes and contestants that are told one by one."""
_MOST_TEXT = 60_000
"""Characters of Markdown; a comment on GitHub has 65,536."""
_MOST_FOREIGN = 600
"""Characters of a text that is not ours; those that we write ourselves are shorter."""
_CUT = "\nThe rest does not fit here."
_MOST_NAMED = 4
"""Ranks that the first line names, and specs that a line does."""


def first_line(diff: Diff, quote: Callable[[str], str] = str) -> str:
    """The whole of it in one line: calls, money, ranks."""
    if diff.calls is None:
        return "not compared: " + "; ".join(map(quote, diff.problems))
    calls = diff.calls
    asked = f"{calls.asked:,} of {plural(calls.all, 'call', thousands=',')}"
    who = [plural(len(calls.contestants), "contestant")] if calls.contestants else []
    who += ["controls"] if calls.controls else []
    who += [plural(len(calls.judges), "judge")] if calls.judges else []
    by = f" ({', '.join(who)})" if who else ""
    parts = [f"re-asks {asked}{by}{_cost(diff.cost_usd) if calls.asked else ''}", f"ranks: {_ranks(diff, quote)}"]
    return "; ".join(parts)


def _cost(cost: Cost | None) -> str:
    if cost is None or cost.low is None:
        return ", cost not known"
    if cost.high is None:
        return f", at least ${cost.low:,.2f}"
    if cost.high == 0:
        return ", no cost"
    return f", ${cost.low:,.2f}-{cost.high:,.2f}"


def _ranks(diff: Diff, quote: Callable[[str], str]) -> str:
    measured = [board for board in diff.boards if board.not_measured is None]
    if diff.boards and not measured:
        return ABSENT
    told = []
    for board in measured:
        on = f" on {quote(board.board)}" if len(measured) > 1 else ""
        if board.changed_rank:
            told.append(f"{_movers(diff.ranks, board)}{on}")
        elif board.changed_range:
            told.append(f"{plural(board.changed_range, 'range')} of ranks {_change(board.changed_range)}{on}")
    absent = len(diff.boards) - len(measured)
    told += [f"{plural(absent, 'board')} {ABSENT}"] if absent else []
    return ", ".join(told) or "none moves"


def _change(count: int) -> str:
    return "changes" if count == 1 else "change"


def _movers(ranks: Sequence[RankChange], board: BoardRanks) -> str:
    """`3 and 4 change places` where those of these ranks do, and few; else how many."""
    pairs = [(one.before, one.after) for one in ranks if one.board == board.board]
    moved = [(was.rank, now.rank) for was, now in pairs if was and now and was.rank != now.rank]
    left, come = sorted(str(was) for was, _ in moved), sorted(str(now) for _, now in moved)
    if left == come and len(moved) <= _MOST_NAMED:
        return f"{listed(sorted(left, key=lambda rank: (len(rank), rank)))} change places"
    return f"{plural(len(moved), 'contestant')} {_change(len(moved))} rank"


def text(diff: Diff) -> str:
    """For a terminal; nothing in it moves a cursor."""
    return "\n".join(_lines(diff, str, "  "))


def markdown(diff: Diff, room: int = _MOST_TEXT, most: int = _MOST_LINES) -> str:
    """For a comment: every word that is not ours stands in a code span, where nothing is a link, a mention or HTML.

    room: characters. most: changes and contestants that are told one by one. Holds for a Diff that strangers made, too.
    """
    lines = list(_lines(diff, code_span, "- ", most))
    lines[0] = f"**{lines[0]}**\n" if diff.calls is not None else lines[0]
    kept, size = [], len(_CUT) + 1
    for line in lines:
        size += len(line) + 1
        if size > room:
            kept.append(_CUT)
            break
        kept.append(line)
    return "\n".join(kept)


def code_span(foreign: str) -> str:
    """A text of strangers on one line of Markdown, where nothing of it means anything; empty where it is."""
    text = shortened(one_line(foreign), _MOST_FOREIGN).replace("`", "'").replace("|", "¦")
    return f"`{text}`" if text else ""


def _lines(diff: Diff, quote: Callable[[str], str], mark: str, most: int = _MOST_LINES) -> Iterator[str]:
    yield first_line(diff, quote)
    if diff.calls is None:
        return
    yield f"{quote(diff.base)} -> {quote(diff.head)}"
    for problem in diff.problems:
        yield f"{mark}{quote(problem)}"
    if diff.calls.open:
        more = plural(diff.calls.open, "more call", thousands=",")
        yield f"{mark}{more} {'is' if diff.calls.open == 1 else 'are'} open in the base already"
    if diff.withheld is not None:
        yield f"{mark}{quote(diff.withheld)}; their calls are in no count"
    if diff.head_run is not None:
        yield f"{mark}ranks are those of the run {quote(diff.head_run)}, which has the specs of the head"
    for run in diff.runs[:most]:
        yield f"{mark}{_run_line(run, quote)}"
    yield from _changes(diff, quote, mark, most)
    for board in diff.boards:
        yield from _board(diff, board, quote, mark, most)


def _run_line(run: RunFile, quote: Callable[[str], str]) -> str:
    """What a run folder is to whoever looks at this change, in one line."""
    if run.what == "removed":
        return f"takes away the run {quote(run.run)}"
    verb = "adds" if run.what == "added" else "changes"
    line = f"{verb} the run {quote(run.run)} of {plural(run.records, 'record', thousands=',')}"
    if not run.sealed:
        return f"{line}; it is open: the next build goes on with it"
    if run.problems is None:
        return f"{line}; nobody has verified it"
    if run.problems:
        return f"{line}; it does not verify: {'; '.join(map(quote, run.problems))}"
    return f"{line}; it verifies: the files are those that were sealed, and the results follow from the records"


def _changes(diff: Diff, quote: Callable[[str], str], mark: str, most: int) -> Iterator[str]:
    scored = [change for change in diff.changes if change.scored]
    cosmetic = Counter(change.kind for change in diff.changes if not change.scored)
    if not diff.changes:
        yield "No spec changes." if not diff.problems else "No change of specs is known."
    else:
        yield "" if mark == "- " else "Specs:"
    alike: dict[tuple[str, ...], list[SpecChange]] = {}
    for change in scored:
        alike.setdefault((change.kind, change.what, change.before, *change.fields), []).append(change)
    groups = list(alike.values())
    for group in groups[:most]:
        yield mark + (_change_line(group[0], quote) if len(group) == 1 else _group_line(group, quote))
    more = sum(map(len, groups[most:])) + diff.more_changes
    if more:
        yield f"{mark}{plural(more, 'more change', thousands=',')}"
    if diff.unexplained:
        calls = plural(diff.unexplained, "call", thousands=",")
        yield f"{mark}{calls} on account of no spec: earlier attempts failed, or the program asks otherwise now"
    if cosmetic:
        kinds = listed([f"{count} {kind}" for kind, count in sorted(cosmetic.items())])
        only = plural(cosmetic.total(), "cosmetic change", thousands=",")
        yield f"{mark}{only} ({kinds}): titles, descriptions, addresses or prices"


def _change_line(change: SpecChange, quote: Callable[[str], str]) -> str:
    place = f"{quote(change.before)} -> {quote(change.place)}" if change.before else quote(change.place)
    title = f" ({quote(change.title)})" if change.title else ""
    fields = f": {', '.join(map(quote, change.fields))}" if change.fields else ""
    calls = f"; {plural(change.calls, 'call', thousands=',')}" if change.calls else "; no call"
    return f"{change.kind} {place}{title} {change.what}{fields}{calls}"


def _group_line(group: Sequence[SpecChange], quote: Callable[[str], str]) -> str:
    """Changes of one kind in the same fields."""
    places = ", ".join(quote(change.place) for change in group[:_MOST_NAMED])
    more = f" and {len(group) - _MOST_NAMED:,} more" if len(group) > _MOST_NAMED else ""
    fields = f": {', '.join(map(quote, group[0].fields))}" if group[0].fields else ""
    calls = sum(change.calls for change in group)
    asked = f"; {plural(calls, 'call', thousands=',')}" if calls else "; no call"
    return f"{some(len(group), group[0].kind)} {group[0].what}{fields} ({places}{more}){asked}"


def _board(diff: Diff, board: BoardRanks, quote: Callable[[str], str], mark: str, most: int) -> Iterator[str]:
    if board.not_measured is not None:
        yield f"{mark}ranks on {quote(board.board)}: {ABSENT}, {quote(board.not_measured)}"
        return
    on = "" if board.items == board.of else f" (on the {board.items} of {board.of} items of which everything is known)"
    moved = [change for change in diff.ranks if change.board == board.board]
    if not moved:
        yield f"{mark}ranks on {quote(board.board)}: none moves{on}"
        return
    yield f"\nRanks on {quote(board.board)}{on}:"
    if mark == "- ":
        yield "\n| contestant | rank before | rank after | score before | score after |"
        yield "| --- | --- | --- | --- | --- |"
    for change in moved[:most]:
        was, now = change.before, change.after
        cells = (quote(change.contestant), _rank(was), _rank(now), _score(was), _score(now))
        yield f"| {' | '.join(cells)} |" if mark == "- " else "  {}: rank {} -> {}, score {} -> {}".format(*cells)
    yield f"\n{len(moved) - most} more\n" if len(moved) > most else ""


def _rank(place: Place | None) -> str:
    return "not there" if place is None else words.rank_range(place.rank, place.low, place.high)


def _score(place: Place | None) -> str:
    return "not there" if place is None else words.number(place.overall)
