#!/bin/sh
# Install nullbench-site and its dependencies, these by their hashes. With --pinned, as jobs that hold keys call it,
# refuse a nullbench-site that is not named by a hash or a commit.
set -eu
own=requirements-nullbench-site.txt
line=$(grep -v '^ *#' "$own" | tr '\\\n' '  ' | sed 's/  */ /g; s/^ //; s/ $//')
by=
if printf '%s\n' "$line" | grep -Eqx 'nullbench-site==[^ ]+( --hash=sha256:[0-9a-f]{64})+'; then
  by=--require-hashes
elif [ "${1:-}" = --pinned ] && ! printf '%s\n' "$line" | grep -Eqx 'nullbench-site @ git\+https://[^ ]+@[0-9a-f]{40}'; then
  echo "$own: this job holds keys and installs nullbench-site only by a hash or a commit; set one in that file" >&2
  exit 1
fi
pip install --require-hashes -r requirements.txt
pip install --no-deps --no-build-isolation $by -r "$own"
