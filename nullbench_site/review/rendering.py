"""Render a comparison as text for a terminal, or as Markdown that shows foreign text only as code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from nullbench_site.review.evidence import Altered, AlteredRecord
from nullbench_site.review.report import Calls, Cost, Diff, RunFile, SpecChange
from nullbench_site.review.reranking import BoardRanks, Place, RankChange, Submission
from nullbench_site.runs.records import Score
from nullbench_site.site import paths, words
from nullbench_site.site.pages.item_checks import against_words, contradicted_words
from nullbench_site.site.run_changes import some
from nullbench_site.text import ABSENT, listed, plural, short_line

_MOST_LINES = 40
"""The most changes and contestants with their own line."""
_MOST_TEXT = 60_000
"""Characters of Markdown; a comment on GitHub has 65,536."""
_MOST_FOREIGN = 600
"""The most characters of a foreign text; our own are shorter."""
_CUT = "\nThe rest does not fit here."
_MOST_NAMED = 4
"""Ranks in the first line, and specs in a line."""


def first_line(diff: Diff, quote: Callable[[str], str] = str) -> str:
    """Sum up the comparison in one line: calls, money, ranks, trust marks, and findings about records and runs."""
    if diff.calls is None:
        return "cannot compare: " + "; ".join(map(quote, (*diff.problems, *diff.evidence)))
    calls = diff.calls
    who = [plural(len(calls.contestants), "contestant")] if calls.contestants else []
    who += ["controls"] if calls.controls else []
    who += [plural(len(calls.judges), "judge")] if calls.judges else []
    by = f" ({', '.join(who)})" if who else ""
    cost = _cost(calls, diff.cost_usd) if calls.asked else ""
    parts = [
        f"{calls.asked:,} of {plural(calls.all, 'call', thousands=',')} {_are(calls.asked)} new{by}{cost}",
        _ranks(diff, quote),
        _trust(diff),
    ]
    if diff.altered is not None and diff.altered.all:
        n = diff.altered.all
        parts.append(f"{plural(n, 'record', thousands=',')} of HEAD {'fails' if n == 1 else 'fail'} the record check")
    n_lines = len(diff.evidence) + sum(bool(run.problems) for run in diff.runs)
    parts += [f"{plural(n_lines, 'line')} below {'reports' if n_lines == 1 else 'report'} edits"] if n_lines else []
    return "; ".join(parts)


def _trust(diff: Diff) -> str:
    """Return the marks that rise and fall: `trust: +1, -2`."""
    if diff.trust is None:
        return f"trust {ABSENT}"
    counts = [f"{sign}{count}" for sign, count in (("+", diff.trust.gained), ("-", diff.trust.lost)) if count]
    return f"trust: {', '.join(counts)}" if counts else "trust unchanged"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _cost(calls: Calls, cost: Cost | None) -> str:
    if calls.brought >= calls.asked:
        return ", all recorded with it"
    rest = f", {calls.brought:,} of them recorded with it; the others" if calls.brought else ""
    if cost is None or cost.low is None:
        return f"{rest}, cost unknown"
    if cost.high is None:
        return f"{rest}, at least ${cost.low:,.2f}"
    if cost.high == 0:
        return f"{rest}, no cost"
    return f"{rest}, ${cost.low:,.2f}-{cost.high:,.2f}"


def _ranks(diff: Diff, quote: Callable[[str], str]) -> str:
    measured = [board for board in diff.boards if board.not_measured is None]
    if not measured and (diff.boards or not diff.base_read):
        return f"ranks {ABSENT}"
    parts = []
    for board in measured:
        on = f" on {quote(board.board)}" if len(measured) > 1 else ""
        if board.changed_rank:
            within = "" if board.changed_range else ", within the earlier ranges"
            parts.append(f"{_movers(diff.ranks, board)}{on}{within}")
        elif board.changed_range:
            parts.append(f"{plural(board.changed_range, 'range')} of ranks {_change(board.changed_range)}{on}")
        if board.pending:
            parts.append(f"{plural(len(board.pending), 'contestant')} pending{on}")
    absent = len(diff.boards) - len(measured)
    parts += [f"{plural(absent, 'board')} {ABSENT}"] if absent else []
    return f"ranks: {', '.join(parts)}" if parts else "ranks unchanged"


def _change(count: int) -> str:
    return "changes" if count == 1 else "change"


def _movers(ranks: Sequence[RankChange], board: BoardRanks) -> str:
    """Return `3 and 4 change places` if a few contestants swap ranks; otherwise their number."""
    pairs = [(one.before, one.after) for one in ranks if one.board == board.board]
    moved = [(was.rank, now.rank) for was, now in pairs if was and now and was.rank != now.rank]
    left, come = sorted(str(was) for was, _ in moved), sorted(str(now) for _, now in moved)
    if left == come and len(moved) <= _MOST_NAMED:
        return f"{listed(sorted(left, key=lambda rank: (len(rank), rank)))} change places"
    return f"{plural(len(moved), 'contestant')} {_change(len(moved))} rank"


def text(diff: Diff) -> str:
    """Render for a terminal, without control characters."""
    return "\n".join(_lines(diff, str, "  "))


def markdown(diff: Diff, room: int = _MOST_TEXT, most: int = _MOST_LINES) -> str:
    """Render for a comment. Foreign text is in code spans, so none becomes a link, a mention or HTML.

    room: characters. most: changes and contestants that get a line each. `diff` may come from anyone.
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
    """Return a foreign text as code on one line of Markdown; empty if the text is."""
    text = short_line(foreign, _MOST_FOREIGN).replace("`", "'").replace("|", "¦")
    return f"`{text}`" if text else ""


