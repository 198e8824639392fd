"""Keep the site folder of a repository up to date with its runs, specs and templates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nullbench_site.errors import UsageError
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import CatalogEntry, read_catalog
from nullbench_site.runs.storage import exclusive
from nullbench_site.site.freshness import data_digest, inputs_digest, remember, stands
from nullbench_site.specs.benchmark import Benchmark


def render_into(
    repository: Repository,
    entry: CatalogEntry,
    words: Callable[[], Benchmark],
    on_note: Callable[[str], None],
    *,
    keep: bool,
) -> Path:
    """Render the site of a run into the site folder of a repository; return that folder.

    words: the specs that give the pages their titles. on_note: for warnings. keep: return the existing site if its
    inputs are unchanged. Raises UsageError for symlinks, ConfigError, StorageError.
    """
    for folder in (repository.cache, repository.site):
        if folder.is_symlink():
            message = "this is a symlink, and rendering deletes files that it does not write; remove the symlink"
            raise UsageError(f"{folder}: {message}")
    # A lock of its own, because a site can be rendered from runs that are read-only.
    with exclusive(repository.cache):
        inputs, stamp = inputs_digest(repository.root, entry.path.name), repository.cache / "site.stamp"
        if keep and stands(repository.site, inputs, stamp):
            return repository.site
        # Slow to import, and not needed if the site is up to date.
        from nullbench_site.site.render import render_site  # noqa: PLC0415
        from nullbench_site.site.tree import unused_templates  # noqa: PLC0415

        for warning in unused_templates(repository.root / "site_templates" / "pages"):
            on_note(warning)
        site = render_site(
            benchmark=words(),
            entry=entry,
            catalog=read_catalog(repository.runs),
            root=repository.root,
            tree=repository.tree,
            site=repository.site,
            cache=repository.cache,
            inputs=data_digest(repository.root, entry.path.name),
        )
        remember(site, inputs, stamp)
        return site
