"""The build of a generated project by MkDocs, and the scripts of others that it carries."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from functools import cache
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache
from jinja2.bccache import Bucket
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.utils import get_build_timestamp

from nullbench_site import __version__
from nullbench_site.errors import RunError
from nullbench_site.runs.storage import made_once, storage_errors
from nullbench_site.site.stamping import add_template, can_stamp, take_over
from nullbench_site.site.tree import faults_in
from nullbench_site.text import quoted

_SEARCH = {"search", "material/search"}


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


class _Build:
    """What takes part in a build like a plugin. plain: no plugin of others does."""

    def __init__(self, config: MkDocsConfig) -> None:
        self.plain = _SEARCH.issuperset(config.plugins)
        self.stamps = self.plain and can_stamp(config)

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Before pages are read."""
        if self.stamps:
            take_over(files, config)
        return nav

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Before files are copied and pages rendered."""
        if self.plain:
            _link(files, config)
        if self.stamps:
            add_template(env)
        return CompiledTemplates.on_env(env)


def _link(files: Files, config: MkDocsConfig) -> None:
    """Let files of the tree stand in the site by a link where nobody writes into them: a site has thousands.

    MkDocs, which copies the others, need not look at them again.
    """
    written = {*config.extra_templates, *config.theme.static_templates}
    made: set[Path] = set()
    for file in list(files):
        own = file.src_dir == config.docs_dir and file.inclusion.is_included()  # type: ignore[no-untyped-call]
        if not own or file.is_documentation_page() or file.src_uri in written:
            continue
        target = Path(file.abs_dest_path)
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        try:
            target.hardlink_to(Path(config.docs_dir, file.src_uri))
        except OSError:  # on another disk, or where there are no such links
            return
        files.remove(file)


def mkdocs_build(config_file: Path, site: Path) -> None:
    """Build a tree, with every warning of MkDocs an error: a broken link is a bug of ours. Raises RunError."""
    try:
        get_build_timestamp()
    except (ValueError, OverflowError, OSError):
        found = f"SOURCE_DATE_EPOCH is {quoted(os.environ.get('SOURCE_DATE_EPOCH'))}"
        message = "expected the seconds since 1970, a whole number; mend it, or take it out of the environment and .env"
        raise RunError(f"{found}; {message}") from None
    with storage_errors(site), _Warnings() as warnings:
        try:
            config = load_config(str(config_file), site_dir=str(site.resolve()))
            own: Any = _Build(config)  # no plugin, but it takes events
            config.plugins["nullbench"] = own
            config.plugins.on_startup(command="build", dirty=False)
            with faults_in(Path(config.theme.custom_dir or ""), "site_templates/overrides"):
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


# Scripts of others that a page loads when a reader asks: Vega makes charts interactive, DataTables boards.


def datatables_bundle() -> bytes:
    """An ES module whose default export is DataTables. To import the package itself takes a second."""
    return Path(str(distribution("itables").locate_file("itables/html/dt_bundle.js"))).read_bytes()


def vega_bundle(cache_folder: Path) -> bytes:
    """Vega, Vega-Lite and Vega-Embed as one script, from vl-convert; made once a version."""
    kept = cache_folder / f"vega-embed-{version('vl-convert-python')}.js"
    return made_once(kept, _vega)


@cache
def _vega() -> bytes:
    """The bundle anew; it takes seconds, and one process may render several sites."""
    import vl_convert  # noqa: PLC0415 - as heavy as its work, which is done once a version

    return bytes(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode())
