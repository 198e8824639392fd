"""Read the verdict that a reply states in words instead of JSON: `Score: 4`, `[[4]]`, "I would give this a 4 out of 5".

A judge quotes what it judges, so a verdict in quotation marks, in a block quote, or after words such as "the response
says" is never the judge's own. All verdicts in a reply, quoted or not, must agree: an answer cannot bring its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from nullbench_site.judging.forms import BARE, BRACKETS, LABEL, SENTENCE
from nullbench_site.judging.scales import NONE, Choices, Marks, Scale, Value, bare, plain
from nullbench_site.runs.records import Score

NO_VERDICT = "no verdict"
DIFFER = "ambiguous: verdicts that differ"
ONLY_QUOTED = "the only verdict in the reply is a quotation; give your own"
_SEARCHED = 200_000
"""The most characters of a reply that are searched."""
_LONGEST_LINE, _LONGEST_SENTENCE = 4_000, 1_000
"""The most characters of a line and of a sentence that are searched."""

_NOUN = r"(?:response|answer|text|submission|reply|output|essay|summary|assistant|model|student|candidate|solution)"
_WHO = (
    rf"(?:{_NOUN}s?|user|prompt|author|writer|it|which|that|who|he|she|they|some(?:one|body)|sentence|line|content|"
    r"message|source)"
)
_SAYS = (
    r"(?:sa(?:y|ys|id)|claim(?:s|ed)?|states?|stated|wr(?:ite|ites|ote)|written|contain(?:s|ed)?|includ(?:es?|ed)|outputs?|"
    r"quot(?:es?|ed)|ask(?:s|ed)?|tells?|told|instruct(?:s|ed)?|demand(?:s|ed)?|ends?|ended|reads?|print(?:s|ed)?|"
    r"assert(?:s|ed)?|declar(?:es?|ed)|announc(?:es?|ed)|tr(?:y|ies|ied)|attempt(?:s|ed)?|want(?:s|ed)?|request(?:s|ed)?|"
    r"argu(?:es?|ed)|rat(?:es?|ed)\sitself|scor(?:es?|ed)\sitself|(?:gives?|gave)\sitself|insert(?:s|ed)?|embed(?:s|ded)?|inject(?:s|ed)?|"
    r"append(?:s|ed)?|begins?|starts?|repeat(?:s|ed)?|cop(?:y|ies|ied)|propos(?:es?|ed)|insist(?:s|ed)?|order(?:s|ed)?|"
    r"command(?:s|ed)?|conclud(?:es?|ed)|mentions?|mentioned|suggest(?:s|ed)?)"
)
_TOLD = re.compile(
    rf"\b{_WHO}(?:'s)?\s(?:[\w'-]{{1,20}}\s){{0,3}}{_SAYS}\b|\b{_NOUN}'s\s(?:own\s)?(?:verdict|score|claim|mark|rating)|"
    r"\baccording to (?:the|this|its)\b|\bquot(?:e[sd]?|ing|ation)\b|\b(?:embedded|injected|fake|forged|inserted)\b|"
    r"\bfor (?:example|instance)\b|\bsuch as\b|\be\.g\.|\binstead of\b|\brather than\b|\bnot\b|n't\b|\bnever\b|\bif\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:my|I|I'd|so|thus|therefore|hence|overall)\b")
_TELLING = 100
"""The most characters between words such as "says" and what is quoted."""
_CLAUSE = re.compile(r"[.!?]\s|[\n;]")


def is_told(before: str) -> bool:
    """Return True if the words before a verdict make it the verdict of somebody else, or deny it."""
    clause = _CLAUSE.split(before[-300:])[-1]
    told = next(reversed([*_TOLD.finditer(clause)]), None)
    if told is None or len(clause) - told.end() > _TELLING:
        return False
    return _OWN.search(clause, told.end()) is None


def in_quotes(before: str) -> bool:
    """Return True if quotation marks or backticks are open at the end of a text."""
    if before.count('"') % 2 or before.count("`") % 2:
        return True
    return before.count("\u201c") > before.count("\u201d") and "\u201c" in before


class Statement(NamedTuple):
    """A verdict in a reply. told: it is quoted or denied. words: the line or sentence with it; empty if it is bare."""

    value: Value
    form: str
    words: str
    told: bool = False


class Stated(NamedTuple):
    """The one verdict of a reply. words: as in Statement, of all that state it. rest: the other lines of the reply."""

    value: Score
    form: str
    words: tuple[str, ...]
    rest: str


def stated(text: str, scale: Scale, *, only: Sequence[str] = ()) -> Stated | str:
    """Return the one verdict that a text states in words, or why there is none. Takes linear time.

    only: the forms that are read; empty for all.
    """
    text = text[:_SEARCHED]
    found = [each for each in statements(text, scale) if not only or each.form in only]
    chosen = one_of(found)
    if isinstance(chosen, str) and chosen == NO_VERDICT and isinstance(scale, Marks) and not only:
        found = [*_sentences(text, scale)]
        chosen = one_of(found)
    if isinstance(chosen, str):
        return chosen
    said = [each for each in found if each.value.value is not None and not each.told]
    words = tuple(dict.fromkeys(each.words for each in said))
    return Stated(chosen, said[0].form, () if "" in words else words, rest_of(text, words, scale))


def one_of(found: Sequence[Statement]) -> Score | str:
    """Return the value of statements that agree, or why there is none."""
    values = [each.value.value for each in found if each.value.value is not None]
    problems = [each.value.why for each in found if each.value.why and not each.told]
    if len(dict.fromkeys((type(value), value) for value in values)) > 1:
        return f"{DIFFER}: {', '.join(dict.fromkeys(str(value) for value in values))}"
    if problems:
        return f"{DIFFER}: {problems[0]}" if values else problems[0]
    if not values:
        return NO_VERDICT
    return values[0] if any(not each.told for each in found if each.value.value is not None) else ONLY_QUOTED


_FENCE = re.compile(r"\s{0,3}(?:`{3,}|~{3,})[\w-]{0,20}\s*")
_MARKER = re.compile(
    r"(?:[\u2190-\u2bff\U0001f300-\U0001faff]\ufe0f?\s{0,3}){0,4}(?:[#>|]{1,6}\s{0,3}|[-*+\u2022]\s{1,3}){0,4}(?:[0-9]{1,2}[.)]\s{1,3}(?=\D))?"
)
_NOTE = (
    r"(?:\s?[(\[](?P<note>[^()\[\]\n]{1,60})[)\]]|\s(?P<out>out of [0-9]{1,3}|"
    r"(?:on|in) (?:a|the) scale (?:of|from) [0-9]{1,3} ?(?:to|-|\u2013) ?[0-9]{1,3}))?"
)
_KINDS = "my|the|your|final|overall|total|combined|single|initial|first|draft|preliminary|tentative|quality"
_HENCE = r"(?:(?:so|thus|therefore|hence|finally|consequently|in conclusion|in summary|conclusion)[,:]?\s)?"
_BEFORE_LABEL = rf"{_HENCE}(?:(?:{_KINDS})\s){{0,4}}"
_AFTER_LABEL = rf"(?:\s(?:for|of|to)\s(?:(?:this|the|my|that)\s)?(?:\w{{1,20}}'s\s)?{_NOUN})?"
_IS = r"(?:\s?(?:[:\uff1a=|]|->|\u2192|=>|[-\u2013\u2014]\s)|\sis\b:?)"


class _Patterns(NamedTuple):
    """Patterns of a name and a sign such as a colon: at the beginning of a line, within it; and of a name alone."""

    start: re.Pattern[str]
    within: re.Pattern[str]
    alone: re.Pattern[str]


@cache
def _patterns(labels: str) -> _Patterns:
    name = rf"{_BEFORE_LABEL}(?:{labels})(?:[_ ](?:score|rating|mark|grade|verdict))?{_AFTER_LABEL}"
    label = rf"[\"'\u201c]?{name}{_NOTE}[\"'\u201d]?{_IS}"
    within = rf"(?:(?<=[.!?;|,)] )|(?<=#)|(?<=\u2014 )|(?<=- )|(?<=: )|(?<=\bso )|(?<=\bthus )){label}"
    alone = rf"{name}{_NOTE}\s?[:\uff1a]?"
    return _Patterns(*(re.compile(each, re.IGNORECASE) for each in (label, within, alone)))


_TAG_NAMES = r"(?:final[_ ]?|overall[_ ]?)?(?:score|mark|rating|grade|result|verdict|answer|judge?ment|decision)"
_BRACKETED = re.compile(
    rf"\[\[\s?(?:{_TAG_NAMES}\s?[:=]\s?)?([^\[\]\n]{{1,40}})\s?\]\]|"
    rf"<({_TAG_NAMES})>\s{{0,5}}([^\n]{{1,40}}?)\s{{0,5}}</\2>|"
    r"\\{1,2}boxed\{(?:\\text\{)?([^{}\n]{1,40})\}{1,2}|"
    r"\[RESULT\]\s?[:\uff1a]?\s?(?!\[)([^\n]{1,80})",
    re.IGNORECASE,
)


_SHORT = 200
_QUOTING = ('"""', "'''", '"', "\u201c", "\u201d")
"""Lines that begin and end a quotation of several lines."""
_SPOKEN_OF = re.compile(r"\s{0,8}(?:is|was|are|were|which|that is|seems|appears|comes|stands)\b")
"""How a line begins that speaks of the line before."""


