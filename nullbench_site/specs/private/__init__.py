"""Texts of items that are not published: read from a folder of their own, known by their salted hashes.

hashing   what a text is known by, and which texts are not here
parsing   the private files, and what is wrong with them
ignored   whether git leaves them alone
rewriting one item of a domain file, the rest byte for byte
"""
