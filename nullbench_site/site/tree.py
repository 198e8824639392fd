"""The generated MkDocs project: its settings, its files and bundles, and the repository's own templates."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files as files_of
from pathlib import Path
from posixpath import dirname, join, normpath
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

CASCADE = ["base", "frame", "tables", "home", "board", "charts", "fingerprint", "pages", "compare", "explorer", "print"]
"""The shipped style sheets, in their order."""
STYLE, SCRIPT = "assets/css/nullbench.css", "assets/js/nullbench.js"
"""The one style sheet and the one script of all pages."""
_PUBLISHED = "its value would be published on every page"
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|PRIVATE|BASE_URL", re.IGNORECASE)
"""Names of variables that hold secrets."""
_TAGS = re.compile(r"!ENV|!relative|tag:yaml\.org,2002:python/name:material\.extensions\.emoji\.\w+")
"""The allowed tags. Other tags let MkDocs run any Python code."""
_PLAIN = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null"))
_CODE = {
    "hooks": "it runs Python code of the repository",
    "INHERIT": "it loads settings from a file that is not checked",
}
_READERS = ("pymdownx.snippets", "pymdownx.b64")
"""Markdown extensions that copy any file into a page."""
_FOREIGN = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


class ConfigError(NullbenchError):
    """The repository's mkdocs.yml or one of its templates cannot be used."""


@contextmanager
def faults_in(templates: Path, shown: str) -> Iterator[None]:
    """Turn an error in a template of a folder into a ConfigError with file and line. shown: the folder's name.

    Other errors pass through.
    """
    try:
        yield
    except Exception as error:
        # Jinja puts the files and lines of templates into the traceback.
        passed = ((Path(frame.f_code.co_filename), line) for frame, line in walk_tb(error.__traceback__))
        own = [(file.relative_to(templates), line) for file, line in passed if file.is_relative_to(templates)]
        if not own:
            raise
        file, line = own[-1]
        advice = "fix it, or delete it to use the shipped one"
        raise ConfigError(f"{shown}/{file.as_posix()}:{line}: {one_line(str(error))}; {advice}") from error


class Kept(msgspec.Struct, frozen=True):
    """Marks a file that is already up to date. size: in bytes."""

    size: int


class _Tagged(msgspec.Struct, frozen=True):
    """A setting with a tag for MkDocs, such as `!ENV SITE_URL`, which we copy as it is."""

    node: yaml.Node


class _Loader(yaml.SafeLoader):
    pass


class _Dumper(yaml.SafeDumper):
    pass


def _tagged(loader: _Loader, tag: str, node: yaml.Node) -> _Tagged:
    parts = node.value if isinstance(node, yaml.SequenceNode) else ()
    plain = all(isinstance(part, yaml.ScalarNode) and part.tag in _PLAIN for part in parts)
    if not _TAGS.fullmatch(node.tag) or isinstance(node, yaml.MappingNode) or not plain:
        message = f"the tag {node.tag} may run code; use only !ENV, !relative and material's emoji"
        raise yaml.constructor.ConstructorError(None, None, message, node.start_mark)
    return _Tagged(node)


_Loader.add_multi_constructor("", _tagged)
_Dumper.add_representer(_Tagged, lambda dumper, tagged: tagged.node)