def statements(text: str, scale: Scale) -> Iterator[Statement]:
    """Yield the verdicts after a name, in brackets or tags, and alone on the first or last line of a text."""
    patterns = _patterns(scale.labels)
    whole = bare(text) if len(text) < _SHORT else ""
    if whole and "\n" not in whole and (value := scale.read(whole, reasons=False)).value is not None:
        yield Statement(value, BARE, "")
        return
    lines = [line for line in text.splitlines() if line.strip() and not _FENCE.fullmatch(line)]
    before, waits, inside = "", False, False
    for number, line in enumerate(lines):
        words = plain(line, _LONGEST_LINE)
        begins = _MARKER.match(words)
        content = words[begins.end() :].rstrip(" |") if begins else words
        told = line.lstrip().startswith(">") or (
            before.endswith((":", "\uff1a", '"', "\u201c")) and is_told(before.rstrip('"\u201c: '))
        )
        told = told or (number + 1 < len(lines) and _SPOKEN_OF.match(lines[number + 1]) is not None)
        inside ^= line.strip() in _QUOTING
        told = told or inside or (content[:1] in '"\u201c' and content[-1:] in '"\u201d' and len(lines) > 1)
        if waits and (value := scale.read(content)) != NONE:
            yield Statement(value, LABEL, f"{before}\n{line}", told)
        waited, waits = waits, patterns.alone.fullmatch(content) is not None
        yield from _labels(line, content, patterns, scale, told=told)
        yield from _brackets(line, content, scale, told=told)
        if number in (0, len(lines) - 1) and not waited and not (number and before.endswith((":", "\uff1a"))):
            value = scale.read(content, reasons=number == 0)
            opens = number == 0 and (isinstance(scale, Choices) or value.of or len(lines) == 1)
            if value.value is not None and (opens or scale.read(content, reasons=False).value is not None):
                yield Statement(value, BARE, "" if scale.read(content, reasons=False).value is not None else line, told)
        before = words


