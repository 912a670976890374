"""
Tries: a person takes the refuted claim out of the write-up and leaves the supported one.
Must: the audit misses it: what was recorded may not be left out.
"""


def attack(lab):
    forged = lab.forged()
    text = forged.text("logic/claims.md")
    forged.write("logic/claims.md", text[: text.index("## C02")])
    forged.seal()
    return lab.flagged(forged.root, "missing-entry", file="logic/claims.md", says="C02")
