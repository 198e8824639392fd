"""One style sheet and one script for all pages, made of the files in `site_templates/assets`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from posixpath import dirname, join, normpath

from nullbench_site.extensions import protocol_folder
from nullbench_site.packaged import packaged
from nullbench_site.site.tree import CASCADE, SCRIPT, STYLE, ConfigError

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
    """Yield the assets of a site, with the shipped style sheets and scripts in one file each.

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
    yield STYLE, _COMMENT.sub("", b"".join(sheets).decode()).encode()
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
