"""
Tries: someone changes what the home remembers of a run (`cache: true`), for the next study to take instead of running.
Must: verify compares what is remembered with the events.
"""
import sqlite3


def attack(lab):
    lab.place(edits={"resources:": "cache: true\nresources:"})
    lab.run_study()
    base = sqlite3.connect(lab.home / "etude.db")
    with base:
        changed = base.execute("UPDATE remembered SET record = replace(record, '\"value\":4', '\"value\":1')").rowcount
    base.close()
    lab.assertGreater(changed, 6)
    return lab.verify_finds("remembered")
