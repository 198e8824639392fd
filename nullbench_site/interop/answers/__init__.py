"""Import of answers that a contestant gave elsewhere: JSON Lines of ours, or AlpacaEval's `model_outputs.json`."""

from __future__ import annotations

from nullbench_site.interop.answers.files import read_answers_file
from nullbench_site.interop.importer import AnswersImporter

_HELP = """Bring in answers that a contestant gave elsewhere; `build` has them judged like all others.

FILE holds a JSON object a line: item (an id of the board) and text; and if you have them sample (from 0), seconds,
input_tokens, output_tokens and finish (why it ended: stop, length, content_filter, refusal, tool_calls). Or it is
AlpacaEval's model_outputs.json: a list of objects with instruction, output and generator, whose instructions are the
prompts of the board.

The contestant gets a spec in specs/models/ and its place on the board; its answers are kept in answers/, those to
private items in the private folder. Every line that will not do is listed, and so is every item without an answer;
then nothing is changed. The same file again changes nothing.

\b
Examples:
  nullbench-site import answers outputs.jsonl --board practical --model our-model
  nullbench-site import answers model_outputs.json --board practical --model our-model --by "Jane Doe"
  nullbench-site import answers outputs-2.jsonl --board practical --model our-model --replace
"""

IMPORTER = AnswersImporter(_HELP, read_answers_file)
