"""The rules that a JSON Schema cannot express. Each function checks one rule and yields every violation."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain

from nullbench_site.errors import Problem, breaking
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.rules.answerers import (
    contestants_can_run,
    endpoints_are_sound,
    endpoints_exist,
    judges_can_run,
    nothing_is_to_be_put_in,
    panels_can_vote,
    prices_have_a_day,
)
from nullbench_site.specs.rules.boards import boards_can_be_scored, left_out, programs_fit_their_boards
from nullbench_site.specs.rules.items import (
    categories_have_items,
    parts_stand_once,
    private_items_are_hidden,
    private_texts_fit,
    prompts_are_asked_once,
    prompts_are_whole,
)
from nullbench_site.specs.rules.lifecycle import judges_succeed, ledger_is_kept, marks_are_sound, not_to_last
from nullbench_site.specs.rules.names import (
    canaries_are_unique,
    category_ids,
    files_are_named_by_id,
    item_ids_are_unique,
    look_alikes,
    unique,
)
from nullbench_site.specs.sources import BackendNames, SpecFiles


def check_rules(files: SpecFiles, backends: BackendNames | None) -> list[Problem]:
    """Return every violation of the rules in file order.

    backends: None for the specs of an old run, which newer rules do not apply to.
    """
    problems = chain(
        breaking("names", _of_names(files)),
        breaking("items", chain(categories_have_items(files.domains), prompts_are_whole(files.domains))),
        breaking("protocol", chain.from_iterable(specs_of(name).rules(files) for name in files.protocols)),
        breaking("private", chain(private_items_are_hidden(files), private_texts_fit(files))),
        breaking("judges", chain(judges_can_run(files.judges, backends), panels_can_vote(files.judges))),
        breaking("judges", judges_succeed(files.judges)),
        breaking("contestants", contestants_can_run(files.models, backends)),
        breaking("contestants", marks_are_sound(files.models, new=backends is not None)),
        breaking("endpoints", chain(endpoints_are_sound(files.endpoints), endpoints_exist(files))),
        breaking("endpoints", prices_have_a_day(files, new=backends is not None)),
        breaking("boards", chain(boards_can_be_scored(files), programs_fit_their_boards(files, backends))),
        breaking("ledger", ledger_is_kept(files, new=backends is not None)),
    )
    of_new_specs = chain(
        breaking("items", chain(prompts_are_asked_once(files), parts_stand_once(files))),
        breaking("endpoints", nothing_is_to_be_put_in(files)),
    )
    return sorted(problems if backends is None else chain(problems, of_new_specs))


def warnings(files: SpecFiles, backends: BackendNames, judges: Collection[str]) -> list[Problem]:
    """Return problems that may come later, in file order. judges: those that the boards of the profile use."""
    lasting = breaking("judges", not_to_last(files, backends, judges))
    alike = breaking("names", set(look_alikes(files)))  # two may be on several boards
    return sorted(chain(lasting, breaking("boards", left_out(files)), alike))


def _of_names(files: SpecFiles) -> Iterator[Problem]:
    yield from canaries_are_unique(files.all)
    for protocol in files.protocols:
        listed = [*specs_of(protocol).listed(files)]
        for kind in specs_of(protocol).kinds:
            yield from unique(kind, ((source, [*at, "id"], name) for own, name, source, at in listed if own == kind))
    yield from unique("category", category_ids(files.domains))
    yield from item_ids_are_unique(files.domains)
    yield from files_are_named_by_id([*files.domains, *files.models, *files.boards])
