"""The `echo-marks` protocol: the same without judges, by a program that looks for the word."""
