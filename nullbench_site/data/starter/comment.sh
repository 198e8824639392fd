#!/bin/sh
# Post the review of a pull request as one comment, or update the earlier comment. Usage: comment.sh DIFF
# The pull request wrote DIFF, so GitHub says which pull request it is and which files it changes.
set -eu
export GH_HOST="${GITHUB_SERVER_URL#https://}" GH_ENTERPRISE_TOKEN="$GH_TOKEN"
repository=repos/$GITHUB_REPOSITORY
if [ "$EVENT" != pull_request ]; then
  echo "::notice::No comment: $EVENT is not a pull request."
  exit
fi
case $CONCLUSION in
  action_required | cancelled | skipped | stale)
    echo "::notice::No comment: the review did not finish ($CONCLUSION)."
    exit
    ;;
esac

found=$(gh api --method GET "$repository/pulls" -f state=open -f head="$HEAD" --jq '
  [.[] | select(.head.sha == env.SHA and (.head.repo.id | tostring) == env.HEAD_REPOSITORY)]
  | "\(length) \(.[0] | "\(.number) \(.base.ref) \(.head.label)")"')
read -r count number base head <<END
$found
END
if [ "$count" != 1 ]; then
  echo "::notice::No comment: $count open pull requests have the newest commit $SHA."
  exit
fi

gh api --paginate "$repository/pulls/$number/files?per_page=100" \
  --jq '.[] | {filename, status, previous_filename}' > "$RUNNER_TEMP/files.jsonl"
set -- "$1" --base="$base" --head="$head at $(printf %.7s "$SHA")" --job="$JOB" --files="$RUNNER_TEMP/files.jsonl"
if [ "$CONCLUSION" = success ]; then set -- "$@" --site; fi
nullbench-site comment "$@" --summary="$GITHUB_STEP_SUMMARY" > "$RUNNER_TEMP/comment.md"

earlier=$(gh api --paginate "$repository/issues/$number/comments?per_page=100" --jq '.[]
  | select(.user.login == "github-actions[bot]" and (.body // "" | startswith("<!-- nullbench-site: review -->"))) | .id')
earlier=${earlier%%[!0-9]*}
if [ "$earlier" ]; then
  gh api --method PATCH "$repository/issues/comments/$earlier" -F body=@"$RUNNER_TEMP/comment.md" --jq .html_url
else
  gh api --method POST "$repository/issues/$number/comments" -F body=@"$RUNNER_TEMP/comment.md" --jq .html_url
fi
