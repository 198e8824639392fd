"""Judging by short questions (`method: questions`): what the protocols share.

A judge answers one question a call with yes or no. `asking` writes the messages and reads the reply, `values` turns the
records of a response into one mark a judge.
"""

REVISION = 1
"""Increased when a wording, the order of questions or the splitting of a response changes; part of the digest of calls
of a benchmark with a judge that is asked short questions."""
