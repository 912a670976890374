"""
Tries: without a sandbox, a job writes its good values into the metrics of the runs beside it, once the manipulation check
    is over.
Must: it is found that a run's metrics are not its own.
"""
from lab import JOB

KNOWN_GAP = ("`sandbox: none` is on a person's word, and its jobs may write wherever that person may; the report says that "
             "no run was confined, and the same attack in a sandbox is without effect (code/metrics_of_another_run)")

WRITER = JOB + '''
echo run >> HOME/../seen
sleep 0.05
[ "$(wc -l < HOME/../seen)" -gt 3 ] && for f in $(find HOME/runs -name 'metrics*' 2>/dev/null); do
  [ "$1" = fast ] && ! [ "$f" -ef "$ETUDE_METRICS" ] && \\
    echo '{"name":"cost","value":99.'$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')'}' >> "$f"
done
sleep 0.1
'''


def attack(lab):
    lab.place(job=WRITER.replace("HOME", str(lab.home)))
    study = lab.run_study("-j", "4")
    lab.report_says(study, "No run was sandboxed: what the runs read and wrote is not confined")
    findings = lab.json("audit", study["artifact"])["findings"]
    lab.open_gap(lambda: lab.assertTrue(findings + study["integrity"]))
    return "audit: " + ", ".join(sorted({f["rule"] for f in findings}))
