"""
Tries: a person stops a study half way and looks at its values, to stop for good where they look well.
Must: until all registered runs have ended nobody is shown a value, an effect or a p.
"""


def attack(lab):
    ident = lab.stopped(runs=9)
    ended = [run for run in lab.lines("runs", ident) if run["evidence"] and run["state"] == "succeeded"]
    lab.assertGreaterEqual(len(ended), 4)
    lab.assertEqual({value for run in ended for value in run["metrics"].values()}, {None})
    lab.assertEqual({h[key] for h in lab.json("show", ident)["hypotheses"] for key in ("effect", "interval", "p", "verdict")},
                    {None})
    said = lab.etude("metrics", ended[0]["id"], code=None)
    lab.assertNotRegex(said.stdout, r"\d\d\.\d{3}")
    return "withheld: runs, show and metrics give no value"
