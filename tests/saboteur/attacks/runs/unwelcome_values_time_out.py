"""
Tries: one arm hangs whenever its value is not to its liking, so that the survivors are compared.
Must: what timed out counts as the longest; the verdict has to hold with it.
"""
from harness import TIME_OUTS
from lab import JOB

PICKY = JOB + '''
v=$(sed 's/.*"value":\\([0-9]*\\).*/\\1/' "$ETUDE_METRICS")
[ "$1" = fast ] && [ "$v" -ge 40 ] && sleep 1000
exit 0
'''


def attack(lab):
    for seconds in TIME_OUTS:
        lab.home = lab.tmp / f"home-{seconds}"
        lab.place(job=PICKY, edits={"timeout: 10m": f"timeout: {seconds}s"})
        study = lab.run_study("-j", "6")
        late = {r["factors"]["arm"] for r in lab.lines("runs", study["id"]) if r["state"] == "timed_out"}
        if late == {"fast"}:  # Not that of a machine too slow for its other jobs.
            break
    h = study["hypotheses"][0]
    lab.assertEqual(late, {"fast"})
    lab.assertEqual(h["verdict"], "inconclusive", h)
    return f"H1 inconclusive: {h['reason'][:90]}"
