"""The build of a generated project by MkDocs."""

from __future__ import annotations

import logging
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache
from jinja2.bccache import Bucket

from nullbench_site import __version__
from nullbench_site.errors import RunError
from nullbench_site.runs.storage import storage_errors


class CompiledTemplates(FileSystemBytecodeCache):
    """Templates as Python, which takes a quarter of a render to make of them: kept where the user alone writes.

    Not in the repository: whoever can write there could have code of theirs run.
    """

    def __init__(self) -> None:
        super().__init__(pattern=f"nullbench-{__version__}-jinja-{version('jinja2')}-%s.cache")

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)

    @classmethod
    def on_env(cls, env: Environment, **_: object) -> Environment:
        """Let `env` keep its templates, where there is a folder for them; as an event of MkDocs, too."""
        with suppress(RuntimeError, OSError):
            env.bytecode_cache = cls()
        return env


def mkdocs_build(config_file: Path, site: Path) -> None:
    """Build a tree, with every warning of MkDocs an error: a broken link is a bug of ours. Raises RunError."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    compiled: Any = CompiledTemplates  # no plugin, but it takes the one event
    with storage_errors(site), _Warnings() as warnings:
        try:
            config = load_config(str(config_file), site_dir=str(site.resolve()))
            config.plugins["nullbench/compiled"] = compiled
            config.plugins.on_startup(command="build", dirty=False)
            build(config)
            config.plugins.on_shutdown()
        except MkDocsException as error:
            advice = "its settings come from the repository's mkdocs.yml"
            raise RunError("\n".join([*warnings.lines, f"MkDocs cannot build the site ({error}); {advice}"])) from error
    if warnings.lines:
        first = "MkDocs warns of the site, or of the settings in the repository's mkdocs.yml:"
        raise RunError("\n".join([first, *warnings.lines]))


class _Warnings(logging.Handler):
    """Collects what MkDocs warns of while it builds."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def __enter__(self) -> _Warnings:
        logging.getLogger("mkdocs").addHandler(self)
        return self

    def __exit__(self, *exception: object) -> None:
        logging.getLogger("mkdocs").removeHandler(self)
