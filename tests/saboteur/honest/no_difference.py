"""two arms that are the same: no difference is claimed, and their sameness within a margin is"""
from lab import HONEST, JOB

SAME = HONEST[: HONEST.index("hypotheses:")] + '''hypotheses:
  - {id: H1, statement: They cost different., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: different}}
  - {id: H2, statement: They cost the same., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: equal, margin: {absolute: 3}}}
'''


def study(lab):
    lab.place(SAME, JOB.replace('(arm == "fast" ? 40 : 50)', "45"), edits={"min: 6, max: 6": "min: 12, max: 12"})
    ended = lab.run_study()
    lab.sound(ended, {"H1": ended["hypotheses"][0]["verdict"], "H2": "supported"})
    lab.assertNotEqual(ended["hypotheses"][0]["verdict"], "supported")
