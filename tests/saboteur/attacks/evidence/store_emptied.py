"""
Tries: someone deletes every study from the home's store, with all traces of their numbers, or leaves a store of no bytes.
Must: verify finds that the store is empty.
"""
import contextlib
import shutil
import sqlite3


def attack(lab):
    lab.ended()
    store = lab.home / "etude.db"
    with contextlib.closing(sqlite3.connect(store)) as base:
        with base:
            for (table,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'").fetchall():
                if "version" not in table and table != "read_models" and not table.startswith("memories_fts"):
                    base.execute(f"DELETE FROM {table}")
            base.execute("INSERT INTO memories_fts(memories_fts) VALUES ('rebuild')")
    for name in ("blobs", "kept", "workspaces", "runs"):
        shutil.rmtree(lab.home / name, ignore_errors=True)
    how = lab.verify_finds("the store is empty")
    for part in lab.home.glob("etude.db*"):
        part.unlink()
    store.touch()
    lab.etude("verify", code=2)
    (lab.home / "blobs/aa").mkdir(parents=True)
    lab.verify_finds("the store is missing or empty")
    return how
