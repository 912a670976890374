"""questions as the units: both arms answer the same thirty, on two seeds"""

STUDY = '''
etude: 1
title: Questions
question: Is fast right more often on questions like these?
run: sh job.sh {arm} {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {score: {goal: maximize, summary: mean, primary: true}}
hypotheses:
  - {id: H1, statement: Fast scores higher., unit: item, test: {metric: score, treatment: {arm: fast}, control: {arm: slow}, direction: greater}}
design: {replicates: {min: 2, max: 2}}
resources: {timeout: 10m, sandbox: none}
'''
JOB = '''
awk -v arm="$1" -v seed="$2" 'BEGIN {
  for (i = 0; i < 30; i++) {
    srand(i + 1); rand(); ease = rand()
    srand(seed % 1000003 + 31 * i + (arm == "fast" ? 17 : 0)); rand()
    printf "{\\"name\\":\\"score\\",\\"value\\":%.9f,\\"item\\":\\"q%d\\"}\\n", ease + (arm == "fast" ? 0.4 + i / 100 : 0) + rand() / 4, i
  }
}' >> "$ETUDE_METRICS"
'''


def study(lab):
    lab.place(STUDY, JOB)
    ended = lab.run_study()
    lab.assertEqual(ended["hypotheses"][0]["n"], [30, 30])
    lab.sound(ended, {"H1": "supported"})
