"""
Tries: a person makes the effect in a claim larger, in the finished artifact.
Must: the audit composes the page anew from the event log and shows the line and what it should say.
"""
import re


def attack(lab):
    forged = lab.forged()
    line = forged.line_of("logic/claims.md", "- effect: ")
    old = forged.text("logic/claims.md").splitlines()[line - 1]
    forged.replace("logic/claims.md", old, re.sub(r"-\d", "-7", old, count=1))
    forged.seal()
    return lab.flagged(forged.root, "changed-line", file="logic/claims.md", says="the record gives «- effect: ")
