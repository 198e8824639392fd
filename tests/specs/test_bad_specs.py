"""What is wrong in a spec is said once, at its place, in words that help. One entry of a table a mistake."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.benchmarks import BACKENDS, edit, write_small_benchmark
from support.benchmarks import OWN as SMALL
from support.mistakes import Case, bad, bad_in_several

from nullbench_site.errors import SpecError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.extensions import registered
from nullbench_site.specs.load import load_benchmark

BOARD, BENCHMARK, AXES, JUDGES = "boards/small.yaml", "benchmark.yaml", "axes.yaml", "judges.yaml"
GARDENS, RIVERS = "domains/gardens.yaml", "domains/rivers.yaml"
GARDEN_GOALS, RIVER_GOALS = "goals/gardens.yaml", "goals/rivers.yaml"
LEAD, TEMPLATE = "models/lead-2.yaml", "templates/zero-context.txt"

AXES_OF_GARDENS = "[truthfulness, neutrality, reasoning, clarity, causal-restraint]"
RIVERS_TEXT = (SMALL / RIVERS).read_text("utf-8")
RIVERS_CATEGORIES = RIVERS_TEXT[RIVERS_TEXT.index("categories:") :]
FISH = RIVERS_TEXT[RIVERS_TEXT.index("    items:\n      - id: fish-01") :]
GROWING_AGAIN = (
    "title: Again, alignment_target: {truthfulness: 5, neutrality: 5, reasoning: 5, clarity: 5, causal-restraint: "
    "5}, rules: [{dimension: scope, rule: Again.}]"
)
API_KEY = (
    "this looks like an API key; specs are public. Put it in an environment variable and name the variable, and "
    "revoke the key if the file was ever pushed"
)
ID = "Lower-case letters, digits, dots, underscores and hyphens; starts with a letter or digit"
NAME = "One line, without spaces at its ends and without ' #'"
UNSEEN = "the text is invisible; write one, or remove the key if it is optional"
CUT = "the text ends at ' #', where a comment begins; quote the text, or put the comment on a line of its own"
NO_VALUE = "no value (empty, ~ or a bare null; quote it if it is text)"


AGAINST_THE_SCHEMA = [
    bad(
        "an unknown key stands at the key, with the nearest known one",
        BOARD,
        "samples: 1",
        "▸smaples: 1",
        "unknown key 'smaples'; did you mean 'samples'? known: aggregation, bootstrap, canary, construct, "
        "contestants, controls, declared, decoding, description, domains, id, invalid_limit, panel, profiles, "
        "protocol, question, samples, template, title",
    ),
    bad(
        "an unknown key that is like no other",
        GARDENS,
        "{max_sentences: 2, max_words: 60}",
        "{max_sentences: 2, ▸zz: 60}",
        "unknown key 'zz'; known: bullets, forbid, format, max_sentences, max_words, min_sentences, min_words",
    ),
    bad_in_several(
        "a missing key stands at the mapping that lacks it",
        [(BOARD, "panel: rules\n", ""), (BOARD, 'canary: "', '▸canary: "')],
        "missing key 'panel'",
    ),
    bad_in_several(
        "several missing keys are each named once",
        [(BOARD, "panel: rules\ncontrols: none\ntemplate: zero-context\n", ""), (BOARD, 'canary: "', '▸▸canary: "')],
        "missing key 'panel'",
        "missing key 'template'",
    ),
    bad_in_several(
        "a missing key comes with what it is for",
        [(RIVERS, "        probes: [neutrality, reasoning]\n", ""), (RIVERS, "id: fish-02", "▸id: fish-02")],
        "missing key 'probes' (The axes of the category that this item tests hard)",
    ),
    bad("text for a number", BOARD, "samples: 1", "samples: ▸one", "found the text 'one'; expected a whole number"),
    bad("a quoted number", BOARD, "samples: 1", 'samples: ▸"1"', "found the text '1'; expected a whole number"),
    bad("true for a number", BOARD, "samples: 1", "samples: ▸true", "found the boolean true; expected a whole number"),
    bad(
        "a fraction for a whole number",
        BOARD,
        "samples: 1",
        "samples: ▸1.5",
        "found the number 1.5; expected a whole number",
    ),
    bad(
        "a whole number with a point",
        GARDEN_GOALS,
        "neutrality: 4",
        "neutrality: ▸4.0",
        "found the number 4.0; expected a whole number",
    ),
    bad(
        "a number for text",
        GARDENS,
        "title: Gardens",
        "title: ▸2031",
        "found the number 2031; expected text; put it in quotes",
    ),
    bad(
        "a boolean for text",
        GARDENS,
        "title: Gardens",
        "title: ▸true",
        "found the boolean true; expected text; put it in quotes",
    ),
    bad("no value for text", GARDENS, "title: Gardens", "title:▸", f"found {NO_VALUE}; expected text"),
    bad("a list for text", GARDENS, "title: Gardens", "title: ▸[Gardens]", "found a list; expected text"),
    bad(
        "a mapping for a list",
        BOARD,
        "[gardens, rivers]",
        "▸{gardens: 1}",
        "found a mapping of keys; expected a list",
    ),
    bad(
        "text for a list",
        BOARD,
        "domains: [gardens, rivers]",
        "domains: ▸gardens",
        "found the text 'gardens'; expected a list",
    ),
    bad(
        "text for a mapping that may be left away",
        GARDENS,
        "constraints: {max_sentences: 2, max_words: 60}",
        "constraints: ▸short",
        "found the text 'short'; expected a mapping of keys",
    ),
    bad(
        "a list for a mapping",
        BOARD,
        "{temperature: 0}",
        "▸[temperature]",
        "found a list; expected a mapping of keys",
    ),
    bad(
        "true or false is not yes or no",
        JUDGES,
        "title: Rule-based panel",
        "title: Rule-based panel\n    same_family: ▸no",
        "found the text 'no'; expected true or false",
    ),
    bad("text for a fraction", BOARD, "temperature: 0", "temperature: ▸low", "found the text 'low'; expected a number"),
    bad(
        "a word that is none of the known ones, but near one",
        BOARD,
        "protocol: axes",
        "protocol: ▸axis",
        f"found the text 'axis'; did you mean 'axes'? known: {', '.join(sorted(registered('protocols')))}",
    ),
    bad(
        "a word that is like none of the known ones",
        GARDENS,
        "difficulty: easy",
        "difficulty: ▸7",
        "found the number 7; known: easy, hard, medium",
    ),
    bad(
        "a bare null where the word was meant",
        "models/null-empty.yaml",
        'kind: "null"',
        "kind: ▸null",
        f"found {NO_VALUE}; known: baseline, model, null",
    ),
    bad(
        "an unknown dimension",
        GARDEN_GOALS,
        "dimension: framing",
        "dimension: ▸frame",
        "found the text 'frame'; did you mean 'framing'? known: causality, framing, hedging, salience, scope",
    ),
    bad(
        "an unknown aspect",
        AXES,
        "aspects: [facts, numbers, names]",
        "aspects: [facts, ▸number, names]",
        "found the text 'number'; did you mean 'numbers'? known: causality, concision, facts, framing, hedging, "
        "names, numbers, readability, salience, scope, task",
    ),
    bad(
        "a version of two parts",
        BENCHMARK,
        '"0.1.0"',
        '▸"0.1"',
        "'0.1' has the wrong form. A semantic version such as '1.0.0', in quotes",
    ),
    bad(
        "a version that lost its quotes and with them its last zero",
        BENCHMARK,
        '"0.1.0"',
        "▸1.10",
        "found the number 1.1; expected text; put it in quotes",
    ),
    bad(
        "a canary that is no canary",
        BENCHMARK,
        '"nullbench-canary:5a000000-0000-4000-8000-000000000001"',
        '▸"tweet"',
        "'tweet' has the wrong form. A unique string, so that training on this file can be detected later: "
        "'nullbench-canary:' and a new UUID, different in every file",
    ),
    bad(
        "an address that is none",
        BENCHMARK,
        "https://example.org/small",
        "▸javascript:alert(1)",
        "'javascript:alert(1)' has the wrong form. It begins with https:// or http:// and has no spaces",
    ),
    bad(
        "a date of release that is none",
        LEAD,
        "kind: baseline",
        "kind: baseline\nreleased: ▸November",
        "'November' has the wrong form. A year, month or day, such as '2026-11', in quotes",
    ),
    bad(
        "a year without quotes",
        LEAD,
        "kind: baseline",
        "kind: baseline\nreleased: ▸2026",
        "found the number 2026; expected text; put it in quotes",
    ),
    bad(
        "an id that leaves the folder",
        GARDENS,
        "id: gardens",
        "id: ▸../x",
        f"'../x' has the wrong form. {ID}",
    ),
    bad(
        "an item id that leaves the folder",
        RIVERS,
        "id: fish-01",
        "id: ▸../x",
        f"'../x' has the wrong form. {ID}",
    ),
    bad(
        "a model id that leaves the folder",
        LEAD,
        "id: lead-2",
        "id: ▸/etc/passwd",
        f"'/etc/passwd' has the wrong form. {ID}",
    ),
    bad("an id in upper case", RIVERS, "id: fish-01", "id: ▸Fish-01", f"'Fish-01' has the wrong form. {ID}"),
    bad(
        "an id with a space",
        JUDGES,
        "id: support",
        "id: ▸the support",
        f"'the support' has the wrong form. {ID}",
    ),
    bad("an empty id", JUDGES, "id: support", 'id: ▸""', f"'' has the wrong form. {ID}"),
    bad("a hidden id", JUDGES, "id: support", "id: ▸.support", f"'.support' has the wrong form. {ID}"),
    bad(
        "an id with a line end",
        RIVERS,
        "id: fish-01",
        'id: ▸"fish-01\\n"',
        f"'fish-01\\n' has the wrong form. {ID}",
    ),
    bad(
        "an id with other digits",
        RIVERS,
        "id: fish-01",
        "id: ▸fish-٠١",
        f"'fish-٠١' has the wrong form. {ID}",
    ),
    bad(
        "an id that is too long",
        RIVERS,
        "id: fish-01",
        f"id: ▸{'f' * 81}",
        "the text has 81 characters; at most 80 are allowed",
    ),
    bad(
        "an items file that leaves the folder",
        RIVERS,
        "    goal: fish",
        "    goal: fish\n    items_file: ▸../fish.jsonl",
        "'../fish.jsonl' has the wrong form. A .jsonl file in the same folder with one item per line, added after the "
        "items given here",
    ),
    bad(
        "an empty text",
        GARDENS,
        "title: Gardens",
        'title: ▸""',
        "the text is empty; write one, or remove the key if it is optional",
    ),
    bad("a title of spaces", GARDENS, "title: Gardens", 'title: ▸"  "', UNSEEN),
    bad("a title of what nobody sees", GARDENS, "title: Gardens", 'title: ▸"\\u200b\\u00a0\\u2060\\ufeff"', UNSEEN),
    bad("a title of a joiner as it stands", GARDENS, "title: Gardens", "title: ▸\u200d", UNSEEN),
    bad("a task of spaces", RIVERS, "task: Say in one sentence what the camera shows.", 'task: ▸" \\t "', UNSEEN),
    bad("a model of spaces", LEAD, "model: lead", 'model: ▸"  "', f"'  ' has the wrong form. {NAME}"),
    bad(
        "a title of two lines",
        GARDENS,
        "title: Gardens",
        'title: ▸"Gardens\\nand beds"',
        "'Gardens\\nand beds' has the wrong form. One line",
    ),
    bad(
        "a title of a block that ends in a line break",
        GARDENS,
        "title: Gardens",
        "title: ▸|\n  Gardens",
        "'Gardens\\n' has the wrong form. One line",
    ),
    bad(
        "a model with a line break",
        LEAD,
        "model: lead",
        'model: ▸"lead\\n"',
        f"'lead\\n' has the wrong form. {NAME}",
    ),
    bad(
        "a model with a space at its end",
        LEAD,
        "model: lead",
        'model: ▸"lead "',
        f"'lead ' has the wrong form. {NAME}",
    ),
    bad(
        "a zero character that an escape stands for",
        RIVERS,
        "task: Say in one sentence what the camera shows.",
        'task: ▸"Say it.\\0"',
        "control character U+0000; remove it",
    ),
    bad(
        "a control character in a key",
        LEAD,
        "{k: 2}",
        '{▸"k\\e": 2}',
        "control character U+001B; remove it",
    ),
    # Texts that YAML makes something else of
    bad(
        "a task that ends at a #",
        RIVERS,
        "task: Say in one sentence what the camera shows.",
        "task: ▸Rewrite this C # code in one sentence.",
        CUT,
    ),
    bad("a title that ends at a #", GARDENS, "title: Gardens", "title: ▸Garden #1", CUT),
    bad(
        "a task of several lines that ends at a #",
        RIVERS,
        "task: Say in one sentence what the camera shows.",
        "task: ▸Say in one sentence\n          what the camera shows. # no more",
        CUT,
    ),
    bad("an anchor that ends at a #", AXES, "- Readable, but padded,", "- ▸Readable # and so on: padded,", CUT),
    bad(
        "a rule in braces that ends at a #",
        GARDEN_GOALS,
        "rule: Praises no method.}",
        "rule: ▸Praises no # method.\n      }",
        CUT,
    ),
    bad("a key of a fact that ends at a #", RIVERS, "keys: [murky|missed]", "keys: [▸murky #|missed\n          ]", CUT),
    bad("a param of text that ends at a #", LEAD, "{k: 2}", "\n  k: 2\n  note: ▸some # text", CUT),
    bad(
        "a text with a colon in a list",
        AXES,
        "- Several statements are unsupported, or a key figure is wrong.",
        "- ▸Several: statements are unsupported.",
        "found a mapping of keys; expected text; a text with ': ' in it needs quotes",
    ),
    bad(
        "a line that is too long",
        GARDENS,
        "title: Gardens",
        f"title: ▸{'g' * 501}",
        "the text has 501 characters; at most 500 are allowed",
    ),
    bad(
        "a source that is too long",
        BENCHMARK,
        "A benchmark of six short texts, for tests.",
        f"▸{'g' * 20_001}",
        "the text has 20001 characters; at most 20000 are allowed",
    ),
    bad(
        "a category with seven axes",
        GARDENS,
        AXES_OF_GARDENS,
        "▸[truthfulness, neutrality, reasoning, clarity, causal-restraint, tone-fidelity, compression]",
        "the list has 7 entries; expected at most 6. The four baseline axes in their order, and at most two special "
        "ones",
    ),
    bad(
        "a category with three axes",
        GARDENS,
        AXES_OF_GARDENS,
        "▸[truthfulness, neutrality, reasoning]",
        "the list has 3 entries; expected at least 4. The four baseline axes in their order, and at most two special "
        "ones",
    ),
    bad(
        "four anchors",
        AXES,
        "      - Most statements are unsupported or contradict the source.\n      - Several",
        "      ▸- Several",
        "the list has 4 entries; expected at least 5. What 1, 2, 3, 4 and 5 mean, in that order",
    ),
    bad_in_several(
        "three baseline axes",
        [
            (AXES, "baseline:\n  - id", "baseline:\n  ▸- id"),
            (AXES, "  - id: clarity", "special:\n  - id: clarity"),
            (AXES, "special:\n  - id: partisan-neutrality", "  - id: partisan-neutrality"),
        ],
        "the list has 3 entries; expected at least 4",
    ),
    bad(
        "a domain without categories",
        RIVERS,
        RIVERS_CATEGORIES,
        "categories: ▸[]",
        "the list has 0 entries; expected at least 1",
    ),
    bad("a board without domains", BOARD, "[gardens, rivers]", "▸[]", "the list has 0 entries; expected at least 1"),
    bad(
        "a board without contestants",
        BOARD,
        "[lead-2, textrank-2, null-constant, null-empty]",
        "▸[]",
        "the list has 0 entries; expected at least 1",
    ),
    bad(
        "a panel without judges",
        JUDGES,
        "[support, restraint, form]",
        "▸[]",
        "the list has 0 entries; expected at least 1",
    ),
    bad(
        "an axis that looks at nothing",
        AXES,
        "[facts, numbers, names]",
        "▸[]",
        "the list has 0 entries; expected at least 1",
    ),
    bad(
        "an item that probes nothing",
        RIVERS,
        "probes: [truthfulness, clarity]",
        "probes: ▸[]",
        "the list has 0 entries; expected at least 1. The axes of the category that this item tests hard",
    ),
    bad("a fact without keys", RIVERS, 'keys: ["63"]', "keys: ▸[]", "the list has 0 entries; expected at least 1"),
    bad(
        "a fact with six keys",
        RIVERS,
        'keys: ["63"]',
        "keys: ▸[a, b, c, d, e, f]",
        "the list has 6 entries; expected at most 5",
    ),
    bad("no samples", BOARD, "samples: 1", "samples: ▸0", "found 0; expected at least 1"),
    bad("too many samples", BOARD, "samples: 1", "samples: ▸101", "found 101; expected at most 100"),
    bad("a temperature below zero", BOARD, "temperature: 0", "temperature: ▸-0.1", "found -0.1; expected at least 0"),
    bad("a temperature above two", BOARD, "temperature: 0", "temperature: ▸2.5", "found 2.5; expected at most 2"),
    bad("too few resamples", BOARD, "resamples: 200", "resamples: ▸99", "found 99; expected at least 100"),
    bad("a negative seed", BOARD, "seed: 1", "seed: ▸-1", "found -1; expected at least 0"),
    bad("a target of six", GARDEN_GOALS, "truthfulness: 5", "truthfulness: ▸6", "found 6; expected at most 5"),
    bad("a target of zero", GARDEN_GOALS, "truthfulness: 5", "truthfulness: ▸0", "found 0; expected at least 1"),
    bad("a rule that weighs nothing", GARDEN_GOALS, "weight: 3", "weight: ▸0", "found 0; expected at least 1"),
    bad("a rule that weighs too much", GARDEN_GOALS, "weight: 3", "weight: ▸4", "found 4; expected at most 3"),
    bad(
        "a model of no size",
        LEAD,
        "kind: baseline",
        "kind: baseline\nmemory_gb: ▸0",
        "found 0; expected more than 0",
    ),
    bad(
        "contestants in one word that is not all",
        BOARD,
        "[lead-2, textrank-2, null-constant, null-empty]",
        "▸everyone",
        "found the text 'everyone'; expected a list or 'all'",
    ),
    bad(
        "no contestants at all",
        BOARD,
        "contestants: [lead-2, textrank-2, null-constant, null-empty]",
        "contestants:▸",
        f"found {NO_VALUE}; expected a list or 'all'",
    ),
    bad(
        "a number among contestants",
        BOARD,
        "[lead-2, textrank-2, null-constant, null-empty]",
        "[lead-2, ▸2]",
        "found the number 2; expected text; put it in quotes",
    ),
    bad(
        "a path among contestants",
        BOARD,
        "[lead-2, textrank-2, null-constant, null-empty]",
        "[lead-2, ▸../x]",
        f"'../x' has the wrong form. {ID}",
    ),
    bad(
        "an optional number that is text",
        BOARD,
        "{temperature: 0}",
        "{max_tokens: ▸many}",
        "found the text 'many'; expected a whole number",
    ),
    bad(
        "an optional number out of bounds",
        BOARD,
        "{temperature: 0}",
        "{max_tokens: ▸0}",
        "found 0; expected at least 1",
    ),
    bad(
        "a param that is a list",
        LEAD,
        "{k: 2}",
        "{k: ▸[2]}",
        "found a list; expected true or false or a whole number or a number or text",
    ),
    bad(
        "a param that is a book",
        LEAD,
        "{k: 2}",
        f"{{k: ▸{'k' * 501}}}",
        "the text has 501 characters; at most 500 are allowed",
    ),
    bad("a param with a bad name", LEAD, "{k: 2}", "{▸K: 2}", f"'K' has the wrong form. {ID}"),
    bad(
        "a target for an axis with a bad name",
        GARDEN_GOALS,
        "causal-restraint: 5",
        "▸../x: 5",
        f"'../x' has the wrong form. {ID}",
    ),
    bad(
        "a weight for an unknown construct",
        BOARD,
        "{groups: domain}",
        "{construct_weights: {▸safety: 1}}",
        "found the text 'safety'; known: alignment, capability, deployment",
    ),
    bad(
        "a weight of zero",
        BOARD,
        "{groups: domain}",
        "{construct_weights: {alignment: ▸0}}",
        "found 0; expected more than 0",
    ),
    bad(
        "a weight that is text",
        BOARD,
        "{groups: domain}",
        "{construct_weights: {alignment: ▸all}}",
        "found the text 'all'; expected a number",
    ),
]

AGAINST_THE_RULES = [
    # Names that must exist
    bad(
        "an unknown axis of a category",
        GARDENS,
        AXES_OF_GARDENS,
        "[truthfulness, neutrality, reasoning, clarity, ▸casual-restraint]",
        "unknown axis 'casual-restraint'; did you mean 'causal-restraint'? known: causal-restraint, "
        "claim-attribution, clarity, compression, data-boundaries, decentralization-ethos, hype-resistance, "
        "inference-restraint, neutrality, numerical-fidelity, obligation-precision, partisan-neutrality and 9 more",
    ),
    bad(
        "a target for an unknown axis",
        GARDEN_GOALS,
        "causal-restraint: 5",
        "causal-restraint: 5, ▸clairty: 4",
        "goal 'growing' has a target for unknown axis 'clairty'; did you mean 'clarity'? known: causal-restraint, "
        "claim-attribution, clarity, compression, data-boundaries, decentralization-ethos, hype-resistance, "
        "inference-restraint, neutrality, numerical-fidelity, obligation-precision, partisan-neutrality and 9 more",
    ),
    bad(
        "an unknown goal of a category",
        GARDENS,
        "goal: growing",
        "goal: ▸groving",
        "unknown goal 'groving'; did you mean 'growing'? known: fish, growing, levels",
    ),
    bad(
        "an unknown goal of an item",
        RIVERS,
        "id: fish-02",
        "id: fish-02\n        goal: ▸salmon",
        "unknown goal 'salmon'; known: fish, growing, levels",
    ),
    bad(
        "an unknown judge of a panel",
        JUDGES,
        "[support, restraint, form]",
        "[support, restraint, ▸from]",
        "unknown judge 'from'; did you mean 'form'? known: form, restraint, support",
    ),
    bad(
        "an unknown panel",
        BOARD,
        "panel: rules",
        "panel: ▸rule",
        "unknown panel 'rule'; did you mean 'rules'? known: rules",
    ),
    bad(
        "an unknown template",
        BOARD,
        "template: zero-context",
        "template: ▸zero",
        "unknown template 'zero'; known: zero-context",
    ),
    bad(
        "an unknown domain",
        BOARD,
        "[gardens, rivers]",
        "[gardens, ▸river]",
        "unknown domain 'river'; did you mean 'rivers'? known: gardens, rivers",
    ),
    bad(
        "an unknown model",
        BOARD,
        "[lead-2, textrank-2, null-constant, null-empty]",
        "[▸lead-3, null-empty]",
        "unknown model 'lead-3'; did you mean 'lead-2'? known: lead-2, null-constant, null-empty, textrank-2",
    ),
    bad(
        "two contestants of one title, case and spaces aside",
        "models/textrank-2.yaml",
        'title: "TextRank-2"',
        'title: ▸" LEAD-2"',
        "duplicate title ' LEAD-2', already used in specs/models/lead-2.yaml; choose another",
    ),
    bad(
        "an unknown backend of a model",
        LEAD,
        "backend: offline",
        "backend: ▸ofline",
        "unknown backend 'ofline'; did you mean 'offline'? known: offline, openai",
    ),
    bad(
        "an unknown program of a backend",
        LEAD,
        "model: lead",
        "model: ▸leed",
        "backend 'offline' has no model 'leed'; did you mean 'lead'? known: lead, null-constant, null-empty, textrank",
    ),
    bad(
        "an unknown backend of a judge",
        JUDGES,
        "backend: offline\n    model: support",
        "backend: ▸online\n    model: support",
        "unknown backend 'online'; did you mean 'offline'? known: offline, openai",
    ),
    bad(
        "an unknown program of a judge",
        JUDGES,
        "model: support",
        "model: ▸supports",
        "backend 'offline' has no model 'supports'; did you mean 'support'? known: form, restraint, support",
    ),
    bad(
        "a contestant's program is no judge's",
        JUDGES,
        "model: support",
        "model: ▸lead",
        "backend 'offline' has no model 'lead'; known: form, restraint, support",
    ),
    bad(
        "an items file that is not there",
        RIVERS,
        "    goal: fish",
        "    goal: fish\n    items_file: ▸fish.jsonl",
        "no file 'fish.jsonl' in specs/domains/",
    ),
    # Ids that must be unique
    bad(
        "an axis id that is a baseline axis's",
        AXES,
        "id: compression",
        "id: ▸clarity",
        "duplicate axis id 'clarity', already used at specs/axes.yaml:39",
    ),
    bad(
        "an axis with the name of another score",
        AXES,
        "id: compression",
        "id: ▸quality",
        "'quality' is the name of another score; rename the axis",
    ),
    bad(
        "an axis with the name of a column",
        AXES,
        "id: compression",
        "id: ▸rank_low",
        "'rank_low' is the name of another score; rename the axis",
    ),
    bad(
        "a goal id of another file",
        RIVER_GOALS,
        "goals:\n",
        f"goals:\n  - {{id: ▸growing, {GROWING_AGAIN}}}\n",
        "duplicate goal id 'growing', already used at specs/goals/gardens.yaml:4",
    ),
    bad(
        "a category id of another file",
        RIVERS,
        "id: fish\n",
        "id: ▸growing\n",
        "duplicate category id 'growing', already used at specs/domains/gardens.yaml:7",
    ),
    bad(
        "an item id of another file",
        RIVERS,
        "id: fish-02",
        "id: ▸growing-01",
        "duplicate item id 'growing-01', already used at specs/domains/gardens.yaml:13",
    ),
    bad(
        "a judge id",
        JUDGES,
        "panels:\n",
        "  - {id: ▸support, title: S, description: S, backend: offline, model: form, family: rules}\npanels:\n",
        "duplicate judge id 'support', already used at specs/judges.yaml:4",
    ),
    bad(
        "a panel id",
        JUDGES,
        "panels:\n  - id: rules",
        "panels:\n  - {id: rules, title: First, judges: [form]}\n  - id: ▸rules",
        "duplicate panel id 'rules', already used at specs/judges.yaml:23",
    ),
    bad_in_several(
        "a domain id that is another's",
        [(RIVERS, "id: rivers", "id: ▸gardens"), (BOARD, "[gardens, rivers]", "[gardens]")],
        "id 'gardens' differs from the file name; rename the file to gardens.yaml or the id to 'rivers'",
    ),
    bad_in_several(
        "a model id that differs from the file's name",
        [(LEAD, "id: lead-2", "id: ▸lead-4"), (BOARD, "[lead-2, textrank-2, null-constant, null-empty]", "all")],
        "id 'lead-4' differs from the file name; rename the file to lead-4.yaml or the id to 'lead-2'",
    ),
    bad(
        "a board id that differs from the file's name",
        BOARD,
        "id: small",
        "id: ▸large",
        "id 'large' differs from the file name; rename the file to large.yaml or the id to 'small'",
    ),
    bad_in_several(
        "two files with one canary",
        [
            (RIVERS, "5a000000-0000-4000-8000-000000000006", "5a000000-0000-4000-8000-000000000003"),
            (RIVERS, 'canary: "', 'canary: ▸"'),
        ],
        "duplicate canary, already used in specs/goals/gardens.yaml; give every file its own (a new UUID)",
    ),
    # Categories, goals and coverage
    bad(
        "baseline axes in another order",
        GARDENS,
        AXES_OF_GARDENS,
        "▸[neutrality, truthfulness, reasoning, clarity, causal-restraint]",
        "axes must begin with the baseline axes, in this order: truthfulness, neutrality, reasoning, clarity; found "
        "neutrality, truthfulness, reasoning, clarity",
    ),
    bad(
        "an axis twice",
        GARDENS,
        AXES_OF_GARDENS,
        "[truthfulness, neutrality, reasoning, clarity, causal-restraint, ▸clarity]",
        "axis 'clarity' is listed twice; remove one",
    ),
    bad_in_several(
        "a goal without a target for an axis",
        [(RIVER_GOALS, ", numerical-fidelity: 5", ""), (RIVERS, "goal: levels", "goal: ▸levels")],
        "goal 'levels' has no alignment_target for axis 'numerical-fidelity' of category 'levels'; add one",
    ),
    bad(
        "an item's own goal without a target for an axis",
        GARDENS,
        "id: growing-02",
        "id: growing-02\n        goal: ▸fish",
        "goal 'fish' has no alignment_target for axis 'causal-restraint' of category 'growing'; add one",
    ),
    bad_in_several(
        "a category without items",
        [(RIVERS, FISH, ""), (RIVERS, "- id: fish", "- ▸id: fish")],
        "category 'fish' has no items; add items, or an items_file",
    ),
    bad_in_several(
        "an axis that no item probes",
        [
            (GARDENS, "[truthfulness, causal-restraint]", "[truthfulness]"),
            (GARDENS, "clarity, causal-restraint]", "clarity, ▸causal-restraint]"),
        ],
        "no item of category 'growing' probes axis 'causal-restraint'; add one",
    ),
    bad(
        "an item that probes an axis its category has not",
        RIVERS,
        "[truthfulness, clarity]",
        "[truthfulness, clarity, ▸causal-restraint]",
        "'causal-restraint' is not an axis of category 'fish'; known: clarity, neutrality, reasoning, truthfulness",
    ),
    # Items
    bad(
        "a key that the source does not contain",
        RIVERS,
        'keys: ["63"]',
        'keys: [▸"64"]',
        "the source does not contain '64'; copy keys from the source",
    ),
    bad(
        "a key none of whose alternatives the source contains",
        RIVERS,
        "keys: [murky|missed]",
        "keys: [▸cloudy|unseen]",
        "the source does not contain 'cloudy|unseen'; copy keys from the source",
    ),
    bad(
        "a fact that stands twice",
        RIVERS,
        """          - {kind: positive, text: It recorded 310 salmon., keys: ["310"]}
