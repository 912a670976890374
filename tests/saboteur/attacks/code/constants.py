"""
Tries: a person's script prints the same value whatever its parameters and its seed.
Must: the study pauses before anything is registered; resumed, the check heads the report, and the audit finds a
constant metric.
"""

CONSTANT = "echo '{\"name\":\"cost\",\"value\":40.125}' >> \"$ETUDE_METRICS\"\n"


def attack(lab):
    lab.place(job=CONSTANT)
    study = lab.lines("resume", lab.run_study(code=1)["id"])[-1]
    lab.assertEqual({h["verdict"] for h in study["hypotheses"]}, {"inconclusive"})
    lab.check_found(study, "changing `arm` from")
    return lab.flagged(study["artifact"], "constant-metric", "warning")
