"""
Tries: a person edits the numbers in a figure (SVG) and seals all hashes again.
Must: the audit finds that the picture is not the one that the record gives.
"""


def attack(lab):
    forged = lab.forged()
    picture = next(iter(sorted((forged.root / "evidence/figures").glob("*.svg"))))
    text = picture.read_text()
    assert "50" in text
    picture.write_text(text.replace("50", "90"))
    forged.seal()
    return lab.flagged(forged.root, "changed-evidence", file=str(picture.relative_to(forged.root)))