""",
        """          - {kind: positive, text: It recorded 310 salmon., keys: ["310"]}
          - ▸{kind: positive, text: It recorded 310 salmon., keys: ["310"]}
""",
        "duplicate fact; change or remove it",
    ),
    bad(
        "a rule that stands twice, with other weights",
        GARDEN_GOALS,
        "      - {dimension: framing, rule: Praises no method.}",
        "      - {dimension: framing, rule: Praises no method.}\n      - ▸{rule: Praises no method., weight: 2, "
        "dimension: framing}",
        "duplicate rule; change or remove it",
    ),
    bad(
        "a key with an empty alternative",
        RIVERS,
        "keys: [murky|missed]",
        'keys: [▸"cloudy|"]',
        "key 'cloudy|' has an empty alternative; remove a '|', or fill it in",
    ),
    bad(
        "a key that is empty",
        RIVERS,
        "keys: [murky|missed]",
        'keys: [murky, ▸"|"]',
        "key '|' has an empty alternative; remove a '|', or fill it in",
    ),
    bad(
        "a task that gives a fact away",
        RIVERS,
        "task: Say in one sentence what the camera shows.",
        "task: ▸Say in one sentence that 310 fish passed.",
        "the task reveals fact 'It recorded 310 salmon.'; rephrase it without the fact's keys",
    ),
    bad(
        "a task that gives a fact away in another case and over a line end",
        RIVERS,
        "task: Say in one sentence what the camera shows.",
        "task: ▸|\n          May to\n          july?",
        "the task reveals fact 'The camera recorded from May to July.'; rephrase it without the fact's keys",
    ),
    bad(
        "more words asked for than allowed",
        RIVERS,
        "{format: bullets, bullets: 2, min_words: 10,",
        "▸{format: bullets, bullets: 2, min_words: 51,",
        "min_words 51 is greater than max_words 50",
    ),
    bad(
        "more sentences asked for than allowed",
        GARDENS,
        "{max_sentences: 2, max_words: 60}",
        "▸{min_sentences: 3, max_sentences: 2}",
        "min_sentences 3 is greater than max_sentences 2",
    ),
    bad(
        "bullets without a format of bullets",
        GARDENS,
        "{max_sentences: 2, max_words: 60}",
        "{bullets: ▸2}",
        "`bullets` needs `format: bullets`; add it, or remove `bullets`",
    ),
    # Panels
    bad(
        "a judge listed twice",
        JUDGES,
        "[support, restraint, form]",
        "[support, restraint, ▸support]",
        "judge 'support' is listed twice; remove one",
    ),
    bad(
        "a sample larger than the panel",
        JUDGES,
        "{sample: 2, votes: 2}",
        "{sample: ▸4, votes: 3}",
        "sample 4 is larger than the panel of 3 judges",
    ),
    bad(
        "votes that no sample can reach",
        JUDGES,
        "{sample: 2, votes: 2}",
        "{sample: 2, votes: ▸3}",
        "3 votes can never be reached: only 2 judges are asked about a refusal; lower votes to 2 at most, or raise "
        "sample to 3",
    ),
    bad(
        "votes that the whole panel cannot reach",
        JUDGES,
        "{sample: 2, votes: 2}",
        "{votes: ▸4}",
        "4 votes can never be reached: only 3 judges are asked about a refusal; lower votes to 3 at most",
    ),
    bad(
        "votes below two thirds",
        JUDGES,
        "{sample: 2, votes: 2}",
        "{sample: 3, votes: ▸1}",
        "1 votes are less than two thirds of the panel of 3; at least 2 are needed",
    ),
    # Boards
    bad(
        "a domain listed twice",
        BOARD,
        "[gardens, rivers]",
        "[gardens, rivers, ▸gardens]",
        "domain 'gardens' is listed twice; remove one",
    ),
    bad(
        "a contestant listed twice",
        BOARD,
        "[lead-2, textrank-2, null-constant, null-empty]",
        "[lead-2, null-empty, ▸lead-2]",
        "model 'lead-2' is listed twice; remove one",
    ),
    bad_in_several(
        "a contestant whose family is that of all judges",
        [(BOARD, "panel: rules", "panel: ▸rules"), (LEAD, "family: extractive", "family: rules")],
        "no judge of panel 'rules' may score 'lead-2': all are of family 'rules'; add a judge of another family",
    ),
    bad_in_several(
        "constructs averaged without weights",
        [(BOARD, "domains: [", "domains: ▸["), (RIVERS, "title: Rivers", "title: Rivers\nconstruct: capability")],
        "this alignment board would average over several constructs (alignment, capability); remove the other domains, "
        "or set aggregation.construct_weights",
    ),
    bad_in_several(
        "weights that lack a construct",
        [
            (BOARD, "{groups: domain}", "{construct_weights: ▸{alignment: 1}}"),
            (RIVERS, "title: Rivers", "title: Rivers\nconstruct: capability"),
        ],
        "the weights are for alignment; the domains measure alignment, capability",
    ),
    bad(
        "weights for a construct that no domain measures",
        BOARD,
        "{groups: domain}",
        "{construct_weights: ▸{alignment: 0.5, capability: 0.5}}",
        "the weights are for alignment, capability; the domains measure alignment",
    ),
    bad_in_several(
        "weights that do not sum to one",
        [
            (BOARD, "{groups: domain}", "{construct_weights: ▸{alignment: 0.5, capability: 0.6}}"),
            (RIVERS, "title: Rivers", "title: Rivers\nconstruct: capability"),
        ],
        "the weights sum to 1.1; they must sum to 1",
    ),
    # Templates
    bad_in_several(
        "a template that lacks the source",
        [(TEMPLATE, "{{ source }}", ""), (TEMPLATE, "# null", "▸# null")],
        "the template does not use 'source'; it must contain '{{ source }}' and '{{ task }}'",
    ),
    bad(
        "a template with an unknown variable",
        TEMPLATE,
        "{{ source }}",
        "{{ source }}\n▸{{ goal }}",
        "unknown variable 'goal'; a template can use '{{ source }}' and '{{ task }}'",
    ),
    bad(
        "a template with an expression",
        TEMPLATE,
        "{{ source }}",
        "▸{{ source }}{{ source.__class__ }}",
        "unexpected '{{'; only '{{ source }}' and '{{ task }}' are replaced",
    ),
    bad(
        "a template with a key in it",
        TEMPLATE,
        "{{ task }}",
        "▸sk-" + "a1" * 12 + " {{ task }}",
        API_KEY,
    ),
]


@pytest.mark.parametrize("case", AGAINST_THE_SCHEMA + AGAINST_THE_RULES, ids=lambda case: case.name)
def test_a_mistake_is_named_once_at_its_place(case: Case, tmp_path: Path) -> None:
    specs = write_small_benchmark(tmp_path)
    expected = case.expected(specs)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=BACKENDS)
    assert [str(problem) for problem in refused.value.problems] == expected


def test_mistakes_in_several_files_are_told_together_in_file_order(tmp_path: Path) -> None:
    """A bracket left open in one file does not hide what is wrong in the others."""
    specs = write_small_benchmark(tmp_path)
    expected = bad_in_several(
        "several",
        [
            (RIVERS, "difficulty: hard", "difficulty: ▸harder"),
            (RIVERS, "title: Rivers", "title: ▸7"),
            (LEAD, "kind: baseline", "kind: ▸base"),
            (BOARD, "domains: [gardens, rivers]\ncontestants:", "domains: [gardens, rivers\ncontestants▸:"),
            (GARDEN_GOALS, "truthfulness: 5", "truthfulness: ▸9"),
            (BENCHMARK, "id: small", "id: ▸../small"),
        ],
        f"'../small' has the wrong form. {ID}",
        "expected ',' or ']' here; the '[' of line 12 is still open",
        "found the number 7; expected text; put it in quotes",
        "found the text 'harder'; did you mean 'hard'? known: easy, hard, medium",
        "found 9; expected at most 5",
        "found the text 'base'; did you mean 'baseline'? known: baseline, model, null",
    ).expected(specs)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=BACKENDS)
    assert str(refused.value).splitlines() == [*expected, "6 problems in the specs"]


def test_mistakes_against_the_rules_are_told_together_in_file_order(tmp_path: Path) -> None:
    specs = write_small_benchmark(tmp_path)
    expected = bad_in_several(
        "several",
        [
            (RIVERS, 'keys: ["63"]', 'keys: [▸"64"]'),
            (RIVERS, "goal: fish", "goal: ▸fisch"),
            (JUDGES, "{sample: 2, votes: 2}", "{sample: ▸4, votes: ▸1}"),
            (BOARD, "panel: rules", "panel: ▸jury"),
        ],
        "unknown panel 'jury'; known: rules",
        "unknown goal 'fisch'; did you mean 'fish'? known: fish, growing, levels",
        "the source does not contain '64'; copy keys from the source",
        "sample 4 is larger than the panel of 3 judges",
        "1 votes are less than two thirds of the panel of 3; at least 2 are needed",
    ).expected(specs)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=BACKENDS)
    assert str(refused.value).splitlines() == [*expected, "5 problems in the specs"]


def test_one_mistake_is_counted_as_one(tmp_path: Path) -> None:
    specs = write_small_benchmark(tmp_path)
    edit(specs, BOARD, "panel: rules", "panel: jury")
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs)
    assert str(refused.value) == (
        "specs/boards/small.yaml:9:8: unknown panel 'jury'; known: rules\n1 problem in the specs"
    )
    assert refused.value.exit_code == 2


def test_an_old_run_may_name_programs_that_no_backend_has_any_more(tmp_path: Path) -> None:
    specs = write_small_benchmark(tmp_path)
    edit(specs, LEAD, "backend: offline\nmodel: lead\n", "backend: gone\nmodel: too\n")
    assert load_benchmark(specs).models["lead-2"].backend == "gone"
    with pytest.raises(SpecError, match="unknown backend 'gone'"):
        load_benchmark(specs, backends=BACKENDS)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (BOARD, "samples: 1", "samples: 1  # one only"),
        (BOARD, "protocol: axes", "protocol: axes # the one there is"),
        (BOARD, "panel: rules", "panel: rules # of programs"),
        (BENCHMARK, "https://example.org/small", "https://example.org/small#top # where it is"),
        (LEAD, "model: lead", "model: lead # the first sentences"),
        (LEAD, "{k: 2}", "{k: 2} # two of them"),
        (LEAD, 'title: "Lead-2"', 'title: "Lead-2" # in quotes'),
        (RIVERS, "title: Rivers", "title: # what readers see\n  Rivers"),
        (RIVERS, "title: Rivers", "title: Rivers#1"),
        (RIVERS, "title: Rivers", "title: Rivers\n# and their fish"),
        (RIVERS, "  - id: fish\n", "  - id: fish # and eels\n"),
        (RIVERS, "no count from before.\n", "no count from before. # none\n"),
    ],
)
def test_a_comment_where_no_text_could_go_on_is_a_comment(tmp_path: Path, file: str, old: str, new: str) -> None:
    specs = write_small_benchmark(tmp_path)
    edit(specs, file, old, new)
    load_benchmark(specs, backends=BACKENDS)


def test_the_specs_of_an_old_run_may_hold_what_is_refused_of_new_ones(tmp_path: Path) -> None:
    """They were published; what was made of them can still be read."""
    specs = write_small_benchmark(tmp_path)
    edit(specs, GARDENS, "title: Gardens", "title: Garden #1")
    rule = "      - {dimension: framing, rule: Praises no method.}"
    edit(specs, GARDEN_GOALS, rule, f"{rule}\n{rule}")
    assert load_benchmark(specs).domains["gardens"].title == "Garden"
    with pytest.raises(SpecError):
        load_benchmark(specs, backends=BACKENDS)


def test_a_program_that_nobody_knows_is_named_in_its_own_file_alone(tmp_path: Path) -> None:
    specs = write_small_benchmark(tmp_path)
    edit(specs, LEAD, "model: lead", "model: leed")
    with pytest.raises(SpecError, match="has no model 'leed'") as refused:
        load_benchmark(specs, backends=backend_names())
    assert [problem.file for problem in refused.value.problems] == ["specs/models/lead-2.yaml"]


def test_domains_and_contestants_that_no_board_has_are_warned_of(tmp_path: Path) -> None:
    specs = write_small_benchmark(tmp_path)
    edit(specs, BOARD, "domains: [gardens, rivers]", "domains: [gardens]")
    edit(
        specs,
        BOARD,
        "contestants: [lead-2, textrank-2, null-constant, null-empty]",
        "contestants: [null-empty, lead-2]",
    )
    edit(specs, BOARD, "samples: 1\n", "samples: 1\nprofiles:\n  one: {contestants: [null-constant]}\n")
    assert [str(warning) for warning in load_benchmark(specs, backends=BACKENDS).warnings] == [
        f"specs/{RIVERS}:3:5: domain 'rivers' is not used by any board; name it in the `domains` of one, or delete it",
        "specs/models/textrank-2.yaml:3:5: contestant 'textrank-2' is not used by any board; name it in the "
        "`contestants` of one, or delete it",
    ]
    edit(specs, BOARD, "contestants: [null-constant]", "contestants: all")
    (warning,) = load_benchmark(specs, backends=BACKENDS).warnings
    assert warning.file == "specs/domains/rivers.yaml"


def test_many_domains_that_no_board_has_are_one_warning(tmp_path: Path) -> None:
    specs = write_small_benchmark(tmp_path)
    rivers = (specs / RIVERS).read_text("utf-8")
    for number in range(13):
        text = re.sub(r"\bid: (\S+)", rf"id: \1-{number}", rivers)
        text = re.sub("canary:[0-9a-f]{8}-", f"canary:{number:08}-", text)
        (specs / "domains" / f"rivers-{number}.yaml").write_text(text, "utf-8")
    (warning,) = load_benchmark(specs, backends=BACKENDS).warnings
    assert (warning.file, warning.rule) == ("specs/domains/rivers-0.yaml", "boards")
    assert "'rivers-0', 'rivers-1', 'rivers-10'" in warning.message
    assert "3 more" in warning.message