def _labels(line: str, content: str, patterns: _Patterns, scale: Scale, *, told: bool) -> Iterator[Statement]:
    """Yield the verdicts after names in a line."""
    found = [start] if (start := patterns.start.match(content)) else []
    found += patterns.within.finditer(content, found[0].end() if found else 0)
    for number, label in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(content)
        value = scale.read(content[label.end() : end])
        if value.value is not None and isinstance(scale, Marks):
            value = _on_scale(value, label, scale)
        if value != NONE:
            around = content[: label.start()]
            yield Statement(value, LABEL, line, told or in_quotes(around) or is_told(around.rstrip(": ")))


def _on_scale(value: Value, label: re.Match[str], scale: Marks) -> Value:
    """Return the value, or a problem if its label names another scale: `Score (1-10): 4`."""
    noted = label["note"] or label["out"]
    if not noted:
        return value
    with_note = scale.read(f"{value.value} ({noted})", reasons=False)
    return value if with_note.value is not None or not re.search(r"[0-9]", noted) else with_note


def _brackets(line: str, content: str, scale: Scale, *, told: bool) -> Iterator[Statement]:
    """Yield the verdicts in double brackets, tags and boxes of a line."""
    for match in _BRACKETED.finditer(content):
        value = scale.read(match[1] or match[3] or match[4] or match[5])
        if value != NONE:
            before = content[: match.start()]
            alone = len(content) <= _BARE
            yield Statement(value, BRACKETS, "" if alone else line, told or in_quotes(before) or is_told(before))


_BARE = len("[[A>>B]]") + 1
"""The most characters of a line that is nothing but a verdict in brackets."""


# A mark in a sentence. Every mark that the reply names must be the same, and no sentence with one may deny or doubt it.

