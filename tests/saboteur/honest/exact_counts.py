"""a metric that is declared deterministic, and is: compared exactly"""
from lab import VERDICTS

COUNT = "echo '{\"name\":\"cost\",\"value\":'$([ $1 = fast ] && echo 40 || echo 50)'}' >> \"$ETUDE_METRICS\"\n"


def study(lab):
    lab.place(job=COUNT, edits={"primary: true": "primary: true, deterministic: true", "min: 6, max: 6": "min: 2, max: 2"})
    lab.sound(lab.run_study(), VERDICTS)
