#!/bin/sh
# Install nullbench-site, and its dependencies by their hashes. Jobs with keys pass --pinned, which requires a hash or a
# commit for nullbench-site too.
set -eu
own=requirements-nullbench-site.txt
line=$(grep -v '^ *#' "$own" | tr '\\\n' '  ' | sed 's/  */ /g; s/^ //; s/ $//')
by=
if printf '%s\n' "$line" | grep -Eqx 'nullbench-site==[^ ]+( --hash=sha256:[0-9a-f]{64})+'; then
  by=--require-hashes
elif [ "${1:-}" = --pinned ] && ! printf '%s\n' "$line" | grep -Eqx 'nullbench-site @ git\+https://[^ ]+@[0-9a-f]{40}'; then
  echo "$own: a job with keys needs a hash or a commit of nullbench-site; set one in that file" >&2
  exit 1
fi
pip install --require-hashes -r requirements.txt
pip install --no-deps --no-build-isolation $by -r "$own"
