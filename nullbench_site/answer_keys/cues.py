"""Expressions for the phrases by which answers are found in a response, in eleven languages.

All have bounded repetitions, so a search takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType

import msgspec

from nullbench_site.answer_keys.phrases import UNSPACED, all_phrases, expression, spoken

# "No", which before a letter denies it.
_DENIALS = ("no", "non", "nein", "n\u00e3o", "\u043d\u0435\u0442", "\u0644\u0627")


class Cues(msgspec.Struct, frozen=True, dict=True):
    """The phrases of some languages, and expressions made of them."""

    phrases: Mapping[str, tuple[str, ...]]

    def any_of(self, *kinds: str) -> str:
        """Return an expression for any phrase of these kinds, the longest first."""
        return expression(phrase for kind in kinds for phrase in self.phrases.get(kind, ()))

    def compiled(self, *kinds: str) -> re.Pattern[str]:
        return re.compile(self.any_of(*kinds), re.IGNORECASE)

    @cached_property
    def link(self) -> str:
        """Return the expression of what connects "answer" with the answer: a sign, or a verb without a denial."""
        denial = rf"(?! ?{self.any_of('not')})"
        return rf"(?:[\"']? ?(?:[:=|\u2192]|=>|- |{self.any_of('is')}{denial}) ?:?)"

    @cached_property
    def strong(self) -> re.Pattern[str]:
        """Return the expression of what comes before an answer that is called one."""
        label = rf"(?: ?{self.any_of('label')}| (?:choice|option|letter))?"
        adjective = rf"(?: ?{self.any_of('right', 'wrong')})?"
        about = (
            r"(?: (?:to|for|of|auf|zu|\u00e0|de|a|alla|\u00e0s|para|\u043d\u0430|\u0639\u0644\u0649|"
            r"\u0639\u0646) [^.:=?!\n]{1,60}?)?"
        )
        right, of_options = self.any_of("right", "wrong"), self.any_of("label")
        named = (
            rf"(?:{right} ?{of_options}|{of_options} {self.any_of('right')}"
            r"|(?:final|my) (?:option|choice|selection|letter))"
        )
        return re.compile(
            rf"(?:(?:{self.any_of('answer')}|(?<=_)answer|{named}){label}{adjective}{about} ?{self.link}"
            rf"|{self.any_of('choose')}(?! not\b) ?:?"
            r"|<answer>|\\boxed *\{|\\fbox *\{)",
            re.IGNORECASE,
        )

    @cached_property
    def weak(self) -> re.Pattern[str]:
        """Return the expression of what comes before something that is called right, or a result."""
        return re.compile(
            rf"(?:\b(?:correct|right|best|final|most [a-z-]{{1,20}}) [a-z]{{1,20}} ?{self.link}"
            rf"|(?:(?:final|total|overall) )?{self.any_of('result')}(?: (?:is|of) [^.:=?!\n]{{1,40}}?)? ?{self.link})",
            re.IGNORECASE,
        )

    @cached_property
    def corrected(self) -> re.Pattern[str]:
        """Return the expression of a correction before an answer: "Wait, actually it is"."""
        return self._correction("but")

    @cached_property
    def corrected_letters(self) -> re.Pattern[str]:
        """Return the expression of a correction before a letter, also of a weak one: "but it is"."""
        return self._correction("but", "though")

    @cached_property
    def corrected_directly(self) -> re.Pattern[str]:
        """Return the expression of a correction directly before a letter: "no, sorry, actually B."."""
        return re.compile(rf"(?i:{self._adjacent('but')})[,.: ]{{1,3}}(?=[(\[]?[A-Z](?![\w'])[)\]]? ?(?:[.!,;:]|$))")

    def _adjacent(self, *kinds: str) -> str:
        # Directly before "it is" or a letter, these would deny it.
        denials = {*self.phrases["not"], *self.phrases["wrong"]}
        return expression(phrase for kind in kinds for phrase in self.phrases.get(kind, ()) if phrase not in denials)

    def _correction(self, *kinds: str) -> re.Pattern[str]:
        return re.compile(
            rf"(?:{self._adjacent(*kinds)} ?|{self.any_of('wrong', *kinds)}[^.!?\n]{{0,30}}?[-.,;:!]{{1,3}} ?)"
            rf"(?:{self.any_of('but', 'though', 'so', 'think')}[,.: ]{{0,2}}){{0,3}}{self.any_of('it')}"
            rf"(?! ?{self.any_of('not')})(?: ?{self.any_of('but')})? ?:?",
            re.IGNORECASE,
        )

    @cached_property
    def retracted(self) -> re.Pattern[str]:
        return re.compile(rf"{self.any_of('take-back')}[^\n.!?]{{0,20}}[.!]", re.IGNORECASE)

    @cached_property
    def reversed(self) -> re.Pattern[str]:
        """Return the expression of a letter that is called the answer: "B is the correct answer"."""
        role = rf"(?:{self.any_of('answer', 'label')}|one)"
        article = r"(?: ?(?:therefore|thus|clearly|also|the|my|our|die|der|das|la|le|el|il|a|o|l'))*"
        right = self.any_of("right")
        return re.compile(
            rf"(?:{self.any_of('label')} ?)?(?<![\w'])[(\[]?([A-Za-z])[)\]]?(?![\w'])(?:[.:)] [^.\n]{{1,80}}?)? ?"
            rf"(?:{self.any_of('is')}{article} (?:(?:most )?{right} ?{role}|{self.any_of('answer')}(?: {right})?"
            rf"|{role} {right})"
            rf"|{self.any_of('is')}{article} ?{right}(?= *(?:[.,;:!]|$|because|since))"
            rf"|\b(?:is|are) (?:therefore |thus |clearly )?(?:the|my|our) {role}\b"
            rf"|[\u304c\u306f\u662f\uac00\uc774] ?(?:{right} ?(?:\u7684 ?)?(?:{role})?|{self.any_of('answer')}))"
            rf"|{self.any_of('answer')} ([A-Z]) (?:ist|w\u00e4re)(?![^\W_])|(?:ist|w\u00e4re) ([A-Z]) {right}"
            rf"|{self.any_of('label')} ([A-Za-z]) ?{self.any_of('is')}{article} {right}"
            r"(?= *(?:[.,;:!]|$|because|since))"
            rf"|\b(?:makes|making|leaves|leaving) (?:only )?([A-Za-z]) (?:as )?(?:the|my|our) (?:only )?"
            rf"(?:{right} )?{role}",
            re.IGNORECASE,
        )

    @cached_property
    def concluded(self) -> re.Pattern[str]:
        """Return the expression of a capital letter that a sentence ends with: "so it must be (D)"."""
        denials = {*self.phrases["not"], *_DENIALS}
        contrast = expression(phrase for phrase in self.phrases.get("though", ()) if phrase not in denials)
        return re.compile(
            rf"(?i:(?:{self.any_of('so', 'which', 'think', 'it', 'choose')}|(?<!anything )(?<!nothing )(?<!all )"
            rf"{contrast}|\b(?:be|remains|say|pick|select|with|only|want|take|went to|goes to)\b)[,: ]{{0,2}})"
            rf"(?i:(?:{self.any_of('it', 'label', 'is')}|the|only)[,: ]{{0,2}}){{0,3}}[(\[]?([A-Z])(?![\w'])[)\]]?"
            rf"(?= ?(?:[.!,;:)]|$|{self.any_of('after', 'because')}))",
        )

    @cached_property
    def denied_letters(self) -> re.Pattern[str]:
        """Return the expression of a letter that a text denies: "not C", "C is wrong"."""
        wrong = self.any_of("wrong")
        return re.compile(
            rf"{self.any_of('not')}[ :]{{0,2}}(?:the |an? |{self.any_of('label', 'is')} ?){{0,2}}[(\[]?[A-Z](?!["
            rf"\w'])[)\]]?"
            r"(?:(?:,|/| or\b| nor\b| and\b){1,2} ?[(\[]?[A-Z](?![\w'])[)\]]?){0,8}"
            rf"|(?:{self.any_of('label')} ?)?(?<![\w'])[(\[]?[A-Z][)\]]?(?![\w'])(?:[:)] (?![A-Z](?![\w']))[^."
            rf"\n]{{1,80}}?)? ?"
            rf"(?:{self.any_of('is')}[^.,;\n]{{0,20}}? ?(?:{wrong}|{self.any_of('not')})|(?:isn't|can't|cannot|c"
            rf"an not|doesn't|won't)"
            rf"|{self.any_of('denied')}|{wrong}|[\u306f\u304c\u662f\uc740\ub294\uc774\uac00] ?{wrong})",
            re.IGNORECASE,
        )

    @cached_property
    def contrasted(self) -> re.Pattern[str]:
        """Return the expression of a denied letter and what comes before the right one: "not A but"."""
        letter = r"[(\[]?[A-Z](?![\w'])[)\]]?"
        role = rf"(?:the |an? |{self.any_of('label', 'is')} ?)"
        link = rf"(?:{self.any_of('contrast', 'it')}[ :,]{{0,2}}){{1,2}}"
        return re.compile(
            rf"(?:(?i:{self.any_of('not')}|n't\b)[ :]{{0,2}}(?i:{role}){{0,2}}{letter}"
            rf"(?:, [^.;,\n?]{{1,60}})?[^.;,\n?]{{0,40}}?[ ,.;:-]{{1,3}}(?i:{link})"
            rf"|{letter} ?(?:\u304c|\uac00|\uc774|\u306f)? ?"
            r"(?:\u3067\u306f\u306a\u304f\u3066?|\u3058\u3083\u306a\u304f\u3066|\uc544\ub2c8\ub77c)[ ,]{0,2})"
            rf"(?i:{role}){{0,2}}(?={letter})"
        )

    @cached_property
    def asked_and_denied(self) -> re.Pattern[str]:
        """Return the expression of a denial behind a question: "B? No, "."""
        denials = "|".join((*_DENIALS, "nope", "\u4e0d", "\u3044\u3044\u3048", "\uc544\ub2c8\uc694?"))
        return re.compile(
            rf"\? ?(?:wait, ?|hmm, ?)?(?:{denials})(?![^\W_]) ?[-,.:;!]{{1,2}} ?(?:{self.any_of('it')} ?)?",
            re.IGNORECASE,
        )

    @cached_property
    def denied_bold(self) -> re.Pattern[str]:
        """Return the expression of a bold letter that a text denies: "**C** is wrong"."""
        denial = self.any_of("wrong", "denied", "not")
        return re.compile(
            rf"{self.any_of('not')} (?:{self.any_of('label')} )?\*\*[^*\n]{{1,80}}\*\*"
            rf"|\*\*[^*\n]{{1,80}}\*\*[^.,;\n]{{0,30}}?(?:{denial}|n't\b)",
            re.IGNORECASE,
        )

    @cached_property
    def results(self) -> re.Pattern[str]:
        return re.compile(rf"(?:(?:final|total|overall) )?{self.any_of('result')}", re.IGNORECASE)

    @cached_property
    def verbs(self) -> re.Pattern[str]:
        """Return the expression of the verb before an answer."""
        return re.compile(rf"{self.any_of('is', 'it')}(?: ?{self.any_of('think', 'about')})?[: ]{{0,2}}", re.IGNORECASE)

    @cached_property
    def hedge(self) -> re.Pattern[str]:
        """Return the expression of "I think" behind an answer."""
        return re.compile(rf"[ ,-]{{1,3}}{self.any_of('think')}[.! ]*$", re.IGNORECASE)

    @cached_property
    def denies(self) -> re.Pattern[str]:
        return re.compile(rf"{self.any_of('not', 'denied')}|n't\b", re.IGNORECASE)

    @cached_property
    def copula(self) -> re.Pattern[str]:
        """Return the expression of the verb that ends a sentence in some languages."""
        return re.compile(rf" ?{self.any_of('after')}[.! ]*$", re.IGNORECASE)

    @cached_property
    def denied_end(self) -> re.Pattern[str]:
        """Return the expression of a sentence that ends with a denial: "X is wrong"."""
        return re.compile(rf"(?:{self.any_of('is')} ?{self.any_of('wrong')}|{self.any_of('denied')})$", re.IGNORECASE)

    @cached_property
    def ending(self) -> re.Pattern[str]:
        """Return the expression of what follows an answer in languages whose verb comes last."""
        return re.compile(rf"^ ?{self.any_of('after')}", re.IGNORECASE)

    @cached_property
    def lead(self) -> re.Pattern[str]:
        """Return the expression of the words before a letter."""
        words = self.any_of("label", "answer", "right", "think", "is", "so")
        return re.compile(
            rf"[\W_]*(?:(?:it's|it is|the|only|either|both|but|rather|sondern|mais|sino|\u800c\u662f|definitely|"
            rf"clearly|boxed|with|{words})(?![^\W_])[\W_]*)*",
            re.IGNORECASE,
        )

    @cached_property
    def supposed(self) -> re.Pattern[str]:
        return re.compile(rf"{self.any_of('if')}|(?:\bnot\b|n't\b)(?=[^,;:]*$)", re.IGNORECASE)

    @cached_property
    def heading(self) -> re.Pattern[str]:
        """Return the expression of a line that announces the answer on the next one."""
        words = self.any_of("right", "label")
        return re.compile(
            rf"\W*(?:(?:the|my|la|die|le)? ?{words} ?){{0,2}}(?:the )?(?:{self.any_of('answer')}|choice|option) "
            rf"?(?:{words})?\W*",
            re.IGNORECASE,
        )

    @cached_property
    def wrong_before(self) -> re.Pattern[str]:
        """Return the expression of "wrong" at the end of what is before "answer"."""
        return re.compile(rf"{self.any_of('wrong')} ?(?:the |an? )?$", re.IGNORECASE)

    @cached_property
    def wrong(self) -> re.Pattern[str]:
        return self.compiled("wrong")

    @cached_property
    def declines(self) -> re.Pattern[str]:
        return self.compiled("decline")

    @cached_property
    def result_verb(self) -> re.Pattern[str]:
        """Return the expression of what comes directly before a result: "is about", "prints"."""
        return re.compile(
            rf"{self.any_of('is', 'verb', 'has', 'it')}[ :\"]*(?:{self.any_of('about')}[ :]*){{0,3}}[^\w]{{0,3}}$",
            re.IGNORECASE,
        )

    @cached_property
    def owning_verb(self) -> re.Pattern[str]:
        """Return the expression of a verb that a number of the question may follow too: "he has"."""
        return re.compile(rf"{self.any_of('has')}[ :]*(?:{self.any_of('about')}[ :]*){{0,3}}$", re.IGNORECASE)

    @cached_property
    def reason(self) -> re.Pattern[str]:
        """Return the expression of a word that begins a reason or another clause after the main one."""
        return re.compile(rf"[ ,;(]{{1,3}}{self.any_of('because')}", re.IGNORECASE)

    @cached_property
    def leading(self) -> re.Pattern[str]:
        """Return the expression of a clause before the main one: "After he ate 2, "."""
        return re.compile(
            rf"(?i:{self.any_of('because', 'if', 'than')}|between|of|out of|in|with|on|at|by)(?![^\W_])[^\n]{{1,"
            rf"200}}?, (?=\S)",
            re.IGNORECASE,
        )

    @cached_property
    def conclusion(self) -> re.Pattern[str]:
        return re.compile(rf"(?:^|[,;: (]){self.any_of('so')}", re.IGNORECASE)

    @cached_property
    def remark(self) -> re.Pattern[str]:
        """Return the expression of a word that begins a conclusion or a remark: "which is"."""
        return re.compile(rf"(?:^|[,;: (]){self.any_of('so', 'which')}", re.IGNORECASE)

    @cached_property
    def denied_behind(self) -> re.Pattern[str]:
        """Return the expression of a denial directly behind an answer: "is wrong"."""
        return re.compile(
            rf"^[^\w]{{0,3}}(?:{self.any_of('is')} ?{self.any_of('wrong')}|{self.any_of('denied')})", re.IGNORECASE
        )

    @cached_property
    def denied_number(self) -> re.Pattern[str]:
        """Return the expression of a number that a text denies: "not 8", "rather than 8", "8 is wrong"."""
        number = r"[-+]?[\u20ac\u00a3\u00a5\u20b9]? ?[0-9](?:[0-9]|[.,](?=[0-9])){0,30}(?: ?%)?"
        return re.compile(
            rf"(?:{self.any_of('not')}|n't) ?(?:{self.any_of('about', 'has', 'verb')} ?)?{number}"
            rf"|{number} (?:[^\W\d_]{{1,20}} )?(?:{self.any_of('is')} (?:{self.any_of('wrong')}|"
            rf"{self.any_of('not')})|isn't\b|{self.any_of('denied')})",
            re.IGNORECASE,
        )

    @cached_property
    def compared(self) -> re.Pattern[str]:
        """Return the expression of a comparison with a number: word (group 1) and number (group 2)."""
        number = r"([-+]?[\u20ac\u00a3\u00a5\u20b9]? ?[0-9](?:[0-9]|[.,](?=[0-9])){0,30}(?: ?%)?)"
        pair = rf"(?: ?(?:{self.any_of('and', 'or', 'than')}) {number[1:-1]}(?: ?%)?)?"
        word = f"({self.any_of('more', 'less', 'other')})"
        return re.compile(
            rf"{word}(?: [^\W\d_]{{1,20}}){{0,2}}? {self.any_of('than')} (?:both |either |the (?:(?:number|value"
            rf"|decimal) )?)?{number}{pair}"
            rf"|\u6bd4 ?{number} ?{word}|{number} ?(?:[^\W\d_]{{1,8}} )?(?:\u3088\u308a\u3082?|\ubcf4\ub2e4)(?: "
            rf"?{word})?",
            re.IGNORECASE,
        )

    @cached_property
    def comparing(self) -> re.Pattern[str]:
        """Return the expression of "more days than", without a number."""
        return re.compile(
            rf"{self.any_of('more', 'less', 'other')}(?: [^\W\d_]{{1,20}}){{0,2}}? {self.any_of('than')}", re.IGNORECASE
        )

    @cached_property
    def ticked(self) -> re.Pattern[str]:
        """Return the expression of the end of an option that is called right: "C) 1918 - correct"."""
        return re.compile(
            rf"(?:[-\u2013\u2014:(] ?{self.any_of('right')}|[\u2705\u2713\u2714])[^\w]{{0,4}}$", re.IGNORECASE
        )

    @cached_property
    def up(self) -> re.Pattern[str]:
        return self.compiled("more")

    @cached_property
    def down(self) -> re.Pattern[str]:
        return self.compiled("less")

    @cached_property
    def small(self) -> frozenset[str]:
        """Return the words that say nothing of the answer: articles, prepositions, auxiliary verbs."""
        return frozenset(self.phrases.get("small", ()))

    @cached_property
    def filler(self) -> re.Pattern[str]:
        """Return the expression of phrases around an answer: "I think", "it is about"."""
        return self.compiled("is", "it", "think", "about", "after", "has")

    @cached_property
    def introduced(self) -> re.Pattern[str]:
        """Return the expression of "it is probably" before an answer."""
        some = self.any_of("so", "think", "about", "but")
        return re.compile(rf"\W*(?:{some}[ ,]*){{0,3}}{self.any_of('it')}[ :]*(?:{some}[ ,:]*){{0,3}}", re.IGNORECASE)

    @cached_property
    def corrects(self) -> re.Pattern[str]:
        """Return the expression of the beginning of a correction."""
        return self.compiled("but", "take-back")

    @cached_property
    def alternatives(self) -> re.Pattern[str]:
        return self.compiled("or")

    @cached_property
    def denial(self) -> re.Pattern[str]:
        return self.compiled("not")

    @cached_property
    def open_end(self) -> re.Pattern[str]:
        """Return the expression of a sentence that ends before its answer: "The capital is"."""
        spaced = expression(phrase for phrase in self.phrases["is"] if not UNSPACED.search(phrase))
        return re.compile(rf"(?<=\w\w) {spaced}(?: (?:the|an?))?$", re.IGNORECASE)

    @cached_property
    def concludes(self) -> re.Pattern[str]:
        """Return the expression of a conclusion: "so", "therefore"."""
        return re.compile(rf"{self.any_of('so')}|\b(?:therefore|thus|hence)\b", re.IGNORECASE)

    @cached_property
    def supposition(self) -> re.Pattern[str]:
        """Return the expression of a condition before the main clause: "If today is Monday, then "."""
        return re.compile(r"^\W*(?:if|when|since|wenn|si|se) [^,]{1,200}, (?:then )?", re.IGNORECASE)

    @cached_property
    def think(self) -> re.Pattern[str]:
        return self.compiled("think")

    @cached_property
    def asks_year(self) -> re.Pattern[str]:
        return self.compiled("year")

    @cached_property
    def day(self) -> re.Pattern[str]:
        """Return the expression of the day of a date with its month: "9 November", "November 9,"."""
        month, day = self.any_of("month"), r"[0-9]{1,2}(?:st|nd|rd|th|er|[.\u00ba])?"
        return re.compile(
            rf"(?<![\w.,]){day} (?:of |de |d')?{month}\.?(?: de| del|,)?(?= [0-9]{{3,4}}(?![0-9]|[.,][0-9]))|"
            rf"{month}\.? {day},?(?= [0-9]{{3,4}}(?![0-9]))",
            re.IGNORECASE,
        )

    @cached_property
    def undecided(self) -> re.Pattern[str]:
        """Return the expression of words that deny an answer or offer alternatives."""
        return re.compile(
            rf"(?<!\bplus ){self.any_of('or')}|{self.any_of('not', 'denied')}|\bno\b|n't\b", re.IGNORECASE
        )


@lru_cache(maxsize=64)
def _cues(languages: tuple[str, ...]) -> Cues:
    merged: dict[str, tuple[str, ...]] = {}
    for language in languages:
        for kind, phrases in all_phrases()[language].items():
            merged[kind] = (*merged.get(kind, ()), *phrases)
    return Cues(MappingProxyType(merged))


def cues(text: str, named: Sequence[str] = ()) -> Cues:
    """Return the phrases for a text: those of the languages it may be in, among the named ones ("de", "pt-BR")."""
    return _cues(spoken(text, named))
