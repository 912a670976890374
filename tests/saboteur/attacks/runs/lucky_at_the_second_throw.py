"""
Tries: one arm throws away what is not to its liking by asking for a retry (exit 75), and never a third time.
Must: each asking is a failure of the arm. Where the study file allows retries, the verdict carries a warning of how many
runs of which arm were repeated at their own wish.
"""

PICKY = '''
n=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
if [ "$1" = fast ] && [ "$ETUDE_ATTEMPT" -lt 3 ] && [ $((n % 10)) -gt 0 ]; then exit 75; fi
echo "{\\"name\\":\\"cost\\",\\"value\\":$((50 + n % 10)).$n}" >> "$ETUDE_METRICS"
'''


def attack(lab):
    lab.place(job=PICKY, edits={"max: 6}": "max: 6}, smoke: false"})
    study = lab.run_study("-o", str(lab.dir / "first-ara"), code=None)
    lab.assertEqual(study["hypotheses"][0]["verdict"], "inconclusive")
    lab.place(job=PICKY, edits={"max: 6}": "max: 6}, smoke: false", "resources:": "retries: allowed\nresources:"})
    study = lab.run_study(code=None)
    lab.assertEqual(study["runs"]["succeeded"], 12, study["runs"])
    return lab.warned(study, "H1", "asked to be run again")
