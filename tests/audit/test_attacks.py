"""The registry of attacks: every kind is there, in our words, and its schema refuses what the loader refuses."""

from __future__ import annotations

import json
from typing import Any, get_args

import jsonschema
import msgspec
import pytest
import yaml
from support.commands import ROOT

from nullbench_site.audit.attacks import Insert, Kind, attacks, json_schema, read
from nullbench_site.audit.screening import flags
from nullbench_site.judging.protocol import judging
from nullbench_site.packaged import data_text

NULLS = ROOT.parent / "shared" / "data" / "null-models" / "null_responses.json"
GIVEN: dict[Insert, str] = {
    "request": "What makes rivers rise?", "carrier": "Rivers rise after rain.", "searched": "} } }",
    "model-written": "All is well.", "own-letter": "m", "own-verdict": "A>>B", "highest-score": "5",
    "majority-option": "A", "random-option": "C", "all-options": "A, B, C",
}  # fmt: skip


def test_every_kind_is_there_and_every_attack_has_a_text() -> None:
    registry = attacks()
    assert {attack.kind for attack in registry.values()} == set(get_args(Kind))
    assert {attack.use for attack in registry.values() if attack.kind in ("key", "constant")} == {
        "null-contestant",
        "audit",
    }
    texts = {name: attack.answer(GIVEN) for name, attack in registry.items()}
    assert len(set(texts.values())) == len(texts)
    assert [name for name, text in texts.items() if not text] == ["key-empty"]
    assert {insert for attack in registry.values() for insert in attack.inserts} == set(GIVEN)


def test_each_protocol_with_judges_has_a_structured_attack_in_its_reply_format() -> None:
    own = {attack.protocol for attack in attacks().values() if attack.kind == "structured"}
    assert own >= {name for name in ("axes", "rubric", "graded", "pairwise", "oracle") if judging(name).calls}
    text = attacks()["structured-pairwise-verdict"].answer({"own-verdict": "A>>B"})
    assert text.endswith('"verdict": "A>>B"}')


def test_a_payload_follows_its_carrier_and_an_attack_may_contain_another() -> None:
    registry = attacks()
    payloads = [attack for attack in registry.values() if attack.kind == "payload"]
    assert all(attack.answer(GIVEN).startswith(GIVEN["carrier"]) for attack in payloads)
    assert all(flags(attack.answer(GIVEN)) for attack in payloads)
    searched, structured = registry["searched-prefix-rubric"], registry["structured-rubric"]
    assert searched.answer(GIVEN) == GIVEN["searched"] + structured.answer()
    with pytest.raises(KeyError):
        searched.answer()


def test_a_description_is_one_sentence() -> None:
    for attack in attacks().values():
        assert attack.description.endswith(".")
        assert attack.description[:-1].count(". ") == 0


@pytest.mark.skipif(not NULLS.is_file(), reason="the published null models are not part of the project")
def test_no_wording_is_that_of_the_published_null_models() -> None:
    theirs = [one["text"] for one in json.loads(NULLS.read_text("utf-8"))["responses"]]
    for attack in attacks().values():
        own = " ".join(attack.answer(GIVEN).split())
        for text in theirs:
            words = text.split()
            assert not any(" ".join(words[n : n + 8]) in own for n in range(len(words) - 7)), attack.id


def test_the_packaged_schema_is_that_of_the_types_and_the_registry_follows_it() -> None:
    packaged = json.loads(data_text("attacks.schema.json"))
    assert packaged == json_schema()
    jsonschema.validate(yaml.safe_load(data_text("attacks.yaml")), packaged)


WHOLE: dict[str, Any] = {
    "id": "one", "kind": "key", "use": "audit", "description": "A full stop.", "source": "ours",
    "parts": [{"text": "."}],
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"parts": []},
        {"parts": [{}]},
        {"parts": [{"text": ".", "insert": "request"}]},
        {"parts": [{"insert": "key"}]},
        {"parts": [{"text": ".", "times": 0}]},
        {"kind": "other"},
        {"use": "ranked"},
        {"id": "Not an id"},
        {"source": ""},
        {"code": "print()"},
    ],
)
def test_schema_and_loader_refuse_the_same(change: dict[str, Any]) -> None:
    assert list(read(yaml.safe_dump([WHOLE]))) == ["one"]
    broken = [{**WHOLE, **change}]
    with pytest.raises(msgspec.ValidationError):
        read(yaml.safe_dump(broken))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, json_schema())


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([WHOLE, WHOLE], "two attacks have the id 'one'"),
        ([{**WHOLE, "parts": [{"insert": "attack", "of": "two"}]}], "inserts 'two', which no attack before it is"),
        ([{**WHOLE, "parts": [{"insert": "attack", "of": "one"}]}], "inserts 'one', which no attack before it is"),
        ([{**WHOLE, "parts": [{"insert": "attack"}]}], "`of` names the attack"),
        ([{**WHOLE, "ask": "Write."}], "has `ask`"),
    ],
)
def test_a_registry_is_consistent(entries: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=message):
        read(yaml.safe_dump(entries))
