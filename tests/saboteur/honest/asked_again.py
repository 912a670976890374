"""a second study of the same contrast, a replication: it names the first"""
from lab import VERDICTS


def study(lab):
    lab.place()
    lab.run_study("-o", str(lab.dir / "first-ara"))
    lab.place(edits={"resources:": "seed: 2\nresources:"})
    ended = lab.run_study("-o", str(lab.dir / "second-ara"))
    lab.assertEqual({p["study"] for p in ended["hypotheses"][0]["predecessors"]}, {"s1"})
    lab.sound(ended, VERDICTS)
