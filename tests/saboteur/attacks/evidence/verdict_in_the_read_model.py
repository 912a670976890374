"""
Tries: someone changes a verdict in the table that `show` reads, where no chain is.
Must: verify compares it with the events; an artifact is made from these and does not have it.
"""
import sqlite3


def attack(lab):
    study = lab.ended()
    base = sqlite3.connect(lab.home / "etude.db")
    with base:
        for table in ("studies", "hypotheses"):
            base.execute(f"UPDATE {table} SET doc = replace(doc, '\"verdict\":\"refuted\"', '\"verdict\":\"supported\"')")
    base.close()
    shown = lab.json("show", study["id"])
    lab.assertEqual({h["verdict"] for h in shown["hypotheses"]}, {"supported"})  # It would deceive a reader.
    lab.json("artifact", study["id"], "-o", lab.dir / "again")
    lab.assertIn("**refuted.**", (lab.dir / "again/report.md").read_text())
    lab.clean(lab.dir / "again")
    return lab.verify_finds("hypotheses")