def write_tree(root: Path, files: Iterable[tuple[str, bytes | Kept]]) -> None:
    """Make a folder contain exactly these files, given as path and content."""
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
    """Yield path and size of each file below a folder, and each folder with None, outer before inner.

    Symlinks are removed: we make none, and must not write to their targets.
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
    """Return the settings of a repository, or the shipped ones."""
    own = root / "mkdocs.yml"
    return frame_settings(own if own.exists() else packaged("mkdocs.yml"))


def frame_settings(base: Path) -> dict[str, Any]:
    """Return the settings of a mkdocs.yml with ours added, without any text of the specs."""
    config = _base_config(base)
    for key, reason in _CODE.items():
        if key in config:
            raise ConfigError(f"{base}: {key} is not allowed: {reason}; remove it")
    extensions = str(config.get("markdown_extensions"))
    if reader := next((name for name in _READERS if name in extensions), None):
        raise ConfigError(f"{base}: {reader} is not allowed: it can copy any file into a page; remove it")
    if secrets := sorted(name for name in environment(config) if name.isidentifier() and _SECRET.search(name)):
        raise ConfigError(f"{base}: !ENV uses {secrets[0]}: {_PUBLISHED}; rename a variable that is meant for pages")
    config["docs_dir"] = "docs"
    config["theme"] = _theme(base, config)
    config["use_directory_urls"] = True
    for key, own in (("extra_css", [STYLE]), ("extra_javascript", [{"path": SCRIPT, "type": "module"}])):
        listed = config.get(key) or []
        if not isinstance(listed, list):
            raise ConfigError(f"{base}: {key} must be a list of files; fix it, or delete it to use the default")
        if foreign := [file for file in listed if _FOREIGN.match(str(_address(file)))]:
            advice = "put the file into site_templates/assets"
            raise ConfigError(f"{base}: {key} loads a file from another host ({_address(foreign[0])}); {advice}")
        config[key] = [*own, *listed]  # the repository's files come last and override ours
    if not isinstance(config.setdefault("extra", {}), Mapping):
        raise ConfigError(f"{base}: 'extra' must be a mapping; fix it, or delete it")
    return config


def mkdocs_config(
    frame: Mapping[str, Any],
    *,
    title: str,
    description: str,
    nav: list[dict[str, str]],
    hidden: Sequence[str],
    script_hashes: Sequence[str],
    partial: bool,
    contribute: Mapping[str, str],
) -> bytes:
    """Return the mkdocs.yml of the tree: the settings with title, description and navigation.

    hidden: patterns of the pages outside the navigation. script_hashes: of the inline scripts that may run.
    partial: whether the run is open, which every page says. contribute: links to take part.
    """
    config = {
        **frame,
        "site_name": title,
        "site_description": frame.get("site_description", " ".join(description.split())),
        "nav": nav,
        "not_in_nav": "\n".join(hidden),
        "extra": {
            **frame["extra"],
            "script_hashes": list(script_hashes),
            "partial": partial,
            "contribute": dict(contribute),
        },
    }
    return dumped(config)


def dumped(settings: Mapping[str, Any]) -> bytes:
    """Return the settings as YAML."""
    return yaml.dump(dict(settings), Dumper=_Dumper, sort_keys=False, allow_unicode=True).encode()


def environment(settings: object) -> dict[str, str | None]:
    """Return the environment variables that the settings use with !ENV, and their values."""
    if isinstance(settings, _Tagged):
        named = settings.node.value if isinstance(settings.node.value, list) else [settings.node]
        return {node.value: os.environ.get(node.value) for node in named if isinstance(node, yaml.ScalarNode)}
    inner = settings.values() if isinstance(settings, Mapping) else settings if isinstance(settings, list) else ()
    return {name: value for part in inner for name, value in environment(part).items()}


def resolved(setting: object) -> object:
    """Return the value of a setting: for `!ENV [NAME, default]` the first variable that is set, else the default."""
    if not isinstance(setting, _Tagged):
        return setting
    parts = setting.node.value if isinstance(setting.node.value, list) else [setting.node]
    names = [part.value for part in (parts[:-1] or parts)]
    return next((os.environ[name] for name in names if name in os.environ), parts[-1].value if parts[1:] else None)


def _address(file: object) -> object:
    return file.get("path") if isinstance(file, Mapping) else file


def _theme(base: Path, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the theme with our overrides."""
    theme = config.get("theme") or "material"
    settings = {"name": theme} if isinstance(theme, str) else theme
    if not isinstance(settings, Mapping) or settings.get("name") != "material" or settings.get("custom_dir"):
        advice = "put templates that change it into site_templates/overrides"
        raise ConfigError(f"{base}: theme must be material, without a custom_dir, not {settings}; {advice}")
    return {**settings, "custom_dir": "overrides"}


