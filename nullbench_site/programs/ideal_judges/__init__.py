"""Judges of responses to bare prompts: rule sets that give 1-5 from an ideal answer, criteria and flags of checks.

They share one reading of the case (`reading`) and one arithmetic and differ in what they measure: `coverage` compares
with the ideal answer, `compliance` with what was asked, `substance` looks at what is said at all.
"""