_ON = r"(?:[0-9]{1,4}(?:\.[0-9]{1,3})?|one|two|three|four|five|six|seven|eight|nine|ten)"
_OUT_OF = rf"(?:\s?(?:/|out of)\s?{_ON})?"
_MENTION = re.compile(
    rf"(?<![\w.,/-]){_ON}\s?(?:/|out of)\s?{_ON}(?![\w/])|"
    rf"\b(?:score|rating|mark|grade)s? of (?:an? )?{_ON}{_OUT_OF}(?![\w/])|"
    rf"\b(?:giv(?:e|es|ing)|rat(?:e|es|ing)|scor(?:e|es|ing)|grad(?:e|es|ing)|mark|award(?:s|ing)?|assign(?:s|ing)?|deserves?|"
    rf"earns?|gets?|receives?|merits?|warrants?)\b(?:\s[\w'-]{{1,20}}){{0,6}}?\s(?:an?|as|at|with|it|this|{_NOUN})\s{_ON}{_OUT_OF}(?![\w/])",
    re.IGNORECASE,
)
_TAIL_NUMBER = re.compile(rf"{_ON}\s?(?:/|out of)\s?{_ON}\Z|{_ON}\Z", re.IGNORECASE)
_COMMITS = re.compile(
    r"\bI(?:'d|'ll|\u2019d| would| will| am| have| therefore| thus)?\s(?:\w{1,20}\s){0,3}?"
    r"(?:giv|gave|rat(?:e|ing)|scor|grad|mark|award|assign|assess|evaluat)|"
    rf"\b(?:the|this|that)\s(?:\w{{1,20}}\s)?{_NOUN}\s(?:\w{{1,20}}\s)?(?:deserves|earns|gets|receives|merits|warrants|scores)|"
    r"\b(?:my|overall|final|the) (?:\w{1,20} )?(?:score|rating|mark|grade|verdict)|\b(?:overall|in total|in summary)\b|"
    r"\b(?:score|rating|mark|grade) of\b",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\bnot\b|n['\u2019]t\b|\b(?:never|cannot|if|unless|had|were|could|might|may|should|instead|rather|almost|nearly|close|"
    r"between|either|or|least|most|more|less|above|below|under|over|up to|than|would (?:be|have|need|require|take)|"
    r"needs?|requires?|require|highest|lowest|maximum|why|whether|another|no|without|otherwise|perhaps|maybe|possibly|"
    r"going to|tempted|wanted|considered|thought|settled|lower|higher|down|about|around|roughly|"
    r"approximately|initially|first)\b|\?",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\s(?!and\b|but\b|because\b|as\b|for\b|since\b|with\b|overall\b|due\b|on\b|in\b|given\b|stars?\b|points?\b)[a-z]{3,}"
)
_ENDS = re.compile(r"(?<=[.!?])\s|\n")


def _sentences(text: str, scale: Marks) -> Iterator[Statement]:
    """Yield the marks in the sentences of a text; nothing if a sentence with one denies or doubts it."""
    before = ""
    for sentence in _ENDS.split(text):
        words = plain(sentence, _LONGEST_SENTENCE)
        mentions = [*_MENTION.finditer(words)]
        above = before.endswith(":") and is_told(before[:-1])
        plainly = bool(mentions) and _COMMITS.search(words) is not None and _DOUBTS.search(words) is None
        for mention in mentions:
            number = _TAIL_NUMBER.search(mention[0])
            if number is None or _COUNT.match(words, mention.end()):
                continue
            value = scale.read(number[0], reasons=False)
            start = words[: mention.start()]
            if not plainly or above or words.startswith(">") or in_quotes(start) or is_told(start):
                value = Value(None, DOUBTFUL)
            yield Statement(value, SENTENCE, sentence.strip())
        before = words or before


DOUBTFUL = "no verdict is stated plainly"


_FEW_WORDS = 4
"""The most words of a reply that is only a verdict."""


def rest_of(text: str, words: Sequence[str], scale: Scale | None = None) -> str:
    """Return the lines of a text that do not state its verdict, without names such as "Rationale:".

    words: the lines that state it. scale: also leave out lines that are nothing but one of its values.
    """
    said = {line for each in words for line in each.splitlines()}
    lines = [
        _RATIONALE.sub("", line)
        for line in text.splitlines()
        if line not in said and (scale is None or scale.read(line, reasons=False).value is None)
    ]
    rest = "\n".join(lines).strip()
    # The line of the verdict may have the reasons, too.
    return rest or (text.strip() if len(text.split()) > _FEW_WORDS else "")


_RATIONALE = re.compile(
    r"\A[\s#>*_-]{0,8}(?:rationale|reasons?|reasoning|explanation|feedback|justification)[*_]{0,2}\s?:[*_]{0,2}\s{0,3}",
    re.IGNORECASE,
)


def shortest(line: str) -> str:
    """Return a line in a few characters, in quotes."""
    return repr(line[:40])
