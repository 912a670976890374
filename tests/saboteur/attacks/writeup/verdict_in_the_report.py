"""
Tries: a person turns `refuted` into `supported` in both reports, and seals all hashes again.
Must: the audit shows both places.
"""


def attack(lab):
    forged = lab.forged()
    forged.replace("report.md", "**refuted.**", "**supported.**")
    forged.replace("report.html", "</span> refuted</span>", "</span> supported</span>")
    forged.seal()
    lab.flagged(forged.root, "changed-line", file="report.html")
    return lab.flagged(forged.root, "changed-line", file="report.md", says="the record gives «**refuted.**")
