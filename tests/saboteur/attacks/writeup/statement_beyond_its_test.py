"""
Tries: the statement of a hypothesis claims more than its test asks, and would be printed as the study's answer.
Must: answer, claim and report say what the test found; the statement stands there as a quotation.
"""
import pathlib
import re

BEYOND = "Fast is cheaper on every system and in production."


def attack(lab):
    lab.place(edits={"statement: Fast costs less.": f"statement: {BEYOND}"})
    study = lab.concluded()
    ara = pathlib.Path(study["artifact"])
    finding = "cost under arm = fast is less than that under arm = slow"
    measured = re.compile(r"H1 \(supported\): cost under arm = fast is [\d.]+ \S+ less than that under arm = slow, ")
    lab.assertRegex((ara / "report.md").read_text().replace("\\", ""), measured)
    lab.assertIn(finding, (ara / "logic/claims.md").read_text().replace("\\", ""))
    for page in ("report.md", "PAPER.md", "logic/claims.md"):
        text = (ara / page).read_text().replace("\\", "")
        lab.assertEqual(text.count(BEYOND[:-1]), text.count("“" + BEYOND[:-1]), page)
    return f"report: {finding}"
