"""
Tries: without a sandbox, a job kills all around it whenever its value is not to its liking: lost runs would be repeated.
Must: it reaches no supervisor; its run has failed, or is lost for good, and counts against its arm.
"""

KILLER = '''
n=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
if [ "$1" = fast ] && [ $((n % 10)) -gt 0 ]; then kill -9 1 $PPID $$; sleep 1; fi
echo "{\\"name\\":\\"cost\\",\\"value\\":$((50 + n % 10)).$n}" >> "$ETUDE_METRICS"
'''


def attack(lab):
    lab.place(job=KILLER, edits={"max: 6}": "max: 6}, smoke: false"})
    study = lab.run_study(code=None)
    runs = lab.lines("runs", study["id"])
    killed = [r for r in runs if r["state"] in ("failed", "lost")]
    lab.assertTrue(killed)
    lab.assertFalse([r for r in runs if r["retry_of"]], "a run that killed itself was repeated")
    lab.assertEqual(study["hypotheses"][0]["verdict"], "inconclusive")
    return f"H1 inconclusive: {len(killed)} runs failed, {killed[0]['reason']}, and none was repeated"
