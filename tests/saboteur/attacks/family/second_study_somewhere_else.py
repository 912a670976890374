"""
Tries: a person copies the study into another folder and changes its command too, so that nothing links the two.
Must: the new study names the earlier one.
"""
import shutil


def attack(lab):
    lab.place()
    lab.run_study("-o", str(lab.dir / "first-ara"))
    lab.place(edits={"run: sh job.sh {arm} {seed}": "run: 'sh  ./job.sh {arm} {seed} # again'"})
    shutil.copytree(lab.dir, lab.tmp / "elsewhere", ignore=shutil.ignore_patterns("*-ara"))
    second = lab.lines("run", lab.tmp / "elsewhere/study.yaml", "-o", str(lab.dir / "second-ara"))[-1]
    lab.assertEqual(second["hypotheses"][0]["verdict"], "supported")
    return lab.report_says(second, "on other code, data or conditions: H1 of s1 (supported)")
