"""
Tries: a person renames factor, levels and metric in a second study of the same commands, so that no name is the same.
Must: the new study names the earlier one, by what its arms run and how the metric is read.
"""


def attack(lab):
    printed = "metrics: {cost: {from: {stdout: 'cost ([0-9.]+)'}, unit: points"
    job = 'cat job.awk >&2; awk -f job.awk -v arm="$1" -v seed="$2" /dev/null\n'
    code = ('BEGIN { srand(seed % 1000003 + (arm == "fast" ? 17 : 0)); rand(); for (i = 0; i < 12; i++) noise += rand()\n'
            'printf "cost %.9f\\n", (arm == "fast" ? 40 : 50) + noise - 6 }\n')
    lab.write("job.awk", code)
    lab.place(job=job, edits={"metrics: {cost: {unit: points": printed})
    lab.run_study("-o", str(lab.dir / "first-ara"))
    lab.write("other/job.awk", code + "# another\n")
    lab.write("other/job.sh", job)
    lab.write("other/study.yaml", """
etude: 1
title: Prices of two plans
question: Which plan has the lower price?
run: sh job.sh {plan.kind} {seed}
factors: {plan: {levels: {standard: {kind: slow}, special: {kind: fast}}, baseline: standard}}
metrics: {price: {from: {stdout: 'cost ([0-9.]+)'}, unit: EUR, goal: minimize, primary: true}}
design: {replicates: {min: 6, max: 6}}
resources: {timeout: 10m, sandbox: none}
hypotheses:
  - {id: H1, statement: The special plan has a lower price than the standard one.,
     test: {metric: price, treatment: {plan: special}, control: {plan: standard}, direction: less}}
""")
    second = lab.lines("run", lab.dir / "other/study.yaml", "-o", str(lab.dir / "second-ara"))[-1]
    return lab.report_says(second, "H1 of s1 (supported)")
