"""
Tries: one arm throws dice that no seed loads, and asks for a retry (exit 75) until they fall well.
Must: each asking is a failure of its arm. Where the study file allows retries, a third one is refused, and the verdict
names how many were asked for.
"""

DICE = '''
n=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
if [ "$1" = fast ] && [ $((n % 100)) -gt 1 ]; then exit 75; fi
echo "{\\"name\\":\\"cost\\",\\"value\\":$((50 - (n % 100 < 2) * 20)).$n}" >> "$ETUDE_METRICS"
'''


def attack(lab):
    lab.place(job=DICE, edits={"max: 6}": "max: 6}, smoke: false"})
    study = lab.run_study("-o", str(lab.dir / "first-ara"), code=None)
    reasons = [r["reason"] or "" for r in lab.lines("runs", study["id"]) if r["purpose"] == "registered"]
    lab.assertTrue(any("counts as a failure" in reason for reason in reasons), reasons)
    lab.assertFalse([r for r in lab.lines("runs", study["id"]) if r["retry_of"]])
    lab.assertEqual(study["hypotheses"][0]["verdict"], "inconclusive")
    lab.place(job=DICE, edits={"max: 6}": "max: 6}, smoke: false", "resources:": "retries: allowed\nresources:"})
    study = lab.run_study(code=None)
    asked = [r for r in lab.lines("runs", study["id"]) if "exit 75" in (r["reason"] or "")]
    lab.assertTrue(any("asked for a third retry" in r["reason"] for r in asked))
    lab.assertEqual(study["hypotheses"][0]["verdict"], "inconclusive")
    lab.warned(study, "H1", "the study file says `retries: allowed`")
    report = open(study["artifact"] + "/report.md").read()
    row = next(line for line in report.splitlines() if line.startswith("| registered |"))
    again = int(row.split("|")[9])
    lab.assertEqual(again, sum("third" not in r["reason"] for r in asked))
    return f"each asking is a failure; where retries are allowed, a third is refused, and the verdict names {again}"
