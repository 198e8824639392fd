"""Rules about the judging prompts that judges name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nullbench_site.errors import Problem
from nullbench_site.extensions import registered
from nullbench_site.specs import types
from nullbench_site.specs.judging_prompts import FULL, prompts_of, replies_of
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.sources import SpecFiles
from nullbench_site.text import nearest


def judging_prompts_exist(files: SpecFiles) -> Iterator[Problem]:
    """Check that the protocols of a judge's boards have its prompt and its form of reply."""
    for number, judge in enumerate(files.all_judges):
        assert files.judges is not None  # noqa: S101 - it holds the judge
        problem = files.judges.document.problem
        given = [key for key in ("prompt", "reply") if getattr(judge, key) is not None]
        if judge.backend in (types.PROGRAMS, types.RECORDED):
            for key in given:
                message = f"{key!r} has no effect: backend {judge.backend!r} reads no prompt; remove it"
                yield problem(["judges", number, key], message, at_key=True)
            continue
        if judge.asks_questions:
            for key in given:
                message = f"{key!r} has no effect with `method: questions`, which has its own wordings; remove it"
                yield problem(["judges", number, key], message, at_key=True)
            continue
        found = next(iter(_problems(files, judge)), None) if given else None
        if found is not None:
            key, message = found
            yield problem(["judges", number, key], message)


def _problems(files: SpecFiles, judge: types.Judge) -> Iterator[tuple[str, str]]:
    prompt = judge.prompt or FULL
    boards = [board for board in _boards(files) if judge.id in _judges_of(files, board)]
    if not boards and not any(prompt in _names(protocol) for protocol in registered("protocols")):
        known = sorted({name for protocol in registered("protocols") for name in _names(protocol)})
        yield "prompt", _unknown(f"no protocol has a prompt {prompt!r}", prompt, known)
    for board in boards:
        names = _names(board.protocol)
        if prompt not in names:
            what = f"the protocol {board.protocol!r} of board {board.id!r} has no prompt {prompt!r}"
            yield "prompt", _unknown(what, prompt, names)
            continue
        every = replies_of(board.protocol, prompt)
        usable = specs_of(board.protocol).judge_replies(board, prompt, every)
        what = f"prompt {prompt!r} of the protocol {board.protocol!r}, board {board.id!r}"
        if not usable:
            yield "prompt", f"{what}: its replies ({', '.join(every) or 'none'}) do not fit the board; choose another"
        elif judge.reply is not None and judge.reply not in usable:
            yield "reply", f"{what}, has no reply {judge.reply!r}; it has: {', '.join(usable)}"


def _names(protocol: str) -> Sequence[str]:
    return (FULL, *prompts_of(protocol))


def _unknown(what: str, name: str, known: Sequence[str]) -> str:
    close = nearest(name, known)
    hint = f"did you mean {close!r}? " if close else ""
    return f"{what}; {hint}it has: {', '.join(known)}"


def _boards(files: SpecFiles) -> Iterator[types.JudgedBoardFile]:
    return (source.spec for source in files.boards if isinstance(source.spec, types.JudgedBoardFile))


def _judges_of(files: SpecFiles, board: types.JudgedBoardFile) -> set[str]:
    """Return the judges of a board's panels in every profile, and those that bridge from one of them."""
    named = {board.panel, *(profile.panel for profile in board.profiles.values())}
    voting = {judge for panel in files.panels if panel.id in named for judge in panel.judges}
    return voting | {each.id for each in files.all_judges if each.bridges is not None and each.bridges.judge in voting}
