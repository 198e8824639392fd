"""The commands `diff` and `comment`."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.annotations import of_diff, sarif, workflow_commands
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
    help="Text, Markdown, JSON, the JSON Schema of that output, workflow commands of GitHub, or SARIF.",
)
@click.option(
    "--verify",
    is_flag=True,
    help="Verify the runs that HEAD adds or changes; exit with 2 if one fails.",
)
@profile_option
@click.pass_context
def diff(context: click.Context, base: str, head: str | None, *, form: str, profile: str | None, verify: bool) -> None:
    """Print the effects of a change of specs: new calls, their cost, and changed ranks.

    BASE and HEAD are commits, folders with specs/, or runs. HEAD is the working tree by default. The command makes no
    call, needs no key, reads commits without a checkout, and runs no code of either side.

    \b
    Examples:
      nullbench-site diff main
      nullbench-site diff v1.0.0 main --format markdown
      nullbench-site diff 1.0.0-7c1bd32e --format json
    """
    from nullbench_site.review import rendering, report

    if form == "schema":
        click.echo(report.json_schema(), nl=False)
        return
    comparison = api.diff(context.obj, base, head, profile=profile, verify=verify, places=form in {"github", "sarif"})
    match form:
        case "github":
            click.echo("\n".join(workflow_commands(of_diff(comparison), context.obj.root)))
        case "sarif":
            click.echo(sarif(of_diff(comparison), context.obj.root).decode())
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
@click.option("--base", metavar="BRANCH", help="The branch that the pull request targets.")
@click.option("--head", default="", metavar="TEXT", help="The branch and newest commit of the pull request.")
@click.option("--job", default="", metavar="URL", help="The job that compared; the comment links to it.")
@click.option("--site", is_flag=True, help="Say that this job kept a preview of the site.")
@click.option("--files", type=_FILE, help="The files that the pull request changes, one JSON object a line.")
@click.option("--summary", type=_FILE, help="Append a longer version to this file, such as GITHUB_STEP_SUMMARY.")
@click.option("--merge-requests", is_flag=True, help="In a GitLab pipeline: comment on each open merge request.")
def comment(
    file: Path | None, *, base: str | None, head: str, job: str, site: bool, files: Path | None, summary: Path | None,
    merge_requests: bool,
) -> None:  # fmt: skip
    """Print the review comment for FILE, the output of `diff --format json`.

    FILE may come from anyone. Its texts are shown as code, so none becomes a link, a mention or HTML. The options
    describe the pull request; take them from its host. Without --base the comment does not name one. The workflows
    that `init` writes post the comment.

    --merge-requests writes notes in GitLab instead, with the token in NULLBENCH_GITLAB_TOKEN.

    \b
    Examples:
      nullbench-site diff main --verify --format json > diff.json
      nullbench-site comment diff.json
    """
    from nullbench_site.review import comment as comments

    if (file is None) != merge_requests:
        raise UsageError("name a file that `diff --format json` wrote, or give --merge-requests alone")
    if file is None:
        for line in comments.write_notes():
            say(line)
        return
    comparison = comments.read_diff(file)
    about = None
    if base is not None:
        about = comments.PullRequest(base, head, job, site, comments.read_files(files) if files else ())
    if summary is not None:
        with storage_errors(summary), summary.open("a", encoding="utf-8") as step:
            step.write(f"{comments.summary(comparison, about)}\n")
    click.echo(comments.comment(comparison, about))