def _lines(diff: Diff, quote: Callable[[str], str], mark: str, most: int = _MOST_LINES) -> Iterator[str]:
    yield first_line(diff, quote)
    if diff.calls is None:
        return
    yield f"{quote(diff.base)} -> {quote(diff.head)}"
    if mark == "- ":
        yield ""
    for line in (*diff.evidence, *diff.problems, *diff.notices):
        yield f"{mark}{quote(line)}"
    if diff.calls.open:
        more = plural(diff.calls.open, "more call", thousands=",")
        yield f"{mark}{more} {_are(diff.calls.open)} already open in BASE"
    if diff.withheld is not None:
        uncounted = plural(diff.uncounted, "call", thousands=",")
        yield f"{mark}{uncounted} on private items {_are(diff.uncounted)} not counted: {quote(diff.withheld)}"
    if diff.head_run is not None:
        yield f"{mark}ranks come from the run {quote(diff.head_run)}, which has the specs of HEAD"
    for run in diff.runs[:most]:
        yield f"{mark}{_run_line(run, quote)}"
    if diff.altered is not None:
        yield from _altered(diff.altered, quote, mark, most)
    for submission in diff.submissions[:most]:
        yield mark + _submission(submission, quote)
        if submission.screening:
            who = f"{quote(submission.contestant)} on {quote(submission.board)}"
            yield f"{mark}screening flags {who}: {quote(submission.screening)}; read its answers"
    yield from _changes(diff, quote, mark, most)
    for board in diff.boards:
        yield from _board(diff, board, quote, mark, most)


def _run_line(run: RunFile, quote: Callable[[str], str]) -> str:
    if run.what == "removed":
        return f"removes the run {quote(run.run)}"
    verb = "adds" if run.what == "added" else "changes"
    line = f"{verb} the run {quote(run.run)} ({plural(run.records, 'record', thousands=',')})"
    if not run.sealed:
        return f"{line}; open, the next build continues it"
    return f"{line}; {_verified(run, quote)}" + (f"; manifest digest {quote(run.digest)}" if run.digest else "")


def _verified(run: RunFile, quote: Callable[[str], str]) -> str:
    if run.problems is None:
        return "not verified"
    if run.problems:
        return f"verification failed: {'; '.join(map(quote, run.problems))}"
    return "verified: the files match the manifest; results and keys match the records"


def _altered(altered: Altered, quote: Callable[[str], str], mark: str, most: int) -> Iterator[str]:
    if altered.of:
        share = "" if altered.repeated == altered.of else f" of {altered.of:,}, drawn at random"
        yield f"{mark}record check: programs repeated their new answers and verdicts: {altered.repeated:,}{share}"
    yield from (mark + line for line in _out_of_place(altered))
    for record in altered.records[:most]:
        yield mark + _altered_line(record, quote)
    more = altered.altered - len(altered.records[:most])
    if more:
        yield f"{mark}record check: {plural(more, 'more record', thousands=',')} {'differs' if more == 1 else 'differ'}"


def _out_of_place(altered: Altered) -> Iterator[str]:
    if altered.misplaced:
        verb = "does not answer its call" if altered.misplaced == 1 else "do not answer their calls"
        yield f"record check: {plural(altered.misplaced, 'record', thousands=',')} of HEAD {verb}"
    if altered.lacking:
        verb = "has" if altered.lacking == 1 else "have"
        yield f"record check: {plural(altered.lacking, 'call', thousands=',')} of a sealed run {verb} no record"


