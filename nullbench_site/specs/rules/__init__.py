"""The rules that a JSON Schema cannot express. Each function checks one rule and yields every violation.

This module has the rules about ids, canaries, titles and file names, and the list of all rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, product
from typing import Any

from nullbench_site.errors import Problem, breaking
from nullbench_site.specs import types
from nullbench_site.specs.item_texts import overlaps_fit
from nullbench_site.specs.label_files import labels_fit
from nullbench_site.specs.lookalikes import odd_letters, skeleton
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.rules.answerers import (
    contestants_can_run,
    endpoints_are_valid,
    endpoints_exist,
    judges_can_run,
    no_variable_is_used,
    panels_can_vote,
    prices_have_a_date,
    unanswered_items_exist,
)
from nullbench_site.specs.rules.boards import (
    boards_can_be_scored,
    claims_go_too_far,
    looks_rise,
    programs_fit_their_boards,
    unused_specs,
    wordings_are_valid,
)
from nullbench_site.specs.rules.items import (
    categories_have_items,
    parts_are_unique,
    private_items_are_hidden,
    private_texts_fit,
    prompts_are_unique,
    public_items_are_complete,
    texts_are_here,
)
from nullbench_site.specs.rules.judging_prompts import judging_prompts_exist
from nullbench_site.specs.rules.lifecycle import judges_succeed, judges_that_change, ledger_is_valid, marks_are_valid
from nullbench_site.specs.rules.questions import (
    boards_have_questions,
    judges_ask_by_one_method,
    prohibitions_exist,
)
from nullbench_site.specs.sources import BackendNames, SpecFile, SpecFiles, Steps, each_item, unique
from nullbench_site.text import listed, quoted


def check_rules(files: SpecFiles, backends: BackendNames | None) -> list[Problem]:
    """Return every violation of the rules in file order.

    backends: None for the specs of an old run, to which newer rules do not apply.
    """
    problems = chain(
        breaking("names", _name_problems(files)),
        breaking("items", chain(categories_have_items(files.domains), public_items_are_complete(files.domains))),
        breaking("items", texts_are_here(files)),
        breaking("protocol", chain.from_iterable(specs_of(name).rules(files) for name in files.protocols)),
        breaking("private", chain(private_items_are_hidden(files), private_texts_fit(files))),
        breaking("judges", chain(judges_can_run(files.judges, backends), panels_can_vote(files.judges))),
        breaking("judges", judges_succeed(files.judges)),
        breaking("judges", judging_prompts_exist(files)),
        breaking("judges", chain(judges_ask_by_one_method(files.judges), prohibitions_exist(files))),
        breaking("contestants", contestants_can_run(files.contestants, backends)),
        breaking("contestants", marks_are_valid(files.contestants, new=backends is not None)),
        breaking("contestants", unanswered_items_exist(files)),
        breaking("endpoints", chain(endpoints_are_valid(files.endpoints), endpoints_exist(files))),
        breaking("endpoints", prices_have_a_date(files, new=backends is not None)),
        breaking("boards", chain(boards_can_be_scored(files), programs_fit_their_boards(files, backends))),
        breaking("boards", chain(wordings_are_valid(files), boards_have_questions(files))),
        breaking("boards", chain(labels_fit(files), looks_rise(files))),
        breaking("ledger", ledger_is_valid(files, new=backends is not None)),
    )
    of_new_specs = chain(
        breaking("items", chain(prompts_are_unique(files), parts_are_unique(files))),
        breaking("endpoints", no_variable_is_used(files)),
        breaking("boards", overlaps_fit(files)),
    )
    return sorted(problems if backends is None else chain(problems, of_new_specs))


def warnings(files: SpecFiles, backends: BackendNames, judges: Collection[str]) -> list[Problem]:
    """Return problems that may come later, in file order. judges: those that the boards of the profile use."""
    lasting = breaking("judges", judges_that_change(files, backends, judges))
    alike = breaking("names", set(look_alikes(files)))  # a judge may be on several boards
    of_boards = breaking("boards", chain(unused_specs(files), claims_go_too_far(files)))
    return sorted(chain(lasting, of_boards, alike))


def _name_problems(files: SpecFiles) -> Iterator[Problem]:
    yield from canaries_are_unique(files.all)
    for protocol in files.protocols:
        listed = [*specs_of(protocol).listed(files)]
        for kind in specs_of(protocol).kinds:
            yield from unique(kind, ((source, [*at, "id"], name) for own, name, source, at in listed if own == kind))
    yield from unique("category", category_ids(files.domains))
    yield from item_ids_are_unique(files.domains)
    yield from files_are_named_by_id([*files.domains, *files.models, *files.boards, *files.overlaps])


def canaries_are_unique(sources: Sequence[SpecFile[types.Spec]]) -> Iterator[Problem]:
    """Check that every file has its own canary."""
    first: dict[str, str] = {}
    for source in sources:
        canary = str(getattr(source.spec, "canary"))  # noqa: B009 - every file type has one, the base type has not
        if canary and canary in first:  # what tables describe has none
            message = f"duplicate canary, already used in {first[canary]}; give every file its own (a new UUID)"
            yield source.document.problem(["canary"], message)
        first.setdefault(canary, source.document.file)


def category_ids(
    domains: Sequence[SpecFile[types.DomainFile]],
) -> Iterator[tuple[SpecFile[types.DomainFile], Steps, str]]:
    """Yield the position of each category id."""
    for source in domains:
        for number, category in enumerate(source.spec.categories):
            yield source, ["categories", number, "id"], category.id


def item_ids_are_unique(domains: Sequence[SpecFile[types.DomainFile]]) -> Iterator[Problem]:
    """Check that each item id is unique in the benchmark."""
    first: dict[str, Callable[[Steps, str], Problem]] = {}
    for _, item, problem in each_item(domains):
        if item.id in first:
            taken = first[item.id](["id"], "")
            place = f"{taken.file}:{taken.line}"
            yield problem(["id"], f"duplicate item id {item.id!r}, already used at {place}")
        first.setdefault(item.id, problem)


def files_are_named_by_id(
    sources: Sequence[
        SpecFile[types.DomainFile] | SpecFile[types.ModelFile] | SpecFile[types.BoardFile] | SpecFile[types.OverlapFile]
    ],
) -> Iterator[Problem]:
    """Check that the file of a domain, model or board has its id as name."""
    for source in sources:
        stem = source.document.file.rsplit("/", 1)[-1].removesuffix(".yaml")
        if source.spec.id != stem and not stem.endswith(".csv"):
            message = f"id {source.spec.id!r} differs from the file name; rename the file to {source.spec.id}.yaml"
            yield source.document.problem(["id"], f"{message} or the id to {stem!r}")


def look_alikes(files: SpecFiles) -> Iterator[Problem]:
    """Yield contestants of the benchmark, and domains of one board, with titles or ids that look alike."""
    contestants = {
        source.spec.id: source for board in files.boards for source in files.of_board(board.spec.contestants)
    }
    groups: list[Sequence[SpecFile[Any]]] = [
        list(contestants.values()),
        *([source for source in files.domains if source.spec.id in board.spec.domains] for board in files.boards),
    ]
    for key, sources in product(("title", "id"), groups):
        first: dict[str, SpecFile[Any]] = {}
        for source in sources:
            name = str(getattr(source.spec, key))
            other = first.setdefault(skeleton(name), source)
            if other is not source:
                like = str(getattr(other.spec, key))
                odd = listed([each for each in (odd_letters(name), odd_letters(like)) if each])
                which = f" ({odd})" if odd else ""
                message = f"the {key} {quoted(name)} looks like {quoted(like)} of {other.document.file}{which}"
                yield source.document.problem([key], f"{message}; readers may mistake one for the other")
