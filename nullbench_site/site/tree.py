"""The generated MkDocs project on disk: written where it differs, so that a warm render touches little."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from nullbench_site.errors import NullbenchError
from nullbench_site.runs.storage import storage_errors
from nullbench_site.site import paths

_CASCADE = "base frame tables board charts fingerprint pages compare explorer print"
_STYLES = tuple(f"assets/css/{name}.css" for name in _CASCADE.split())
_SCRIPTS = ({"path": "assets/js/nullbench.js", "type": "module"},)


class ConfigError(NullbenchError):
    """The repository's mkdocs.yml, or a template of its own, cannot be used."""


@dataclass(frozen=True)
class _Tagged:
    """A setting with a tag that MkDocs understands and we need not, such as `!ENV SITE_URL`: kept as it stands."""

    node: yaml.Node


class _Loader(yaml.SafeLoader):
    pass


class _Dumper(yaml.SafeDumper):
    pass


_Loader.add_multi_constructor("", lambda loader, tag, node: _Tagged(node))
_Dumper.add_representer(_Tagged, lambda dumper, tagged: tagged.node)


def write_tree(root: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Make `root` hold exactly `files` (path below it -> content)."""
    kept = set()
    with storage_errors(root):
        for name, content in files:
            path = root / name
            kept.add(path)
            if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for path in sorted(root.rglob("*"), reverse=True):
            if path.is_file() and path not in kept:
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()


def mkdocs_config(base: Path, title: str, description: str, nav: list[dict[str, str]], hidden: Sequence[str]) -> bytes:
    """mkdocs.yml of the tree: the repository's own, with what is generated added.

    hidden: pages outside the navigation, which MkDocs walks once for every page in it; patterns, as MkDocs tries each
    on every file.
    """
    config = _base_config(base)
    config["site_name"] = title
    config.setdefault("site_description", " ".join(description.split()))
    config["nav"] = nav
    config["not_in_nav"] = "\n".join(hidden)
    config["docs_dir"] = "docs"
    config["use_directory_urls"] = True
    for key, own in (("extra_css", _STYLES), ("extra_javascript", _SCRIPTS)):
        listed = config.get(key) or []
        if not isinstance(listed, list):
            raise ConfigError(f"{base}: {key} should be a list of files; mend it, or delete it to use the default")
        config[key] = [*listed, *own]
    return yaml.dump(config, Dumper=_Dumper, sort_keys=False, allow_unicode=True).encode()


def _base_config(base: Path) -> dict[str, Any]:
    try:
        config = yaml.load(base.read_text("utf-8"), _Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{base}: cannot be read as YAML ({error}); mend it, or delete it to use the default"
        ) from None
    if not isinstance(config, Mapping):
        raise ConfigError(f"{base}: should hold a mapping of MkDocs settings; mend it, or delete it to use the default")
    return dict(config)


def nav_entry(title: str, url: str) -> dict[str, str]:
    """A line of the navigation."""
    return {title: paths.source_file(url)}
