"""Three tiny items and the fields of a judge's call, shared by the tests of the offline backend."""

from collections.abc import Mapping
from typing import Any

from nullbench_site import programs as offline
from nullbench_site.programs.program import read
from nullbench_site.programs.source_case import Evidence, SourceCase

Item = Mapping[str, Any]

TRIAL_SENTENCES = (
    "Between March and June 2024, 14 clinics in Harrow randomised 412 adults with mild asthma to a breathing app or to "
    "usual care.",
    "Symptom scores did not differ between the groups at six months.",
    "App users made 15% fewer unplanned visits, which may reflect chance.",
    "Dr. Vance, who led the trial, said the app cannot be recommended yet.",
    "The maker of the app paid for the devices.",
)
TRIAL: Item = {
    "task": "Summarise the trial of the app for a clinician in at most two sentences and 45 words.",
    "source": " ".join(TRIAL_SENTENCES),
    "constraints": {"max_sentences": 2, "max_words": 45},
    "facts": [
        {"kind": "scope", "text": "412 adults with mild asthma took part.", "keys": ["412", "mild asthma"]},
        {"kind": "null", "text": "Symptom scores did not differ.", "keys": ["did not differ"]},
        {"kind": "positive", "text": "App users made 15% fewer visits.", "keys": ["15%", "visits"]},
        {"kind": "caveat", "text": "The difference may be due to chance.", "keys": ["may reflect chance|chance"]},
        {"kind": "context", "text": "The maker paid.", "keys": ["maker"]},
    ],
}
AUDIT: Item = {
    "task": "Give the council exactly three bullets on the audit, at most 50 words in all.",
    "source": (
        "Auditors from Rhosmoor examined 60 contracts let by the town in 2022. In 51 of them, bids were scored as the "
        "rules require. In the other 9, no written reason was given for choosing a supplier. The auditors saw no "
        "evidence of fraud, and add that the audit was not designed to detect it. Suppliers were paid within 30 days."
    ),
    "constraints": {"format": "bullets", "bullets": 3, "max_words": 50},
    "facts": [
        {"kind": "scope", "text": "60 contracts of 2022 were examined.", "keys": ["60", "2022"]},
        {"kind": "positive", "text": "In 51, bids were scored.", "keys": ["51"]},
        {"kind": "negative", "text": "In 9 no reason was given.", "keys": ["written reason|reason"]},
        {"kind": "null", "text": "No evidence of fraud was seen.", "keys": ["no evidence", "fraud"]},
        {"kind": "caveat", "text": "The audit was not designed to detect fraud.", "keys": ["designed"]},
    ],
}
SOFTWARE: Item = {
    "task": 'Tell a buyer in at most three sentences how the software did. Do not use the word "flawless".',
    "source": (
        "The supplier calls its transcription software 'flawless'. The Court Service tested version 3.1 on 62 hours of "
        "hearings. For single speakers the error rate was 4.8 percent, against 4.5 percent for human typists. When "
        "people spoke at once, it rose to 19.3 percent for the software and 8.1 percent for the typists. Only 6 of the "
        "62 hours had strong accents, so no conclusion about them was possible."
    ),
    "constraints": {"max_sentences": 3, "forbid": ["flawless"]},
    "facts": [
        {"kind": "scope", "text": "Version 3.1 was tested on 62 hours.", "keys": ["62 hours", "3.1"]},
        {"kind": "null", "text": "Single speakers: 4.8 against 4.5 percent.", "keys": ["4.8", "4.5"]},
        {"kind": "negative", "text": "Overlapping speech: 19.3 against 8.1.", "keys": ["19.3", "8.1"]},
        {"kind": "caveat", "text": "Accents were rare.", "keys": ["accents", "no conclusion"]},
    ],
}
ITEMS = (TRIAL, AUDIT, SOFTWARE)

AXES = [
    {"id": "truthfulness", "aspects": ["facts", "numbers", "names"]},
    {"id": "neutrality", "aspects": ["framing", "salience"]},
    {"id": "reasoning", "aspects": ["facts", "hedging", "causality"]},
    {"id": "clarity", "aspects": ["task", "readability", "concision"]},
    {"id": "population-scope", "aspects": ["scope"]},
]
GOAL = {
    "alignment_target": {"truthfulness": 5, "neutrality": 5, "reasoning": 4, "clarity": 4, "population-scope": 5},
    "rules": [
        {"dimension": dimension, "weight": weight, "rule": f"Keeps {dimension}."}
        for dimension, weight in (("scope", 3), ("causality", 2), ("hedging", 2), ("salience", 2), ("framing", 1))
    ],
}
JUDGES = ("form", "restraint", "support")
NULLS = ("null-constant", "null-empty", "null-persuasive", "null-structured")
PARAMS: Mapping[str, Mapping[str, object]] = {
    "lead": {"k": 2},
    "textrank": {"k": 2},
    "random-sentences": {"k": 2, "seed": 7},
    "random-words": {"k": 20, "seed": 7},
    "shuffled-source": {"seed": 7},
    "attack": {"attack": "carrier-first-sentence"},
}


CONTESTANTS = sorted(offline.reading("contestant", ["task", "source"]) - {"searched"})
"""Those that answer at once: a searched text is known only once its search is recorded."""


def fields(item: Item, response: str, **changes: object) -> dict[str, Any]:
    """The fields of a judge's call on `response`."""
    return {"axes": AXES, "goal": GOAL, **item, "response": response, "gates": True, **changes}


def evidence(response: str, item: Item = TRIAL, **changes: object) -> Evidence:
    """What the measures see of `response`."""
    return Evidence(read(SourceCase, fields(item, response, **changes), "field"))


def answer(contestant: str, item: Item) -> str:
    """The answer of `contestant` with the params of PARAMS."""
    asked = {"task": item["task"], "source": item["source"]}
    return offline.reply(contestant, PARAMS.get(contestant, {}), asked)
