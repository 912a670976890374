"""six data sets are the units, each with two seeds of its own"""
from lab import HONEST, JOB, VERDICTS


def study(lab):
    text = HONEST.replace("sh job.sh {arm} {seed}", "sh job.sh {arm} {seed} {set}")
    text = text.replace("factors: {arm: {levels: [slow, fast], baseline: slow}}",
                        "factors: {arm: {levels: [slow, fast], baseline: slow}, set: {levels: [a, b, c, d, e, f]}}")
    lab.place(text, JOB.replace('-v seed="$2"', '-v seed="$2" -v set="$3"').replace("noise - 6", 'noise - 6 + 3 * index("abcdef", set)'),
              edits={"min: 6, max: 6}": "min: 2, max: 2}, blocks: [set]"})
    ended = lab.run_study()
    lab.assertEqual(ended["hypotheses"][0]["blocks"]["tested"], 6)
    lab.sound(ended, VERDICTS)