def _base_config(base: Path) -> dict[str, Any]:
    try:
        config = yaml.load(base.read_text("utf-8"), _Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{base}:{mark.line + 1}:{mark.column + 1}" if mark else f"{base}"
        why = f"invalid YAML ({getattr(error, 'problem', None) or error})"
        raise ConfigError(f"{place}: {why}; fix it, or delete it to use the default") from None
    if not isinstance(config, Mapping):
        raise ConfigError(f"{base}: must be a mapping of MkDocs settings; fix it, or delete it to use the default")
    return dict(config)


def nav_entry(title: str, url: str) -> dict[str, str]:
    """Return an entry of the navigation."""
    return {title: paths.source_file(url)}


def unused_templates(folder: Path) -> Iterator[str]:
    """Yield a message for each template of a repository that no page and no other template uses.

    Yield nothing if a template includes a name that is only known at run time.
    """
    own = _templates(folder)
    if not own:
        return
    ours = {*_templates(packaged("site_templates") / "pages")}
    for protocol in registered("protocols"):
        ours |= {f"{protocol}/{name}" for name in _templates(protocol_folder(protocol) / "templates")}
    included: set[str | None] = set()
    for path in own.values():
        with suppress(TemplateSyntaxError, UnicodeDecodeError):  # rendering reports it
            included.update(meta.find_referenced_templates(Environment().parse(path.read_text("utf-8"))))  # noqa: S701
    for name in () if None in included else sorted(own.keys() - ours - included):
        yield f"{own[name]}: no page uses this template; {did_you_mean(name, ours)}"


def _templates(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.j2") if path.is_file()}


# One style sheet and one script for all pages, made of the files in `site_templates/assets`.


_COMMENT = re.compile(r"/\*.*?\*/\n?", re.DOTALL)
_NOTE = re.compile(r"^ *//.*\n", re.MULTILINE)
_IMPORT = re.compile(r'^import (?:\{([^}]*)\}|\* as (\w+)) from "([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:\{([^}]*)\};|(?=(?:async )?(?:const|class|function) (\w+)))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_LOADER = """const $made = {};
const $use = (name) => $made[name] ??= $files[name]();
const $load = async (from, path) => $use(new URL(path, `file:///${from}`).pathname.slice(1));
export default $use;
$use("nullbench.js");
"""


def bundled(assets: Iterable[tuple[str, bytes]], protocols: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the assets of a site, with the style sheets of the theme and ours in one file, and our scripts in one.

    assets: path and content; files of the repository stand in the place of shipped ones.
    """
    files = dict(assets)
    shipped = packaged("site_templates") / "assets" / "js"
    names = [path.relative_to(shipped).as_posix() for path in sorted(shipped.rglob("*.js"))]
    sheets = [files.pop(f"assets/css/{name}.css") for name in CASCADE]
    modules = {name: files.pop(f"assets/js/{name}").decode() for name in names}
    for protocol in protocols:
        for part, name in (("explorer.js", protocol), ("compare.js", f"{protocol}-compare")):
            if (script := protocol_folder(protocol) / part).is_file():
                modules[f"protocols/{name}.js"] = script.read_text("utf-8")
    theme = Path(str(files_of("material"))) / "templates" / "assets" / "stylesheets"
    of_theme = b"".join(next(theme.glob(f"{name}.*.min.css")).read_bytes() for name in ("main", "palette"))
    yield STYLE, of_theme + _COMMENT.sub("", b"".join(sheets).decode()).encode()
    yield SCRIPT, script_bundle(modules).encode()
    yield from files.items()


def script_bundle(modules: Mapping[str, str]) -> str:
    """Return ES modules as one, each a function that runs when it is first used."""
    functions = "".join(f'"{name}": () => {{\n{_function(name, text, modules)}}},\n' for name, text in modules.items())
    return f"const $files = {{\n{functions}}};\n{_LOADER}"


def _function(name: str, text: str, modules: Mapping[str, str]) -> str:
    """Return the body of the function of a module. It returns what the module exports."""
    exported: list[str] = []

    def imported(match: re.Match[str]) -> str:
        target = normpath(join(dirname(name), match[3]))
        if target not in modules:
            raise ConfigError(f"site_templates/assets/js/{name}: imports {match[3]}, which is not a shipped script")
        return f'const {match[2] or "{" + match[1].replace(" as ", ": ") + "}"} = $use("{target}");'

    def kept(match: re.Match[str]) -> str:
        exported.extend(part.strip() for part in (match[1] or match[2]).split(","))
        return ""

    body = _EXPORT.sub(kept, _IMPORT.sub(imported, _NOTE.sub("", text))).replace("import(", f'$load("{name}", ')
    if left := _LEFT.search(body):
        advice = "import {names} from a file, and export const, class or function"
        raise ConfigError(f"site_templates/assets/js/{name}: cannot bundle {left[0]!r}; {advice}")
    return f"{body.rstrip()}\nreturn {{ {', '.join(exported)} }};\n"
