"""Texts of items that are not published: read from a folder of their own, known by their salted hashes.

hashing   what a text is known by
withheld  which texts are not here
reading   the private files
quiet     what is wrong with them, told without a word of theirs
ignored   whether git leaves them alone
moving    from a domain file into a private file and back
rewriting one item of a domain file, the rest byte for byte
"""
