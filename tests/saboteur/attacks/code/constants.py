"""
Tries: a person's script prints the same value whatever its parameters and its seed.
Must: the check says so at the head of the report, and the audit finds a constant metric.
"""

CONSTANT = "echo '{\"name\":\"cost\",\"value\":40.125}' >> \"$ETUDE_METRICS\"\n"


def attack(lab):
    lab.place(job=CONSTANT)
    study = lab.run_study()
    lab.assertEqual({h["verdict"] for h in study["hypotheses"]}, {"inconclusive"})
    lab.check_found(study, "changing `arm` from")
    return lab.flagged(study["artifact"], "constant-metric", "warning")
