"""
Tries: a person whose study is stopped by its budget starts another one for the rest, to add its runs.
Must: each study is its own evidence: nothing is pooled, and the later one names nothing that it could not test.
"""


def attack(lab):
    lab.stopped(runs=9)
    second = lab.run_study("-o", str(lab.dir / "second-ara"), code=4)
    lab.assertEqual((second["state"], second["reason"]), ("paused", "budget"))
    evidence = [r for r in lab.lines("runs", second["id"]) if r["evidence"]]
    lab.assertTrue(all(r["id"].startswith(second["id"]) for r in evidence))
    lab.assertEqual({h["verdict"] for h in second["hypotheses"]}, {None})
    return "stopped by the budget, exit 4: the second has no verdict either, and no run of the first"
