"""
Tries: one arm writes NaN in the place of each value that is not to its liking.
Must: the run has failed, and counts as such.
"""
from lab import JOB

PICKY = JOB + '''
v=$(sed 's/.*"value":\\([0-9]*\\).*/\\1/' "$ETUDE_METRICS")
[ "$1" = fast ] && [ "$v" -ge 40 ] && echo '{"name":"cost","value":NaN}' > "$ETUDE_METRICS"
exit 0
'''


def attack(lab):
    lab.place(job=PICKY)
    study = lab.run_study()
    h = study["hypotheses"][0]
    lab.assertGreater(h["failed"][0], 0)
    lab.assertEqual(h["verdict"], "inconclusive", h)
    return f"H1 inconclusive: {h['reason'][:96]}"
