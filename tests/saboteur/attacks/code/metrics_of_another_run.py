"""
Tries: a job writes its good values into the metrics of the runs beside it.
Must: in the sandbox there are no other runs: all values are those that each run wrote itself.
"""
from lab import HONEST, JOB, VERDICTS, verdicts

WRITER = JOB + '''
for f in /etude/*/metrics* /etude/../runs/*/*/metrics* HOME/runs/*/*/metrics* /proc/[0-9]*/root/etude/metrics*; do
  [ -e "$f" ] && ! [ "$f" -ef "$ETUDE_METRICS" ] && echo '{"name":"cost","value":1}' >> "$f" && echo "wrote $f"
done 2>/dev/null
sleep 0.1
'''


def attack(lab):
    lab.sandbox()
    lab.place(HONEST.replace("sandbox: none", "sandbox: auto"), job=WRITER.replace("HOME", str(lab.home)))
    study = lab.run_study("-j", "4")
    lab.assertEqual(verdicts(study), VERDICTS)
    values = [r["metrics"]["cost"] for r in lab.lines("runs", study["id"])]
    lab.assertTrue(all(value > 30 for value in values), values)
    lab.clean(study["artifact"])
    return "without effect: no value but a run's own was written"
