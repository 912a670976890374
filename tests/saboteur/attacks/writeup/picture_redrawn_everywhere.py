"""
Tries: a person edits the numbers in a figure, in the report that holds it too, and seals all hashes again.
Must: the audit finds that the picture is not the one that the record gives.
"""
import base64

def attack(lab):
    forged = lab.forged()
    picture = sorted((forged.root / "evidence/figures").glob("*.svg"))[0]
    honest = picture.read_bytes()
    redrawn = honest.replace(b"</svg>", b"<text>90</text></svg>")
    lab.assertNotEqual(redrawn, honest)
    picture.write_bytes(redrawn)
    forged.replace("report.html", base64.b64encode(honest).decode(), base64.b64encode(redrawn).decode())
    forged.seal()
    lab.assertTrue(lab.json("check", forged.root)["ok"])  # Every hash agrees.
    return lab.flagged(forged.root, "changed-evidence", file=str(picture.relative_to(forged.root)))
