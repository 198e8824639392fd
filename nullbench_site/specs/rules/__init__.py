"""The rules a JSON Schema cannot say. Each function checks one thing and yields every violation at its place."""

from __future__ import annotations

from itertools import chain

from nullbench_site.errors import Problem
from nullbench_site.specs.rules.boards import boards_can_be_scored, programs_fit_their_boards
from nullbench_site.specs.rules.domains import (
    axes_are_covered,
    categories_have_items,
    categories_have_whole_goals,
    categories_name_their_axes,
    goals_name_known_axes,
    items_are_sound,
)
from nullbench_site.specs.rules.endpoints import (
    endpoints_are_sound,
    endpoints_exist,
    nothing_is_to_be_put_in,
    prices_have_a_day,
)
from nullbench_site.specs.rules.files import BackendNames, Source, SpecFiles
from nullbench_site.specs.rules.items import (
    bundles_are_whole,
    parts_stand_once,
    prompts_are_asked_once,
    prompts_are_whole,
)
from nullbench_site.specs.rules.names import (
    RESERVED,
    axis_ids_are_unique,
    canaries_are_unique,
    category_ids,
    files_are_named_by_id,
    item_ids_are_unique,
    unique,
)
from nullbench_site.specs.rules.panels import contestants_can_run, judges_can_run, panels_can_vote
from nullbench_site.specs.rules.private import private_items_are_hidden, private_texts_fit

__all__ = ["RESERVED", "BackendNames", "Source", "SpecFiles", "check_rules"]


def check_rules(files: SpecFiles, backends: BackendNames | None) -> list[Problem]:
    """Every violation of the semantic rules, in file order.

    backends: None for the specs of an old run, in which what would only be refused of new ones may stand.
    """
    goals, domains = files.goals, files.axes_domains
    baseline = [] if files.axes is None else [axis.id for axis in files.axes.spec.baseline]
    axis_ids = baseline + ([] if files.axes is None else [axis.id for axis in files.axes.spec.special])
    goals_by_id = {goal.id: goal for source in goals for goal in source.spec.goals}
    found = chain(
        canaries_are_unique(files.all),
        axis_ids_are_unique(files.axes),
        unique("goal", ((s, ["goals", i, "id"], g.id) for s in goals for i, g in enumerate(s.spec.goals))),
        unique("category", category_ids(files.domains)),
        item_ids_are_unique(files.domains),
        files_are_named_by_id([*files.domains, *files.models, *files.boards]),
        goals_name_known_axes(goals, axis_ids),
        categories_name_their_axes(domains, axis_ids, baseline),
        categories_have_whole_goals(domains, goals_by_id, axis_ids),
        categories_have_items(files.domains),
        axes_are_covered(domains, axis_ids),
        items_are_sound(domains),
        prompts_are_whole(files.domains),
        bundles_are_whole(files.domains),
        private_items_are_hidden(files),
        private_texts_fit(files),
        judges_can_run(files.judges, backends),
        panels_can_vote(files.judges),
        contestants_can_run(files.models, backends),
        endpoints_are_sound(files.endpoints),
        endpoints_exist(files),
        prices_have_a_day(files, new=backends is not None),
        boards_can_be_scored(files),
        programs_fit_their_boards(files, backends),
    )
    of_new_specs = chain(prompts_are_asked_once(files), parts_stand_once(files), nothing_is_to_be_put_in(files))
    return sorted(found if backends is None else chain(found, of_new_specs))
