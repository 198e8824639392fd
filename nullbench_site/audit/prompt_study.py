"""The specs of a study of judging prompts: boards whose contestants are right and wrong responses, one judge a prompt.

A study of a board is a run in audits/. So it is planned, resumed, sealed, verified and cached as a run.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from nullbench_site.audit.derived import AuditRepository
from nullbench_site.audit.search_specs import with_items
from nullbench_site.audit.study_cases import Cases, cases_of
from nullbench_site.audit.study_data import (
    PREFIX,
    QUESTIONS,
    RIGHT,
    asker_id,
    judge_id,
    protocol_studies,
    study,
)
from nullbench_site.errors import UsageError
from nullbench_site.evaluation.backends.recorded import ANSWERS, RecordedAnswer, answers_file, asked_digest, encoded
from nullbench_site.evaluation.endpoints.model_files import catalogue
from nullbench_site.judging.protocol import judging
from nullbench_site.repository import AUDITS, Repository
from nullbench_site.runs.storage import write_atomically
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.judging_prompts import FULL, replies_of, reply_tokens
from nullbench_site.specs.listing import listing
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.protocol import protocol_files
from nullbench_site.specs.types import FLOOR, RECORDED, ScreeningLimits
from nullbench_site.text import did_you_mean

_DROPPED = {
    "profiles", "labels", "ask_canaries", "judged", "samples", "schedule", "templates", "geval", "composite",
    "judge_templates", "baseline", "judging", "orders", "agree", "controls", "published", "length_control",
}  # fmt: skip
"""Fields of a board that its study does not take over."""
_LEFT = {"boards", "models", "overlap", "labels", "ledger.yaml", "judges.yaml"}
_PROHIBITIONS = "questions.yaml"
_OWN = {"bridges", "retires", "prompt", "reply", "method", "value"}
"""Fields of a judge that its copies do not take over."""


class StudiedBoard(msgspec.Struct, frozen=True):
    """The study of a board: where its specs are, and the items that have the attacks."""

    repository: AuditRepository
    board: str
    protocol: str
    judge: str
    attacked: frozenset[str]


def studied_boards(
    repository: Repository, judge: str, boards: Sequence[str] = (), items: int | None = None
) -> Iterator[StudiedBoard]:
    """Write the specs of a study for a judge, in the cache: by default of the first board of each protocol.

    items: how many items of a board, by default those of the study. Raises UsageError for an unknown judge or board, a
    judge that is a program, and if no board has two items with a right and a wrong response.
    """
    benchmark = load_benchmark(repository.specs, private=repository.private)
    written = yaml.safe_load((repository.specs / "judges.yaml").read_bytes())["judges"]
    entries = {each["id"]: each for each in written}
    if judge not in entries:
        raise UsageError(f"there is no judge {judge!r}; {did_you_mean(judge, entries)}")
    if entries[judge]["backend"] in ("offline", RECORDED):
        raise UsageError(f"judge {judge!r} reads no prompt; choose one at an endpoint with --judge")
    for name in boards:
        if name not in benchmark.boards:
            raise UsageError(f"there is no board {name!r}; {did_you_mean(name, benchmark.boards)}")
    found, prohibited = 0, _prohibited(repository.specs)
    for name in boards or _first_boards(benchmark):
        cases = cases_of(benchmark, benchmark.boards[name], items or study().items, prohibited)
        if cases is None:
            if boards:
                raise UsageError(f"board {name!r} has fewer than two items with a right and a wrong response")
            continue
        found += 1
        root = repository.cache / AUDITS / f"{PREFIX}{name}-{judge}"
        shutil.rmtree(root, ignore_errors=True)
        own = AuditRepository(root, of=repository)
        _write(own, benchmark, benchmark.boards[name], entries[judge], cases)
        attacked = frozenset(cases["empty"])
        yield StudiedBoard(own, name, benchmark.boards[name].protocol, judge, attacked)
    if not found:
        raise UsageError("no board has judges and two items with a right and a wrong response")


def _prohibited(specs: Path) -> Mapping[str, Collection[int]]:
    """Return the prohibitions of the specs; a benchmark has them only if a judge is asked short questions."""
    path = specs / _PROHIBITIONS
    found: Mapping[str, Collection[int]] = yaml.safe_load(path.read_bytes())["prohibitions"] if path.is_file() else {}
    return found


def _first_boards(benchmark: Benchmark) -> Iterator[str]:
    """Yield the first board of each protocol that the study has prompts for, except those with recorded verdicts."""
    for protocol in protocol_studies():
        for name, board in benchmark.boards.items():
            if (
                board.protocol == protocol
                and name not in benchmark.tables
                and cases_of(benchmark, board, 2) is not None
            ):
                yield name
                break


def _write(own: AuditRepository, benchmark: Benchmark, board: Any, judge: Mapping[str, Any], cases: Cases) -> None:
    source, drawn = own.of.specs, {*cases[RIGHT]}
    domains = [
        domain
        for domain in (benchmark.domains[name] for name in board.domains)
        if any(item.id in drawn for category in domain.categories for item in category.items)
    ]
    # Domains are copied whole, since rules ask for whole categories and bundles. No contestant answers the other items.
    # A baseline has to answer all items, so domains of pairs have only those drawn.
    # Nor has the empty response of boards of questions, which is asked about on every item.
    few = protocol_studies()[board.protocol].has_few_items
    every = drawn if few else {each.id for domain in domains for part in domain.categories for each in part.items}
    read = {f"{domain.id}.yaml" for domain in domains}
    read |= set() if few else {str(part.items_file) for domain in domains for part in domain.categories}
    kinds = {board.protocol, *(domain.protocol for domain in domains)}
    foreign = {path for protocol, paths in protocol_files().items() if protocol not in kinds for path in paths}
    files: dict[str, bytes] = {}
    for path in listing(source).specs:
        name = path.relative_to(source).as_posix()
        folder = name.partition("/")[0]
        if folder in _LEFT or {name, f"{folder}/*.yaml"} & foreign or listing(source).is_table(path):
            continue
        if folder == "domains" and path.name in read and few:
            files[name] = _dumped(_without_bundles(with_items(yaml.safe_load(path.read_bytes()), drawn, path.parent)))
        elif name == "benchmark.yaml":
            files[name] = _with_limits(path.read_bytes(), benchmark.about.screening)
        elif name == _PROHIBITIONS:
            files |= _prohibitions(path.read_bytes(), every)
        elif folder != "domains" or path.name in read:
            files[name] = path.read_bytes()
    files |= dict(_judges(board.protocol, judge))
    whole = yaml.safe_load((source / "boards" / f"{board.id}.yaml").read_bytes())
    boards = _boards(whole, board, judge, domains, cases)
    files |= {f"boards/{each['id']}.yaml": _dumped(each) for each in boards}
    protocol = judging(board.protocol)
    for case, texts in cases.items():
        if not texts:
            continue
        of_case = [each for each in boards if case in each["contestants"]]
        answers = [
            RecordedAnswer(
                board=each["id"], item=name, sample=0, text=text,
                asked=asked_digest(protocol.worded(benchmark, board, placed, board.wordings[0]).text),
            )
            for each in of_case
            for name, (placed, text) in texts.items()
        ]  # fmt: skip
        content = encoded(answers)
        files[f"models/{case}.yaml"] = _dumped(_contestant(case, content, of_case, every - texts.keys()))
        target = answers_file(own.root, case)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, content)
    for name, content in files.items():
        (own.specs / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(own.specs / name, content)


def _with_limits(raw: bytes, limits: ScreeningLimits | None) -> bytes:
    """Return benchmark.yaml with every limit of the screening, so that they are recorded before the first call."""
    every = msgspec.structs.asdict(limits or ScreeningLimits())
    return _dumped({**yaml.safe_load(raw), "screening": every})


def _prohibitions(raw: bytes, items: Collection[str]) -> dict[str, bytes]:
    """Return the file of prohibitions with those of some items."""
    whole = yaml.safe_load(raw)
    kept = {item: numbers for item, numbers in whole["prohibitions"].items() if item in items}
    return {_PROHIBITIONS: _dumped({**whole, "prohibitions": kept})}


def _without_bundles(domain: dict[str, Any]) -> dict[str, Any]:
    """Return a domain of a few items, of which no bundle need be complete."""
    for category in domain["categories"]:
        category["items"] = [
            {key: value for key, value in item.items() if key != "bundle"} for item in category["items"]
        ]
    return domain


def _judges(protocol: str, judge: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield the file of judges: one for each prompt, one for short questions, and a panel for each board."""
    own_study, judges = protocol_studies()[protocol], []
    default = replies_of(protocol, FULL)[0]
    own = {key: value for key, value in judge.items() if key not in _OWN}
    for each in own_study.candidates:
        # A board may decide on the reply to the full prompt, which then has none to name.
        named = {} if (each.prompt, each.reply) == (FULL, default) else {"reply": each.reply}
        judges.append({
            **own, "id": judge_id(judge["id"], each), "title": f"{judge['title']}, {each.prompt}, {each.reply}",
            "prompt": each.prompt, **named,
            "decoding": _decoding(judge, reply_tokens([protocol], each.prompt, each.reply)),
        })  # fmt: skip
    panels = {kind: [judge_id(judge["id"], each) for each in of.candidates] for kind, of in own_study.boards.items()}
    if own_study.questions is not None:
        name = asker_id(judge["id"])
        judges.append({
            **own, "id": name, "title": f"{judge['title']}, short questions", "method": QUESTIONS,
            "decoding": _decoding(judge, 1),
        })  # fmt: skip
        panels[QUESTIONS] = [name]
    listed = [{"id": kind or "study", "title": "Prompts", "judges": names} for kind, names in panels.items()]
    canary = uuid.uuid5(uuid.NAMESPACE_OID, f"{protocol} {judge['id']}")
    yield "judges.yaml", _dumped({"canary": f"nullbench-canary:{canary}", "judges": judges, "panels": listed})


