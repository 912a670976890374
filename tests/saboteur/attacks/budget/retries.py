"""
Tries: jobs ask for retries, to get more runs than the budget has.
Must: a retry is a run, and costs one.
"""


def attack(lab):
    lab.place(job='[ $1 = fast ] && exit 75\necho "{\\"name\\":\\"cost\\",\\"value\\":$2}" >> "$ETUDE_METRICS"\n',
              edits={"max: 6}": "max: 6}, smoke: false", "resources:": "retries: allowed\nbudget: {runs: 8}\nresources:"})
    study = lab.run_study(code=None)
    started = [r for r in lab.lines("runs", study["id"]) if r["started"]]
    lab.assertLessEqual(len(started), 8)
    lab.assertEqual((study["state"], study["reason"]), ("paused", "budget"))
    return f"stopped by the budget, exit 4, after {len(started)} runs, retries among them"