def _altered_line(record: AlteredRecord, quote: Callable[[str], str]) -> str:
    where = f"{quote(record.contestant)} on {quote(record.item)} of {quote(record.board)}"
    source = "an earlier run" if record.by == "record" else "the program itself"
    if record.judge is None:
        return f"record check: the answer of {where}, or its checks, differ from {source}"
    names = [name for name in {**record.known, **record.found} if record.known.get(name) != record.found.get(name)]
    apart = [
        f"{quote(name)} is {_given(record.found, name)}, was {_given(record.known, name)}"
        for name in names[:_MOST_NAMED]
    ]
    differences = "; ".join(apart) or "the state differs"
    return f"record check: the verdict of {quote(record.judge)} on {where} differs from {source}: {differences}"


def _given(scores: Mapping[str, Score], name: str) -> str:
    return str(scores[name]).lower() if name in scores else "absent"


def _submission(one: Submission, quote: Callable[[str], str]) -> str:
    claimed = "no claimed provenance" if one.provenance is None else f"claimed: {one.provenance}"
    who = f"submits {quote(one.contestant)} to {quote(one.board)} ({claimed})"
    if one.place is None or one.not_measured is not None:
        return f"{who}; its place is {ABSENT}: {quote(one.not_measured or ABSENT)}"
    score = f"{words.number(one.place.overall)} {words.interval(one.place.ci_low, one.place.ci_high)}".rstrip()
    place = f"{who}: score {score}, rank {_rank(one.place)}"
    if one.gap is None:
        return f"{place}; no other contestant is ranked"
    ends = words.interval(one.gap.low, one.gap.high, signs=True)
    gap = f"{words.signed(one.gap.value, 1)} {ends}".rstrip()
    gap += f", {one.gap.other_judges}" if one.gap.other_judges else ""
    smallest = ABSENT if one.gap.smallest is None else f"{words.number(one.gap.smallest)} points"
    power = f"smallest detectable difference {smallest}"
    return f"{place}; difference to {quote(one.gap.other)} {gap}; {power}. {quote(one.gap.sentence)}"


def evidence_lines(diff: Diff) -> Iterator[str]:
    """Return the findings about the ledger, runs and records, a line each."""
    yield from diff.evidence
    for run in diff.runs:
        if run.what != "added" or run.problems:
            yield _run_line(run, str)
    if diff.altered is not None:
        yield from _out_of_place(diff.altered)
        yield from (_altered_line(record, str) for record in diff.altered.records)


def _changes(diff: Diff, quote: Callable[[str], str], mark: str, most: int) -> Iterator[str]:
    scored = [change for change in diff.changes if change.scored]
    cosmetic = [change for change in diff.changes if not change.scored]
    if not diff.changes:
        none = "No spec changes." if diff.base_read else "The changed specs are unknown."
        yield f"{mark}{none}" if mark == "- " else none
    elif mark != "- ":
        yield "Specs:"
    alike: dict[tuple[str, ...], list[SpecChange]] = {}
    for change in scored:
        alike.setdefault((change.kind, change.what, change.before, *change.fields), []).append(change)
    groups = list(alike.values())
    for group in groups[:most]:
        yield mark + _group_line(group, quote)
    more = sum(map(len, groups[most:])) + diff.more_changes
    if more and diff.calls is not None:
        n_listed = sum(change.calls for group in groups[:most] for change in group)
        rest = _calls_words(max(0, diff.calls.asked - diff.unexplained - n_listed))
        yield f"{mark}{plural(more, 'more change', thousands=',')}{rest}"
    if diff.unexplained:
        calls = plural(diff.unexplained, "call", thousands=",")
        yield f"{mark}{calls} without a changed spec: earlier attempts failed, or this version asks differently"
    if cosmetic:
        kinds = sorted(Counter(change.kind for change in cosmetic).items())
        which = [f"{count} {kind}" for kind, count in kinds]
        if len(cosmetic) <= _MOST_NAMED:
            which = [f"{change.kind} {quote(change.place)}" for change in cosmetic]
        only = plural(len(cosmetic), "cosmetic change", thousands=",")
        yield f"{mark}{only} ({listed(which)}): no effect on calls or scores"


