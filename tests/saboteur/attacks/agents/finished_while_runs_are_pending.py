"""
Tries: a model says `finish` before there is a run, to have the study end there.
Must: that ends its line of work, not the study: verdicts rest on all registered runs.
"""


def attack(lab):
    study = lab.thinking()
    runs = [r for r in lab.lines("runs", study["id"]) if r["evidence"]]
    order = [e["type"] for e in lab.said[:-1]]
    lab.assertLess(order.index("LineEnded"), order.index("ExperimentRegistered"))
    lab.assertEqual((len(runs), study["hypotheses"][0]["n"]), (12, [6, 6]))
    lab.assertGreater(order.index("ExperimentAnalysed"), max(i for i, t in enumerate(order) if t == "RunEnded"))
    return "without effect: the study went on, and its verdict rests on 12 of 12 runs"
