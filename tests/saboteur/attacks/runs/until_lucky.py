"""
Tries: one arm throws dice that no seed loads, and asks for a retry (exit 75) until they fall well.
Must: who asks for a third retry has failed, and that counts against the arm; the report counts the others.
"""

DICE = '''
n=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
if [ "$1" = fast ] && [ $((n % 100)) -gt 1 ]; then exit 75; fi
echo "{\\"name\\":\\"cost\\",\\"value\\":$((50 - (n % 100 < 2) * 20)).$n}" >> "$ETUDE_METRICS"
'''


def attack(lab):
    lab.place(job=DICE, edits={"max: 6}": "max: 6}, smoke: false"})
    study = lab.run_study(code=None)
    asked = [r for r in lab.lines("runs", study["id"]) if "exit 75" in (r["reason"] or "")]
    lab.assertTrue(any("asked for a third retry" in r["reason"] for r in asked))
    lab.assertEqual(study["hypotheses"][0]["verdict"], "inconclusive")
    report = open(study["artifact"] + "/report.md").read()
    row = next(line for line in report.splitlines() if line.startswith("| registered |"))
    again = int(row.split("|")[9])
    lab.assertEqual(again, sum("third" not in r["reason"] for r in asked))
    return f"H1 inconclusive, a third retry is refused; report: {again} runs run again"
