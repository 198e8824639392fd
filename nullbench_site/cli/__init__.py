"""The command line: one thin module a command over nullbench_site.api."""

from nullbench_site.cli.app import main

__all__ = ["main"]
