"""a slope: cost grows with n, as was said, in four sizes"""

STUDY = '''
etude: 1
title: Growth
question: How does cost grow with n?
run: sh job.sh {n} {seed}
factors: {n: {levels: [1, 2, 4, 8], type: int}}
metrics: {cost: {unit: points, goal: minimize, primary: true}}
hypotheses:
  - {id: H1, statement: Cost grows by ten with n., test: {kind: slope, metric: cost, along: n, direction: equal, value: 10, margin: {absolute: 1}}}
design: {replicates: {min: 6, max: 6}}
resources: {timeout: 10m, sandbox: none}
'''
JOB = '''
awk -v n="$1" -v seed="$2" 'BEGIN { srand(seed % 1000003 + n); rand(); printf "{\\"name\\":\\"cost\\",\\"value\\":%.9f}\\n", 10 * n + rand() }' >> "$ETUDE_METRICS"
'''


def study(lab):
    lab.place(STUDY, JOB)
    lab.sound(lab.run_study(), {"H1": "supported"})
