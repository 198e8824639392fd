"""What a change means: `diff`, and the `comment` that is made of it."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.app import profile_option, say
from nullbench_site.errors import UsageError
from nullbench_site.runs.storage import storage_errors


@click.command()
@click.argument("base")
@click.argument("head", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json", "schema", "github", "sarif"]),
    default="text",
    show_default=True,
    help="For readers, a comment, programs; the JSON Schema of what programs get; GitHub's workflow commands; SARIF.",
)
@click.option(
    "--verify",
    is_flag=True,
    help="Check the runs that HEAD brings, as `verify` does; exit with 2 if one is not what was sealed.",
)
@profile_option
@click.pass_context
def diff(context: click.Context, base: str, head: str | None, *, form: str, profile: str | None, verify: bool) -> None:
    """Say what a change of specs means: the calls it asks anew, what they may cost, the ranks it already moves.

    BASE and HEAD are commits, folders with specs/, or runs; HEAD is the working tree if it is left out. No call is
    made, no key is needed, commits are read without being checked out, and no code of either side is run.

    \b
    Examples:
      nullbench-site diff main
      nullbench-site diff v1.0.0 main --format markdown
      nullbench-site diff 1.0.0-7c1bd32e --format json
    """
    from nullbench_site.cli import annotations
    from nullbench_site.review import rendering, report

    if form == "schema":
        click.echo(report.json_schema(), nl=False)
        return
    comparison = api.diff(context.obj, base, head, profile=profile, verify=verify, places=form in {"github", "sarif"})
    match form:
        case "github":
            click.echo("\n".join(annotations.workflow_commands(annotations.of_diff(comparison), context.obj.root)))
        case "sarif":
            click.echo(annotations.sarif(annotations.of_diff(comparison), context.obj.root).decode())
        case "json":
            click.echo(msgspec.json.encode(comparison).decode())
        case "markdown":
            click.echo(rendering.markdown(comparison))
        case _:
            click.echo(rendering.text(comparison))
    context.exit(0 if comparison.compared and not comparison.tampered else 2)


_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=_FILE, required=False)
@click.option(
    "--event",
    type=_FILE,
    help="Post it under the pull request of this file, which GitHub wrote of a workflow_run.",
)
@click.option("--summary", type=_FILE, help="Append more of it to this file, as GITHUB_STEP_SUMMARY names one.")
@click.option(
    "--merge-requests", is_flag=True, help="In a pipeline of GitLab: comment on each open merge request of the project."
)
def comment(file: Path | None, *, event: Path | None, summary: Path | None, merge_requests: bool) -> None:
    """Make the comment under a pull request of FILE, which `diff --format json` wrote.

    FILE may be anybody's: nothing in it becomes a link, a mention or HTML, and it names no pull request. With --event
    the comment is posted, in the place of an earlier one, with the token that GITHUB_TOKEN holds; else it is printed.
    With --merge-requests the files are those that the pipelines of merge requests left, and NULLBENCH_GITLAB_TOKEN is
    the token.

    \b
    Examples:
      nullbench-site diff main --verify --format json > diff.json
      nullbench-site comment diff.json
      nullbench-site comment diff.json --event "$GITHUB_EVENT_PATH" --summary "$GITHUB_STEP_SUMMARY"
    """
    from nullbench_site.review import comment as comments

    if (file is None) != merge_requests:
        raise UsageError("name a file that `diff --format json` wrote, or give --merge-requests alone")
    if file is None:
        from nullbench_site.review.gitlab import GitLab

        with GitLab.of_environment() as gitlab:
            for line in gitlab.comment_on_all():
                say(line)
        return
    comparison = comments.read_diff(file)
    if event is None:
        _append(summary, comments.summary(comparison))
        click.echo(comments.comment(comparison))
        return
    from nullbench_site.review.github import GitHub, read_event

    ended = read_event(event)
    with GitHub.of_environment(ended) as github:
        about = github.pull_request(ended)
        _append(summary, comments.summary(comparison, None if isinstance(about, str) else about))
        if isinstance(about, str):
            say(f"Not posted: {about}")
        else:
            say(f"Posted {github.put_comment(about.number, comments.comment(comparison, about))}")


def _append(file: Path | None, text: str) -> None:
    if file is not None:
        with storage_errors(file), file.open("a", encoding="utf-8") as step:
            step.write(f"{text}\n")
