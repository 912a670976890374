"""
Tries: a person lets a claim cite an experiment that there never was as its proof.
Must: both the form check (a warning, with --strict an error) and the audit find it.
"""


def attack(lab):
    forged = lab.forged()
    forged.replace("logic/claims.md", "[E01]", "[E07]")
    forged.seal()
    lab.flagged(forged.root, "changed-line", file="logic/claims.md")
    findings = lab.json("check", forged.root, "--strict", code=1)["findings"]
    lab.assertIn("unknown-experiment", {f["rule"] for f in findings})
    return "check --strict: unknown-experiment (error); audit: changed-line (critical)"
