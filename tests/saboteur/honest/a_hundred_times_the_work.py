"""the control computes a hundred times as long as the treatment, and a time is measured, and a checksum"""
from lab import JOB, VERDICTS


def study(lab):
    job = JOB.replace("rand()\n", 'rand()\n  for (i = 0; i < (arm == "fast" ? 2000 : 200000); i++) x += i\n'
                      '  printf "{\\"name\\":\\"sum\\",\\"value\\":%.9f}\\n", x + rand()\n', 1)
    lab.place(job=job, edits={"{unit: points, goal: minimize, primary: true}}":
                              "{unit: ms, goal: minimize, primary: true}, sum: {goal: minimize}}"})
    lab.sound(lab.run_study(), VERDICTS)
