"""
Tries: someone changes the smallest thing in an event of the home's store.
Must: verify names the event, and nothing is packaged from it.
"""
import sqlite3


def attack(lab):
    study = lab.ended()
    base = sqlite3.connect(lab.home / "etude.db")
    with base:
        base.execute("UPDATE events SET payload = replace(payload, '\"succeeded\"', '\"failed\"') WHERE seq = "
                     "(SELECT max(seq) FROM events WHERE type = 'RunEnded')")
    base.close()
    lab.refused("artifact", study["id"], "-o", lab.dir / "again", code=3, says="etude verify")
    return lab.verify_finds("RunEnded of study s1")