def change_line(change: SpecChange, quote: Callable[[str], str]) -> str:
    """Describe the changed fields of a spec and the number of calls that they add."""
    return _group_line([change], quote)


def _group_line(group: Sequence[SpecChange], quote: Callable[[str], str]) -> str:
    """Describe changes of the same kind in the same fields."""
    first = group[0]
    fields = f": {', '.join(map(quote, first.fields))}" if first.fields else ""
    calls = sum(change.calls for change in group)
    asked = _calls_words(calls)
    if len(group) > 1:
        places = ", ".join(quote(change.place) for change in group[:_MOST_NAMED])
        more = f" and {len(group) - _MOST_NAMED:,} more" if len(group) > _MOST_NAMED else ""
        number = some(len(group), first.kind, thousands=",")
        return f"{number} {first.what}{fields} ({places}{more}){asked}"
    place = f"{quote(first.before)} -> {quote(first.place)}" if first.before else quote(first.place)
    title = f" ({quote(first.title)})" if first.title else ""
    return f"{first.kind} {place}{title} {first.what}{fields}{asked}"


def _calls_words(calls: int) -> str:
    return f"; {plural(calls, 'call', thousands=',')}" if calls else "; no call"


def _board(diff: Diff, board: BoardRanks, quote: Callable[[str], str], mark: str, most: int) -> Iterator[str]:
    if board.not_measured is not None:
        yield f"{mark}ranks on {quote(board.board)}: {ABSENT}, {quote(board.not_measured)}"
        return
    on = "" if board.items == board.of else f" (on the {board.items} of {board.of} items with complete records)"
    moved = [change for change in diff.ranks if change.board == board.board]
    for one in board.pending[:most]:
        answers = plural(one.answers, "answer", thousands=",")
        pending = f"{_are(one.answers)} pending; the ranks leave it out"
        yield f"{mark}{answers} of {quote(one.contestant)} on {quote(board.board)} {pending}"
    if not moved:
        yield f"{mark}ranks on {quote(board.board)} unchanged{on}"
    if board.sentence_before != board.sentence_after:
        yield f"{mark}claim for {quote(board.board)} before: {quote(board.sentence_before or ABSENT)}"
        yield f"{mark}claim for {quote(board.board)} after: {quote(board.sentence_after or ABSENT)}"
    yield from _trust_lines(diff, board, quote, mark)
    yield from (mark + line for line in _marked(board, quote))
    if not moved:
        return
    beside = f" {board.rank_head}" if board.rank_head else ""
    yield f"\nRanks{beside} on {quote(board.board)}{on}:"
    if mark == "- ":
        yield "\n| contestant | rank before | rank after | score before | score after |"
        yield "| --- | --- | --- | --- | --- |"
    for change in moved[:most]:
        was, now = change.before, change.after
        cells = (quote(change.contestant), _rank(was), _rank(now), _score(was), _score(now))
        yield f"| {' | '.join(cells)} |" if mark == "- " else "  {}: rank {} -> {}, score {} -> {}".format(*cells)
    more = len(moved) - most
    yield f"\n{more} more\n" if more > 0 else ""


def _marked(board: BoardRanks, quote: Callable[[str], str]) -> Iterator[str]:
    """Say how many items may be wrong, and which page lists them."""
    found = [against_words(board.items_against)] if board.items_against else []
    found += [contradicted_words(board.keys_contradicted)] if board.keys_contradicted else []
    if found:
        page = quote(paths.items_url(board.board))
        yield f"items worth a look on {quote(board.board)}: {listed(found)}; the page {page} of the site lists them"


def _trust_lines(diff: Diff, board: BoardRanks, quote: Callable[[str], str], mark: str) -> Iterator[str]:
    """Group the marks that move in the same way."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for change in diff.trust_changes:
        if change.board == board.board:
            alike.setdefault((change.dimension, change.before, change.after), []).append(change.contestant)
    for (dimension, before, after), who in alike.items():
        named = ", ".join(map(quote, who[:_MOST_NAMED]))
        more = f" and {len(who) - _MOST_NAMED:,} more" if len(who) > _MOST_NAMED else ""
        yield f"{mark}trust on {quote(board.board)}, {dimension}: {before} -> {after} ({named}{more})"


def _rank(place: Place | None) -> str:
    return "not on the board" if place is None else words.rank_range(place.rank, place.low, place.high)


def _score(place: Place | None) -> str:
    if place is None:
        return "not on the board"
    return f"{words.number(place.overall)} {words.interval(place.ci_low, place.ci_high)}".rstrip()
