"""Importers of other packages: found by the entry points they register, used as ours are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.commands import ROOT, nullbench
from support.packages import installed

from nullbench_site import api
from nullbench_site.errors import UsageError
from nullbench_site.interop.importer import formats

SOURCE = """
import msgspec
from nullbench_site.interop.importer import Importer

class Made(msgspec.Struct):
    directory: str
    run: str = "1.0.0-00000000"
    skipped: tuple = ("one line",)

    def lines(self):
        yield "imported nothing"

IMPORTER = Importer("Import what nobody has.", lambda source, into, lenient: Made(str(into)))
"""


def test_a_format_of_another_package_is_a_subcommand_like_ours(tmp_path: Path) -> None:
    with installed(tmp_path / "packages", {"importers/nothing": "somebody:IMPORTER"}, SOURCE):
        assert {"answers", "benchpress", "nothing"} <= set(formats())
        (tmp_path / "source").mkdir()
        where = os.pathsep.join([str(ROOT), str(tmp_path / "packages")])
        assert "Import what nobody has." in nullbench(tmp_path, "import", "--help", PYTHONPATH=where).out
        done = nullbench(tmp_path, "import", "nothing", "source", "--into", "new", PYTHONPATH=where)
        assert (done.code, done.out) == (0, "")
        assert done.err.splitlines() == [
            "skipped one line",
            "imported nothing",
            "Run:      new/runs/1.0.0-00000000",
            "Next: cd new && nullbench-site build && nullbench-site serve",
        ]


def test_a_format_that_nobody_registered_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown format 'benchpres'; did you mean 'benchpress'"):
        api.import_results("benchpres", tmp_path, tmp_path / "new")
    done = nullbench(tmp_path, "import", "benchpres")
    assert done.code == 2
    assert "benchpres" in done.err
