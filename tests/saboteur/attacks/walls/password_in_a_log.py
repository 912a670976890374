"""
Tries: a job prints a web token and addresses with passwords, and the log goes into the artifact.
Must: both are redacted wherever the log is kept.
"""
from lab import HONEST, JOB, VERDICTS, verdicts

TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
PRINTS = JOB + f'''
echo "login with {TOKEN}"
echo "connecting to postgresql://ann:correct-horse@db.example.org:5432/runs" >&2
'''


def attack(lab):
    # A person allows the code, which has the token, to be published; the question is what becomes of the log.
    lab.place(HONEST + "workspace: {path: ., allow_secrets: [job.sh]}\n", job=PRINTS)
    # The code itself is in the artifact as it is; only what jobs say is redacted.
    study = lab.concluded()
    lab.assertEqual(verdicts(study), VERDICTS)
    run = lab.lines("runs", study["id"])[-1]
    for stream, word in (("stdout", "[redacted: web token]"), ("stderr", "postgresql://ann:[redacted: password]@db.example.org")):
        digest = run["blobs"][stream]
        text = (lab.home / "blobs" / digest[:2] / digest[2:]).read_text()
        lab.assertIn(word, text)
        lab.assertNotIn(TOKEN, text)
        lab.assertNotIn("correct-horse", text)
    return "without effect: redacted in every log"
