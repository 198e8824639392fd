"""Whether deepeval is here, in the one version that the scores are defined by."""

from __future__ import annotations

from nullbench_site.protocols.geval.metrics import VERSION


def missing() -> str | None:
    """What a user has to do before G-Eval can run; None where nothing is missing. Takes a few milliseconds."""
    from importlib.metadata import PackageNotFoundError, version

    install = "Run: pip install 'nullbench-site[geval]'"
    try:
        found = version("deepeval")
    except PackageNotFoundError:
        return f"G-Eval needs the package deepeval, version {VERSION}, which is not installed. {install}"
    if found != VERSION:
        return f"G-Eval needs deepeval {VERSION}; installed is {found}, whose scores may differ. {install}"
    return None
