"""Whether a run folder is what was sealed: every file there, every byte the same, nothing beside them."""

from __future__ import annotations

from pathlib import Path

from nullbench_site.runs.folder import file_digests
from nullbench_site.runs.manifest import Manifest, read_manifest


def integrity_problems(run_dir: Path, *, but_for: str | None = None) -> tuple[Manifest, list[str]]:
    """The manifest and, a line each, every file that differs from it.

    but_for: paths that begin so, below the run, may differ.
    Raises RunError where the manifest itself is missing, damaged, changed or of a newer format.
    """
    manifest = read_manifest(run_dir)
    if manifest.state != "sealed":
        return manifest, [f"{run_dir}: the run is not sealed yet; build it to its end first"]
    found, expected = (
        {name: digest for name, digest in files.items() if but_for is None or not name.startswith(but_for)}
        for files in (file_digests(run_dir), manifest.files)
    )
    problems = []
    for name, sealed in sorted(expected.items()):
        if name not in found:
            problems.append(f"{run_dir / name}: the file is missing")
        elif found[name] != sealed:
            size = f"{found[name].bytes} bytes" + (
                "" if found[name].bytes == sealed.bytes else f", sealed {sealed.bytes}"
            )
            problems.append(
                f"{run_dir / name}: the file was changed after the run was sealed ({size}; its sha256 differs)"
            )
    problems += [
        f"{run_dir / name}: the file was added after the run was sealed" for name in sorted(set(found) - set(expected))
    ]
    return manifest, problems
