"""
Tries: one arm hangs whenever its value is not to its liking, so that the survivors are compared.
Must: what timed out counts as the longest; the verdict has to hold with it.
"""
from lab import JOB

PICKY = JOB + '''
v=$(sed 's/.*"value":\\([0-9]*\\).*/\\1/' "$ETUDE_METRICS")
[ "$1" = fast ] && [ "$v" -ge 40 ] && sleep 1000
exit 0
'''


def attack(lab):
    lab.place(job=PICKY, edits={"timeout: 20s": "timeout: 4s"})
    study = lab.run_study("-j", "6")
    h = study["hypotheses"][0]
    lab.assertGreater(study["runs"]["timed_out"], 0)
    lab.assertEqual(h["verdict"], "inconclusive", h)
    return f"H1 inconclusive: {h['reason'][:90]}"
