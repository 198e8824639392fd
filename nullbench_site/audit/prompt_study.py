"""The specs of a study of judging prompts: boards whose contestants are right and wrong responses, one judge a prompt.

A study of a board is a run in audits/. So it is planned, resumed, sealed, verified and cached as a run.
"""

from __future__ import annotations

import shutil
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
import yaml

from nullbench_site.audit.derived import AuditRepository
from nullbench_site.audit.search_specs import with_items
from nullbench_site.errors import UsageError
from nullbench_site.evaluation.backends.recorded import ANSWERS, RecordedAnswer, answers_file, asked_digest, encoded
from nullbench_site.extensions import registered
from nullbench_site.judging.controls import BY_WEIGHT
from nullbench_site.judging.protocol import judging
from nullbench_site.packaged import data_text
from nullbench_site.programs.damage import damage
from nullbench_site.repository import AUDITS, Repository
from nullbench_site.runs.storage import write_atomically
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.judging_prompts import FULL, prompt_file, replies_of, reply_tokens
from nullbench_site.specs.listing import listing
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.protocol import protocol_files
from nullbench_site.specs.types import FALSIFICATIONS, RECORDED, Damage, JudgedBoardFile
from nullbench_site.text import did_you_mean

RIGHT, WRONG, UNRELATED = "right", "wrong", "unrelated"
"""The contestants of every study: the reference, a damaged one or another item's answer, and, as an attack, the answer
to another item. Further attacks are in the data."""
PREFIX = "prompts-"
"""Before the id of a board, in the id of its study."""
_SPOILS: tuple[Damage, ...] = ("cut", "shuffled-words")
_DROPPED = {
    "profiles", "labels", "ask_canaries", "judged", "samples", "schedule", "templates", "geval", "composite",
    "judge_templates", "baseline", "judging", "orders", "agree", "controls", "published", "length_control",
}  # fmt: skip
"""Fields of a board that its study does not take over."""
_LEFT = {"boards", "models", "overlap", "labels", "ledger.yaml", "judges.yaml"}


class StudiedPrompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A prompt with a form of reply. tokens: beyond the texts. defences: of the full prompt; others name their own."""

    prompt: str
    reply: str
    tokens: int
    defences: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return prompt_id(self.prompt, self.reply)


def prompt_id(prompt: str, reply: str) -> str:
    """Return the name of a prompt with a form of reply."""
    return f"{prompt}.{reply}"


class StudiedBoards(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board of a study: its own settings, and its prompts."""

    candidates: tuple[StudiedPrompt, ...]
    settings: dict[str, Any] = {}


class ProtocolStudy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of prompts/study.yaml of a protocol. boards: by the ending of their id."""

    most_tokens: int
    boards: dict[str, StudiedBoards]

    @property
    def candidates(self) -> tuple[StudiedPrompt, ...]:
        return tuple(each for board in self.boards.values() for each in board.candidates)

    @property
    def has_baseline(self) -> bool:
        return any("baseline" in board.settings for board in self.boards.values())


@cache
def protocol_studies() -> Mapping[str, ProtocolStudy]:
    """Return the study of each protocol that has one."""
    files = {name: prompt_file(name, "study.yaml") for name in registered("protocols")}
    return {
        name: msgspec.yaml.decode(path.read_bytes(), type=ProtocolStudy)
        for name, path in files.items()
        if path.is_file()
    }


class Study(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of data/judging-study.yaml."""

    version: int
    salt: str
    items: int
    attack_items: int
    attacks: dict[str, str]

    def order(self, item: str) -> str:
        """Return what items are sorted by: a hash, the same on every machine."""
        return sha256(f"{self.salt}\n{item}".encode())

    def selects(self, item: str) -> bool:
        """Return True if an item is in the half that chooses the prompt, False if in the half that reports it."""
        return int(self.order(item)[-1], 16) % 2 == 0


@cache
def study() -> Study:
    """Return the packaged study."""
    return msgspec.yaml.decode(data_text("judging-study.yaml"), type=Study)


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
    found = 0
    for name in boards or _first_boards(benchmark):
        cases = _cases(benchmark, benchmark.boards[name], items or study().items)
        if cases is None:
            if boards:
                raise UsageError(f"board {name!r} has fewer than two items with a right and a wrong response")
            continue
        found += 1
        root = repository.cache / AUDITS / f"{PREFIX}{name}-{judge}"
        shutil.rmtree(root, ignore_errors=True)
        own = AuditRepository(root, of=repository)
        _write(own, benchmark, benchmark.boards[name], entries[judge], cases)
        attacked = frozenset(cases[UNRELATED])
        yield StudiedBoard(own, name, benchmark.boards[name].protocol, judge, attacked)
    if not found:
        raise UsageError("no board has judges and two items with a right and a wrong response")


