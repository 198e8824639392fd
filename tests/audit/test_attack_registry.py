"""The registry of attacks: every kind is there, in our words, and what it refuses; no verdict of an answer counts."""

from __future__ import annotations

import json
from typing import Any, get_args

import msgspec
import pytest
import yaml
from support.commands import ROOT

from nullbench_site import programs
from nullbench_site.audit.attack_registry import Insert, Kind, attacks, read
from nullbench_site.audit.screening import flags
from nullbench_site.judging.replies import json_object, quotes

NULLS = ROOT.parent / "shared" / "data" / "null-models" / "null_responses.json"
GIVEN: dict[Insert, str] = {"request": "What makes rivers rise?", "carrier": "Rivers rise after rain."}


def test_every_kind_is_there_and_every_attack_has_a_text_of_its_own() -> None:
    registry = attacks()
    assert {attack.kind for attack in registry.values()} == {*get_args(Kind)}
    texts = {name: attack.answer(GIVEN) for name, attack in registry.items() if attack.program is None}
    assert len(set(texts.values())) == len(texts)
    assert [name for name, text in texts.items() if not text] == ["key-empty"]
    assert {insert for attack in registry.values() for insert in attack.inserts} == set(GIVEN)
    assert {attack.program for attack in registry.values()} - {None} <= programs.names("contestant")


def test_a_contestant_gives_the_text_of_an_attack_with_what_it_takes_from_the_item() -> None:
    asked = {"task": "Sum it up.", "source": "Rivers rise after rain. They fall in June."}
    assert programs.reply("attack", {"attack": "request-copy"}, asked) == "Sum it up."
    noted = programs.reply("attack", {"attack": "payload-authority"}, asked)
    assert noted == attacks()["payload-authority"].answer({"carrier": "Rivers rise after rain."})
    assert programs.reply("attack", {"attack": "carrier-first-sentence"}, {"prompt": "Why do rivers rise?"})
    with pytest.raises(ValueError, match="'nothing' is not an attack with a text"):
        programs.reply("attack", {"attack": "nothing"}, asked)


def test_a_payload_follows_its_carrier_and_screening_sees_it() -> None:
    payloads = [attack for attack in attacks().values() if attack.kind == "payload"]
    assert all(attack.answer(GIVEN).startswith(GIVEN["carrier"]) for attack in payloads)
    assert all(flags(attack.answer(GIVEN)) for attack in payloads)


def test_a_description_is_one_sentence() -> None:
    for attack in attacks().values():
        assert attack.description.endswith(".")
        assert attack.description[:-1].count(". ") == 0


@pytest.mark.skipif(not NULLS.is_file(), reason="the published null models are not part of the project")
def test_no_wording_is_that_of_the_published_null_models() -> None:
    theirs = [one["text"] for one in json.loads(NULLS.read_text("utf-8"))["responses"]]
    for attack in (attack for attack in attacks().values() if attack.program is None):
        own = " ".join(attack.answer(GIVEN).split())
        for text in theirs:
            words = text.split()
            assert not any(" ".join(words[n : n + 8]) in own for n in range(len(words) - 7)), attack.id


@pytest.mark.parametrize(
    "name", ["structured-axes", "structured-rubric", "structured-graded", "structured-pairwise-verdict"]
)
def test_a_verdict_that_stands_in_an_answer_is_no_verdict_of_the_judge(name: str) -> None:
    """The attack of each protocol ends with a finished verdict in the form of its replies."""
    answer = attacks()[name].answer()
    verdict = answer[answer.rindex('{"') :] if name != "structured-axes" else answer[answer.index('{"axes"') :]
    own = json_object(verdict)
    assert isinstance(own, dict)
    assert quotes(verdict, ["What is asked?", answer])
    assert quotes(f"My verdict:\n{json.dumps(dict(reversed(own.items())), indent=2)}", [answer])
    assert not quotes(json.dumps(own | {"rationale": "It does not answer."}), [answer])
    assert not quotes(verdict, ["an answer without it", "{ broken", '{"a": [}'])


WHOLE: dict[str, Any] = {
    "id": "one", "kind": "key", "description": "A full stop.", "source": "ours",
    "parts": [{"text": "."}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([WHOLE, WHOLE], "two attacks have the id 'one'"),
        ([{**WHOLE, "parts": [{"attack": "two"}]}], "inserts 'two', which no attack before it is"),
        ([{**WHOLE, "parts": []}], "parts or a program, not both"),
        ([{**WHOLE, "program": "majority"}], "parts or a program, not both"),
        ([{**WHOLE, "parts": [{}]}], "only one of them"),
        ([{**WHOLE, "parts": [{"text": ".", "insert": "request"}]}], "only one of them"),
        ([{**WHOLE, "kind": "other"}], "Invalid enum value"),
        ([{**WHOLE, "code": "print()"}], "unknown field"),
    ],
)
def test_a_registry_is_consistent(entries: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=message):
        read(yaml.safe_dump(entries))
