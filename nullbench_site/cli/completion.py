"""`nullbench-site completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the script that teaches a shell to complete commands, options, boards, models and runs.

    \b
    Examples:
      nullbench-site completion bash >> ~/.bashrc
      nullbench-site completion fish > ~/.config/fish/completions/nullbench-site.fish
    """
    maker = get_completion_class(shell)
    if maker is not None:
        root = context.find_root().command
        click.echo(maker(root, {}, "nullbench-site", "_NULLBENCH_SITE_COMPLETE").source())