def _first_boards(benchmark: Benchmark) -> Iterator[str]:
    """Yield the first board of each protocol that the study has prompts for, except those with recorded verdicts."""
    for protocol in protocol_studies():
        for name, board in benchmark.boards.items():
            if board.protocol == protocol and name not in benchmark.tables and _cases(benchmark, board, 2) is not None:
                yield name
                break


Cases = Mapping[str, Mapping[str, tuple[PlacedItem, str]]]
"""Contestant -> item -> the item and the response."""


def _cases(benchmark: Benchmark, board: Any, most: int) -> Cases | None:
    """Return the responses of each contestant of the study of a board; None with fewer than two items."""
    if not isinstance(board, JudgedBoardFile) or board.protocol not in protocol_studies():
        return None
    protocol = judging(board.protocol)
    placed = [each for each in benchmark.items(board) if not each.private and each.n_turns == 1]
    placed.sort(key=lambda each: study().order(each.id))
    references = {each.id: reference for each in placed if (reference := protocol.reference(each)) is not None}
    given: Counter[Damage] = Counter()
    right, wrong = dict[str, tuple[PlacedItem, str]](), dict[str, tuple[PlacedItem, str]]()
    for each in placed:
        if len(right) == most or each.id not in references:
            continue
        reference = references[each.id]
        spoiled = {
            kind: damaged.text
            for kind in BY_WEIGHT
            if kind in (*FALSIFICATIONS, *_SPOILS)
            and (damaged := damage(reference.text, kind, source=reference.source))
        }
        if spoiled:
            kind = min(spoiled, key=lambda kind: (given[kind], BY_WEIGHT.index(kind)))
            given[kind] += 1
            text: str | None = spoiled[kind]
        else:
            text = _other(each, placed, {name: known.text for name, known in references.items()})
        if text is not None and text.strip() != reference.text.strip():
            right[each.id], wrong[each.id] = (each, reference.text), (each, text)
    if len(right) < 2:
        return None
    texts = {name: text for name, (_, text) in right.items()}
    attacked = [each for each, _ in right.values()][: study().attack_items]
    attacks = {name: {each.id: (each, text) for each in attacked} for name, text in study().attacks.items()}
    unrelated = {
        each.id: (each, other)
        for each in attacked
        if (other := _other(each, [one for one, _ in right.values()], texts, near=False)) is not None
    }
    return {RIGHT: right, WRONG: wrong, **attacks, UNRELATED: unrelated}


def _other(
    item: PlacedItem, placed: Sequence[PlacedItem], texts: Mapping[str, str], *, near: bool = True
) -> str | None:
    """Return the text of the next other item that differs, one of the same category and kind first.

    near: an answer to a similar question, which is a number if the right one is. None if all texts are the same.
    """
    own = texts[item.id]
    start = next(place for place, each in enumerate(placed) if each.id == item.id)
    others = [
        each for each in (*placed[start + 1 :], *placed[:start]) if texts.get(each.id, own).strip() != own.strip()
    ]

    def likeness(other: PlacedItem) -> tuple[bool, bool]:
        text = texts[other.id]
        return text.strip()[:1].isdigit() != own.strip()[:1].isdigit(), other.category.id != item.category.id

    if not others:
        return None
    return texts[(min(others, key=likeness) if near else others[0]).id]


