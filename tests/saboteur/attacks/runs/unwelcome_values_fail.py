"""
Tries: one arm exits with 1 whenever its value is not to its liking, and leaves the good ones.
Must: failures are outcomes: the verdict has to hold with them as the worst, and here it does not.
"""
from lab import JOB

PICKY = JOB + '''
v=$(sed 's/.*"value":\\([0-9]*\\).*/\\1/' "$ETUDE_METRICS")
[ "$1" = fast ] && [ "$v" -ge 40 ] && exit 1
exit 0
'''


def attack(lab):
    lab.place(job=PICKY, edits={"resources:": "seeds: fixed\nresources:"})
    study = lab.run_study()
    h = study["hypotheses"][0]
    lab.assertGreater(h["failed"][0], 0)
    lab.assertEqual(h["verdict"], "inconclusive", h)
    lab.assertIn("failed", h["reason"])
    return f"H1 inconclusive: {h['reason'][:90]}"
