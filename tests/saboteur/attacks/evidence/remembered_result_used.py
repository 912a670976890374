"""
Tries: someone changes what the home remembers of runs (`cache: true`), and has the next study take it over at once.
Must: the next study's own audit finds values that their points do not give.
"""
import sqlite3

COUNT = "echo '{\"name\":\"cost\",\"value\":'$([ $1 = fast ] && echo 40 || echo 50)'}' >> \"$ETUDE_METRICS\"\n"


def attack(lab):
    lab.place(job=COUNT, edits={"primary: true": "primary: true, deterministic: true",
                                "resources:": "cache: true\nseeds: fixed\nresources:"})
    lab.run_study("-o", str(lab.dir / "first-ara"))
    base = sqlite3.connect(lab.home / "etude.db")
    with base:
        base.execute("UPDATE remembered SET record = replace(record, '\"value\":40', '\"value\":30')")
    base.close()
    second = lab.run_study("-o", str(lab.dir / "second-ara"))
    lab.assertGreater(second["runs"]["cached"], 6)
    lab.assertEqual(second["hypotheses"][0]["effect"], -20)  # It was taken over.
    lab.verify_finds("remembered")
    return lab.flagged(second["artifact"], "metric-mismatch")