def _decoding(judge: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """Return the decoding of a judge whose reply needs so many tokens. One outside the catalogue may think first."""
    own = judge.get("decoding", {})
    if judge["model"] not in {each.name for each in catalogue().values()}:
        tokens = max(tokens, own.get("max_tokens", 0))
    return {**own, "max_tokens": tokens}


def _boards(
    whole: dict[str, Any], board: Any, judge: Mapping[str, Any], domains: Sequence[Any], cases: Cases
) -> list[dict[str, Any]]:
    kept = {key: value for key, value in whole.items() if key not in _DROPPED}
    if board.wordings[0] in whole.get("templates", ()):
        kept["templates"] = [board.wordings[0]]
    own_study = protocol_studies()[board.protocol]
    kinds = {kind: studied.settings for kind, studied in own_study.boards.items()}
    kinds |= {} if own_study.questions is None else {QUESTIONS: {}}
    boards = []
    for kind, settings in kinds.items():
        name = f"{PREFIX}{board.id}-{judge['id']}" + (f"-{kind}" if kind else "")
        own: dict[str, Any] = {
            **kept,
            "canary": f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_OID, name)}",
            "id": name,
            "title": f"Judging prompts on {board.title}" + (f", {kind}" if kind else ""),
            "panel": kind or "study",
            "domains": [domain.id for domain in domains],
            "contestants": sorted(case for case, texts in cases.items() if texts and _is_judged(case, kind)),
            "controls": "none",
            **settings,
        }
        boards.append(own)
    return boards


def _is_judged(case: str, kind: str) -> bool:
    """Return True if the board of a study with this ending judges a case. Boards of questions have own controls."""
    if kind == QUESTIONS:
        return case not in FLOOR
    return case not in {attack.id for attack in study().question_attacks if attack.control is None}


def _contestant(case: str, answers: bytes, boards: Sequence[Mapping[str, Any]], lacking: set[str]) -> dict[str, Any]:
    left = {"unanswered": {board["id"]: sorted(lacking) for board in boards}} if lacking else {}
    return {
        "canary": f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_OID, f'prompts {case}')}",
        "id": case,
        "title": f"Case: {case}",
        "description": "Responses of the study of judging prompts.",
        "kind": "baseline",
        "backend": RECORDED,
        "model": case,
        "family": "cases",
        "params": {ANSWERS: f"sha256:{sha256(answers)}"},
        **left,
    }


def _dumped(spec: Any) -> bytes:
    return yaml.safe_dump(spec, sort_keys=False, allow_unicode=True, width=120).encode()
