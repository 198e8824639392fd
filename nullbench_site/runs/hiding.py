"""Records of private items: what is published of them, and that it is of the record that is not."""

from __future__ import annotations

from typing import assert_never

import msgspec

from nullbench_site.runs.records import CheckResult, Hidden, Judgment, Record, Response
from nullbench_site.specs.digest import canonical_json, sha256

UNPUBLISHED = "not published: the item is private"
"""What stands in a published record instead of words."""
_TYPE = "hidden"
"""What stands there as the type of a check or key."""


def published(record: Record, salt: str) -> Record:
    """The record without a word of prompt, answer or judge. Scores, outcomes, times and counts stay.

    salt: of the item; with it, whoever has the whole record can show that it is the one.
    """
    digest = f"sha256:{sha256(canonical_json([salt, record]))}"
    match record:
        case Response():
            words = {
                "text": "",
                # A type such as trap-no-bug gives the answer away, a digest of parameters can be tried against guesses,
                # and flags may hold words of the spec.
                "checks": tuple(CheckResult(_TYPE, "", found.outcome) for found in record.checks),
                "hidden": Hidden(digest, len(record.text)),
            }
        case Judgment():
            words = {
                "invalid": dict.fromkeys(record.invalid, UNPUBLISHED),
                "rationale": "",
                "raw": None,
                "repaired": None if record.repaired is None else UNPUBLISHED,
                "hidden": Hidden(digest, len(record.rationale)),
            }
        case _:
            assert_never(record)
    withheld = {
        name: None if getattr(record, name) is None else UNPUBLISHED
        # A server that repeats what it was asked may do so in the name of its model too.
        for name in ("error", "served_model")
    }
    return msgspec.structs.replace(record, **words, **withheld, reasoning="")
