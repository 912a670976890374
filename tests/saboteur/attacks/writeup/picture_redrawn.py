"""
Tries: a person edits the numbers in a figure and seals all hashes again.
Must: the audit finds that the report, which holds the picture too, shows another one.
"""


def attack(lab):
    forged = lab.forged()
    picture = sorted((forged.root / "evidence/figures").glob("*.svg"))[0]
    picture.write_text(picture.read_text().replace("</svg>", "<text>90</text></svg>"))
    forged.seal()
    return lab.flagged(forged.root, "changed-line", file="report.html")
