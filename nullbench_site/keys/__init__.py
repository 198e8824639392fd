"""Answer keys: what a right answer is, and whether a response gives it. No judge has a part in it.

Marking is a pure function of the response's text and the key. It takes time linear in the response and executes nothing
of it. A response without a readable answer is invalid, which is not the same as wrong.
"""

from nullbench_site.keys.key import Key, KeyType, Marked, Outcome
from nullbench_site.keys.mark import REVISION, mark
from nullbench_site.keys.registry import KEYS, AnyKey

__all__ = ["KEYS", "REVISION", "AnyKey", "Key", "KeyType", "Marked", "Outcome", "mark"]
