"""Answer keys: the right answer to an item, and whether a response gives it. Judges are not involved.

Marking is a pure function of the response's text and the key. It takes time linear in the response and executes nothing
of it. A response without a readable answer is invalid, which is not the same as wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias, get_args

from nullbench_site.answer_keys.choices import MultipleChoice
from nullbench_site.answer_keys.exact import Exact
from nullbench_site.answer_keys.json_schema import JsonSchema
from nullbench_site.answer_keys.key import Cause, Key, KeyOutcome, Marked, Visible, invalid
from nullbench_site.answer_keys.numeric import Numeric
from nullbench_site.answer_keys.regex import Regex

__all__ = ["KEYS", "REVISION", "AnyKey", "Cause", "Key", "KeyOutcome", "Marked", "mark", "right_answer"]

AnyKey: TypeAlias = MultipleChoice | Exact | Numeric | Regex | JsonSchema
"""An answer key in a spec: msgspec distinguishes the types by `type`."""
KEYS: Mapping[str, type[Key]] = MappingProxyType({str(key.__struct_config__.tag): key for key in get_args(AnyKey)})
"""Every type of answer key by its id."""
REVISION = 3
"""Increased when a key would mark differently."""


def mark(text: str, key: Key, *, asked: str = "", languages: tuple[str, ...] = (), stopped: bool = False) -> Marked:
    r"""Return the mark of `text` by the key. This takes time linear in the text, and never raises.

    The last explicit answer counts ("Answer: B", \boxed{12}), else the last or first line as a whole. Thinking between
    tags is left out.

    asked: the question as the contestant was shown it; its numbers are no answers. languages: ids such as "de" whose
    phrases are tried; all if empty. stopped: True if the token limit ended the response.
    """
    visible = Visible(text, asked, languages, stopped)
    if visible.empty:
        cut = visible.cut_off or stopped
        why = "ends before its thinking does" if visible.cut_off else "holds no text outside its thinking"
        return invalid(why, "cut" if cut else "no answer")
    marked = key.mark(visible)
    if marked.outcome == "invalid" and stopped:
        return invalid(marked.why, "cut")
    return marked


def right_answer(key: AnyKey) -> str | None:
    """Return an answer that the key marks as correct; None if the key does not name one."""
    match key:
        case MultipleChoice():
            tried = [f"Answer: {', '.join(key.correct)}"]
        case Exact():
            tried = [key.accepted[0]]
        case Numeric():
            tried = [f"{key.value:.15g}"]
        case _:  # a pattern may be of a yes or no
            tried = ["Yes", "No"]
    return next((text for text in tried if mark(text, key).outcome == "correct"), None)
