"""The generated MkDocs project: its settings, its files on disk, written where they differ."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import walk_tb
from typing import Any

import msgspec
import yaml
from jinja2 import Environment, TemplateSyntaxError, meta

from nullbench_site.errors import NullbenchError
from nullbench_site.extensions import protocol_folder, registered
from nullbench_site.packaged import packaged
from nullbench_site.runs.storage import storage_errors
from nullbench_site.site import paths
from nullbench_site.text import did_you_mean, one_line

_CASCADE = "base frame tables board charts fingerprint pages compare explorer print"
_STYLES = tuple(f"assets/css/{name}.css" for name in _CASCADE.split())
_SCRIPTS = ({"path": "assets/js/nullbench.js", "type": "module"},)
_PUBLISHED = "what it holds would stand on every page"
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|PRIVATE|BASE_URL", re.IGNORECASE)
"""What variables are called that nobody means to publish."""
_TAGS = re.compile(r"!ENV|!relative|tag:yaml\.org,2002:python/name:material\.extensions\.emoji\.\w+")
"""Others have MkDocs make any object of Python, and so run any code."""
_PLAIN = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null"))
_CODE = {
    "hooks": "it runs Python of the repository",
    "INHERIT": "it brings settings from elsewhere, which nobody looks at",
}
_READERS = ("pymdownx.snippets", "pymdownx.b64")
"""Extensions of Markdown that put files into pages, wherever these stand. Pages of ours are made of none."""
_FOREIGN = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


class ConfigError(NullbenchError):
    """The repository's mkdocs.yml, or a template of its own, cannot be used."""


@contextmanager
def faults_in(templates: Path, shown: str) -> Iterator[None]:
    """Say of what goes wrong in a template of the folder `templates` where it does: ConfigError. shown: its name.

    What goes wrong where none of these takes part goes through.
    """
    try:
        yield
    except Exception as error:
        # Jinja puts files and lines of templates into the traceback, in the place of its own.
        passed = ((Path(frame.f_code.co_filename), line) for frame, line in walk_tb(error.__traceback__))
        own = [(file.relative_to(templates), line) for file, line in passed if file.is_relative_to(templates)]
        if not own:
            raise
        file, line = own[-1]
        advice = "mend it, or delete it to use the shipped one"
        raise ConfigError(f"{shown}/{file.as_posix()}:{line}: {one_line(str(error))}; {advice}") from error


class Kept(msgspec.Struct, frozen=True):
    """In the place of a file's content: it stands as it should be. size: in bytes."""

    size: int


class _Tagged(msgspec.Struct, frozen=True):
    """A setting with a tag that MkDocs understands and we need not, such as `!ENV SITE_URL`: kept as it stands."""

    node: yaml.Node


class _Loader(yaml.SafeLoader):
    pass


class _Dumper(yaml.SafeDumper):
    pass


def _tagged(loader: _Loader, tag: str, node: yaml.Node) -> _Tagged:
    parts = node.value if isinstance(node, yaml.SequenceNode) else ()
    plain = all(isinstance(part, yaml.ScalarNode) and part.tag in _PLAIN for part in parts)
    if not _TAGS.fullmatch(node.tag) or isinstance(node, yaml.MappingNode) or not plain:
        message = f"the tag {node.tag} may run code; of tags, !ENV, !relative and material's emoji are known"
        raise yaml.constructor.ConstructorError(None, None, message, node.start_mark)
    return _Tagged(node)


_Loader.add_multi_constructor("", _tagged)
_Dumper.add_representer(_Tagged, lambda dumper, tagged: tagged.node)


def write_tree(root: Path, files: Iterable[tuple[str, bytes | Kept]]) -> None:
    """Make `root` hold exactly `files` (path below it -> content)."""
    with storage_errors(root):
        if root.is_symlink():
            root.unlink()
        standing = dict(_standing(root)) if root.is_dir() else {}
        folders = [name for name, size in standing.items() if size is None]
        kept = set(folders)
        for name, content in files:
            kept.add(name)
            if isinstance(content, Kept):
                continue
            path = root / name
            if standing.get(name) == len(content) and path.read_bytes() == content:
                continue
            folder = name.rpartition("/")[0]
            if folder not in kept:
                path.parent.mkdir(parents=True, exist_ok=True)
                kept.add(folder)
            standing[name] = path.write_bytes(content)
        for name in standing.keys() - kept:
            (root / name).unlink()
        for folder in reversed(folders):
            if not any((root / folder).iterdir()):
                (root / folder).rmdir()


def _standing(folder: Path, above: str = "") -> Iterator[tuple[str, int | None]]:
    """Files below a folder and their sizes, and folders, outer before inner, with None; by path below the first.

    Links go: none is ours, and what they point to is not ours to write.
    """
    for path in sorted(folder.iterdir()):
        name = f"{above}{path.name}"
        if path.is_symlink():
            path.unlink()
        elif path.is_dir():
            yield name, None
            yield from _standing(path, f"{name}/")
        else:
            yield name, path.stat().st_size


def frame_of(root: Path) -> dict[str, Any]:
    """The frame's settings of a repository."""
    own = root / "mkdocs.yml"
    return frame_settings(own if own.exists() else packaged("mkdocs.yml"))


