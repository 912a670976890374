"""
Tries: a treatment that is no better writes no line for the questions that it gets wrong: only right answers are paired.
Must: no verdict.
"""

STUDY = '''
etude: 1
title: Questions
question: Is fast right more often on questions like these?
run: sh job.sh {arm} {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {right: {goal: maximize, summary: mean, type: proportion, primary: true}}
hypotheses:
  - {id: H1, statement: Fast is right more often., unit: item, test: {metric: right, treatment: {arm: fast}, control: {arm: slow}, direction: greater}}
design: {replicates: {min: 1, max: 1}}
resources: {timeout: 10m, sandbox: none}
'''
JOB = '''
awk -v arm="$1" -v seed="$2" 'BEGIN {
  srand(seed % 1000003 + (arm == "fast" ? 17 : 0)); rand()
  for (i = 0; i < 60; i++) {
    right = rand() < 0.5
    if (right || arm != "fast") printf "{\\"name\\":\\"right\\",\\"value\\":%d,\\"item\\":\\"q%d\\"}\\n", right, i
  }
}' >> "$ETUDE_METRICS"
'''


def attack(lab):
    lab.place(STUDY, JOB)
    h1 = lab.run_study()["hypotheses"][0]
    lab.assertEqual(h1["verdict"], "inconclusive", h1)
    lab.assertIn("lack a value in some cell", h1["reason"])
    return "no verdict: items lack a value in one arm"
