"""The evidence behind each score, as files the explorer loads as a reader asks for them.

No file grows with the board, and the texts of one contestant are in memory at a time.

    files   which files there are
    shown   what is published of items and answers, and what a protocol adds
    tiles   texts, and what a list of answers is filtered by, cut into files
"""
