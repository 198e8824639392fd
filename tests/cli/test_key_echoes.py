"""Keys through the real command line: a server that shows the key it was sent, in every field and in every form."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import nullbench
from support.echoes import KeyEcho, survivors, written
from support.evidence import records
from support.live import live_repository
from support.private import texts
from support.repositories import run_dir

KEY = 'sk_"a\\b/c+${USER}=e&f<g>%i'


def test_a_key_that_a_server_echoes_is_in_no_file_or_message(tmp_path: Path) -> None:
    with KeyEcho() as server:
        board = live_repository(tmp_path / "board", server.url, endpoint={"key_env": "THE_KEY"})
        env = board.root / ".env"
        env.write_text(f"THE_KEY={KEY}\n", "utf-8")
        done = nullbench(board.root, "build", "--json", "--no-render", USER="somebody")
    assert {seen.headers["Authorization"] for seen in server.seen} == {f"Bearer {KEY}"}, "it is sent as it is written"
    assert done.code == 3, done.err
    assert "Traceback" not in done.err
    for told in ("has no such model", "answered as"):
        assert told in done.err
    env.unlink()
    assert survivors(done.out + done.err, KEY) == []
    found = {str(path): survivors(text, KEY) for path, text in texts(board.root.rglob("*"))}
    assert {path: forms for path, forms in found.items() if forms} == {}

    shown = len(written(KEY))
    told = [*records(run_dir(board), "responses"), *records(run_dir(board), "judgments")]
    fields = [
        record.get(field) or "" for record in told for field in ("text", "reasoning", "error", "rationale", "raw")
    ]
    assert {field.count("[key]") for field in fields} >= {0, shown}
    assert all("[key]" in record["served_model"] for record in told if record["state"] != "errored")


def test_the_same_search_finds_keys_that_are_not_redacted(tmp_path: Path) -> None:
    for name, form in written(KEY).items():
        path = tmp_path / "record.jsonl"
        path.write_text(json.dumps({"text": f"You sent {form}"}), "utf-8")
        assert [name in survivors(text, KEY) for _, text in texts(iter([path]))] == [True], name