def frame_settings(base: Path) -> dict[str, Any]:
    """The settings of the repository's mkdocs.yml and ours: all that shapes pages, but nothing from the specs."""
    config = _base_config(base)
    for key, reason in _CODE.items():
        if key in config:
            raise ConfigError(f"{base}: {key} cannot be used, for {reason}; take it out")
    extensions = str(config.get("markdown_extensions"))
    if reader := next((name for name in _READERS if name in extensions), None):
        raise ConfigError(f"{base}: {reader} cannot be used, for it puts any file into pages; take it out")
    if secrets := sorted(name for name in environment(config) if name.isidentifier() and _SECRET.search(name)):
        raise ConfigError(f"{base}: !ENV names {secrets[0]}, and {_PUBLISHED}; call a variable for pages otherwise")
    config["docs_dir"] = "docs"
    config["theme"] = _theme(base, config)
    config["use_directory_urls"] = True
    for key, own in (("extra_css", _STYLES), ("extra_javascript", _SCRIPTS)):
        listed = config.get(key) or []
        if not isinstance(listed, list):
            raise ConfigError(f"{base}: {key} should be a list of files; mend it, or delete it to use the default")
        if foreign := [file for file in listed if _FOREIGN.match(str(_address(file)))]:
            advice = "pages load nothing from there; put the file into site_templates/assets"
            raise ConfigError(f"{base}: {key} names another host ({_address(foreign[0])}); {advice}")
        config[key] = [*own, *listed]  # so that what a repository adds has the last word
    if not isinstance(config.setdefault("extra", {}), Mapping):
        raise ConfigError(f"{base}: extra should be a mapping; mend it, or delete it")
    return config


def mkdocs_config(
    frame: Mapping[str, Any],
    *,
    title: str,
    description: str,
    nav: list[dict[str, str]],
    hidden: Sequence[str],
    script_hashes: Sequence[str],
) -> bytes:
    """mkdocs.yml of the tree: the frame's settings, with the words of the specs and the navigation added.

    hidden: pages outside the navigation, which MkDocs walks once for every page in it; patterns, as MkDocs tries each
    on every file. script_hashes: of the inline scripts that may run.
    """
    config = {
        **frame,
        "site_name": title,
        "site_description": frame.get("site_description", " ".join(description.split())),
        "nav": nav,
        "not_in_nav": "\n".join(hidden),
        "extra": {**frame["extra"], "script_hashes": list(script_hashes)},
    }
    return dumped(config)


def dumped(settings: Mapping[str, Any]) -> bytes:
    """The settings as a file that MkDocs reads."""
    return yaml.dump(dict(settings), Dumper=_Dumper, sort_keys=False, allow_unicode=True).encode()


def environment(settings: object) -> dict[str, str | None]:
    """The variables of the environment that the settings name with !ENV, and their values."""
    if isinstance(settings, _Tagged):
        named = settings.node.value if isinstance(settings.node.value, list) else [settings.node]
        return {node.value: os.environ.get(node.value) for node in named if isinstance(node, yaml.ScalarNode)}
    inner = settings.values() if isinstance(settings, Mapping) else settings if isinstance(settings, list) else ()
    return {name: value for part in inner for name, value in environment(part).items()}


def resolved(setting: object) -> object:
    """What MkDocs takes a setting for: of `!ENV [NAME, other]` the variable that is set, else the last part."""
    if not isinstance(setting, _Tagged):
        return setting
    parts = setting.node.value if isinstance(setting.node.value, list) else [setting.node]
    names = [part.value for part in (parts[:-1] or parts)]
    return next((os.environ[name] for name in names if name in os.environ), parts[-1].value if parts[1:] else None)


def _address(file: object) -> object:
    return file.get("path") if isinstance(file, Mapping) else file


def _theme(base: Path, config: Mapping[str, Any]) -> dict[str, Any]:
    """The theme's settings with our overrides; a repository puts its own into site_templates/overrides."""
    theme = config.get("theme") or "material"
    settings = {"name": theme} if isinstance(theme, str) else theme
    if not isinstance(settings, Mapping) or settings.get("name") != "material" or settings.get("custom_dir"):
        advice = "pages are made for that theme; templates of yours that change it belong into site_templates/overrides"
        raise ConfigError(f"{base}: theme should be material, without a custom_dir, and is {settings}; {advice}")
    return {**settings, "custom_dir": "overrides"}


def _base_config(base: Path) -> dict[str, Any]:
    try:
        config = yaml.load(base.read_text("utf-8"), _Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{base}:{mark.line + 1}:{mark.column + 1}" if mark else f"{base}"
        why = f"cannot be read as YAML ({getattr(error, 'problem', None) or error})"
        raise ConfigError(f"{place}: {why}; mend it, or delete it to use the default") from None
    if not isinstance(config, Mapping):
        raise ConfigError(f"{base}: should hold a mapping of MkDocs settings; mend it, or delete it to use the default")
    return dict(config)


def nav_entry(title: str, url: str) -> dict[str, str]:
    """A line of the navigation."""
    return {title: paths.source_file(url)}


def unused_templates(folder: Path) -> Iterator[str]:
    """A line for each template below the folder that has the name of none of ours, and that no other there includes.

    None where one of them includes what only a page knows the name of.
    """
    own = _templates(folder)
    if not own:
        return
    ours = {*_templates(packaged("site_templates") / "pages")}
    for protocol in registered("protocols"):
        ours |= {f"{protocol}/{name}" for name in _templates(protocol_folder(protocol) / "templates")}
    included: set[str | None] = set()
    for path in own.values():
        with suppress(TemplateSyntaxError, UnicodeDecodeError):  # who renders it says what is wrong
            included.update(meta.find_referenced_templates(Environment().parse(path.read_text("utf-8"))))  # noqa: S701
    for name in () if None in included else sorted(own.keys() - ours - included):
        yield f"{own[name]}: no page is made of this template; {did_you_mean(name, ours)}"


def _templates(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.j2") if path.is_file()}
