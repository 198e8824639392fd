"""MkDocs as the builder of a tree, with every warning an error."""

from __future__ import annotations

import logging
from pathlib import Path

from nullbench_site.errors import RunError
from nullbench_site.runs.storage import storage_errors


def mkdocs_build(config_file: Path, site: Path) -> None:
    """Build a tree, with every warning of MkDocs an error: a broken link is a bug of ours. Raises RunError."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    with storage_errors(site), _Warnings() as warnings:
        try:
            config = load_config(str(config_file), site_dir=str(site.resolve()))
            config.plugins.on_startup(command="build", dirty=False)
            build(config)
            config.plugins.on_shutdown()
        except MkDocsException as error:
            advice = "its settings come from the repository's mkdocs.yml"
            raise RunError("\n".join([*warnings.said, f"MkDocs cannot build the site ({error}); {advice}"])) from error
    if warnings.said:
        said = "MkDocs warns of the site, or of the settings in the repository's mkdocs.yml:"
        raise RunError("\n".join([said, *warnings.said]))


class _Warnings(logging.Handler):
    """Collects what MkDocs warns of while it builds."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())

    def __enter__(self) -> _Warnings:
        logging.getLogger("mkdocs").addHandler(self)
        return self

    def __exit__(self, *exception: object) -> None:
        logging.getLogger("mkdocs").removeHandler(self)