def _write(own: AuditRepository, benchmark: Benchmark, board: Any, judge: Mapping[str, Any], cases: Cases) -> None:
    source, drawn = own.of.specs, {*cases[RIGHT]}
    domains = [
        domain
        for domain in (benchmark.domains[name] for name in board.domains)
        if any(item.id in drawn for category in domain.categories for item in category.items)
    ]
    # Domains are copied whole, since rules ask for whole categories and bundles. No contestant answers the other items.
    # A baseline has to answer all items, so domains of pairs have only those drawn.
    pairs = protocol_studies()[board.protocol].has_baseline
    every = drawn if pairs else {each.id for domain in domains for part in domain.categories for each in part.items}
    read = {f"{domain.id}.yaml" for domain in domains}
    read |= set() if pairs else {str(part.items_file) for domain in domains for part in domain.categories}
    kinds = {board.protocol, *(domain.protocol for domain in domains)}
    foreign = {path for protocol, paths in protocol_files().items() if protocol not in kinds for path in paths}
    files: dict[str, bytes] = {}
    for path in listing(source).specs:
        name = path.relative_to(source).as_posix()
        folder = name.partition("/")[0]
        if folder in _LEFT or {name, f"{folder}/*.yaml"} & foreign or listing(source).is_table(path):
            continue
        if folder == "domains" and path.name in read and pairs:
            files[name] = _dumped(_without_bundles(with_items(yaml.safe_load(path.read_bytes()), drawn, path.parent)))
        elif folder != "domains" or path.name in read:
            files[name] = path.read_bytes()
    files |= dict(_judges(board.protocol, judge))
    boards = _boards(yaml.safe_load((source / "boards" / f"{board.id}.yaml").read_bytes()), board, judge, domains)
    files |= {f"boards/{each['id']}.yaml": _dumped(each) for each in boards}
    protocol = judging(board.protocol)
    for case, texts in cases.items():
        answers = [
            RecordedAnswer(
                board=each["id"], item=name, sample=0, text=text,
                asked=asked_digest(protocol.worded(benchmark, board, placed, board.wordings[0]).text),
            )
            for each in boards
            for name, (placed, text) in texts.items()
        ]  # fmt: skip
        content = encoded(answers)
        files[f"models/{case}.yaml"] = _dumped(_contestant(case, content, boards, every - texts.keys()))
        target = answers_file(own.root, case)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, content)
    for name, content in files.items():
        (own.specs / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(own.specs / name, content)


def _without_bundles(domain: dict[str, Any]) -> dict[str, Any]:
    """Return a domain of a few items, of which no bundle need be complete."""
    for category in domain["categories"]:
        category["items"] = [
            {key: value for key, value in item.items() if key != "bundle"} for item in category["items"]
        ]
    return domain


def _judges(protocol: str, judge: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield the file of judges: one for each prompt, and a panel for each board."""
    boards, judges = protocol_studies()[protocol].boards, []
    default = replies_of(protocol, FULL)[0]
    for each in protocol_studies()[protocol].candidates:
        tokens = reply_tokens([protocol], each.prompt, each.reply)
        decoding = judge.get("decoding", {})
        decoding = {**decoding, "max_tokens": max(tokens, decoding.get("max_tokens", 0))}
        # A board may decide on the reply to the full prompt, which then has none to name.
        named = {} if (each.prompt, each.reply) == (FULL, default) else {"reply": each.reply}
        own = {key: value for key, value in judge.items() if key not in ("bridges", "retires", "reply")}
        title = f"{judge['title']}, {each.prompt}, {each.reply}"
        name = judge_id(judge["id"], each)
        judges.append({**own, "id": name, "title": title, "prompt": each.prompt, **named, "decoding": decoding})
    panels = [
        {
            "id": kind or "study",
            "title": "Prompts",
            "judges": [judge_id(judge["id"], each) for each in board.candidates],
        }
        for kind, board in boards.items()
    ]
    canary = uuid.uuid5(uuid.NAMESPACE_OID, f"{protocol} {judge['id']}")
    yield "judges.yaml", _dumped({"canary": f"nullbench-canary:{canary}", "judges": judges, "panels": panels})


def judge_id(judge: str, prompt: StudiedPrompt) -> str:
    """Return the id of a judge with a prompt."""
    return f"{judge}.{prompt.id}"


def _boards(
    whole: dict[str, Any], board: Any, judge: Mapping[str, Any], domains: Sequence[Any]
) -> list[dict[str, Any]]:
    kept = {key: value for key, value in whole.items() if key not in _DROPPED}
    if board.wordings[0] in whole.get("templates", ()):
        kept["templates"] = [board.wordings[0]]
    boards = []
    for kind, studied in protocol_studies()[board.protocol].boards.items():
        name = f"{PREFIX}{board.id}-{judge['id']}" + (f"-{kind}" if kind else "")
        own: dict[str, Any] = {
            **kept,
            "canary": f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_OID, name)}",
            "id": name,
            "title": f"Judging prompts on {board.title}" + (f", {kind}" if kind else ""),
            "panel": kind or "study",
            "domains": [domain.id for domain in domains],
            "contestants": sorted([RIGHT, WRONG, UNRELATED, *study().attacks]),
            "controls": "none",
            **studied.settings,
        }
        boards.append(own)
    return boards


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
