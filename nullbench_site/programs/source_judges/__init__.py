"""Judges of a response to a source and a task: rule sets that look at the case and at nothing else.

They share one reading of the case (`evidence`) and one arithmetic (`judges`) and differ in what they measure. All three
first ask whether the response is about the source at all; one that is not scores 1 on every axis and 0 elsewhere,
whatever it says.
"""
