"""A stand-in for `gh api`, which asks the server of GITHUB_API_URL. Filters are run by jq."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def ask(method: str, path: str, fields: dict[str, str]) -> tuple[Any, str]:
    """The answer of one request, and the address of the next page."""
    address = path if "://" in path else f"{os.environ['GITHUB_API_URL']}/{path}"
    if method == "GET" and fields:
        address += f"?{urllib.parse.urlencode(fields)}"
    request = urllib.request.Request(  # noqa: S310 - the server of the test
        address,
        method=method,
        data=None if method == "GET" else json.dumps(fields).encode(),
        headers={"Authorization": f"Bearer {os.environ['GH_TOKEN']}"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310
        return json.load(response), response.headers.get("Link", "")


def pages(method: str, path: str, fields: dict[str, str], *, paginate: bool) -> Iterator[Any]:
    answer, link = ask(method, path, fields)
    yield answer
    while paginate and link:
        answer, link = ask(method, link.removeprefix("<").partition(">")[0], {})
        yield answer


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["api"])
    parser.add_argument("path")
    parser.add_argument("--method", default="GET")
    parser.add_argument("--paginate", action="store_true")
    parser.add_argument("--jq", required=True)
    parser.add_argument("-f", action="append", default=[])
    parser.add_argument("-F", action="append", default=[])
    given = parser.parse_args()
    fields = dict(each.split("=", 1) for each in [*given.f, *given.F])
    fields = {name: Path(value[1:]).read_text("utf-8") if value[:1] == "@" else value for name, value in fields.items()}
    try:
        for answer in pages(given.method, given.path, fields, paginate=given.paginate):
            subprocess.run(["jq", "-r", "-c", given.jq], input=json.dumps(answer), text=True, check=True)
    except urllib.error.HTTPError as error:
        sys.stderr.write(f"gh: {json.load(error)['message']} (HTTP {error.code})\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
