"""The published validator of RO-Crates (roc-validator) over one folder, without the network: the contexts that a crate
names are answered from the copy in the package `ro-crate`, with the terms that other versions of RO-Crate map otherwise.
Usage: rocrate_check.py FOLDER PROFILE [alone]. `alone`: without the checks of the profiles that PROFILE extends. Prints
each broken requirement, one JSON object per line; exit 1: there is one."""
import json
import pathlib
import sys

PEERS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = map(str, PEERS.glob("venv/lib/python3*/site-packages"))  # Before what Debian has.

import requests  # noqa: E402
from rocrate_validator import services  # noqa: E402

BIOSCHEMAS = "https://bioschemas.org/"
# What differs from RO-Crate 1.2, whose context the package has (changelog of Workflow Run Crate 0.6).
TERMS = {
    "1.1": {"input": BIOSCHEMAS + "ComputationalWorkflow#input", "output": BIOSCHEMAS + "ComputationalWorkflow#output"},
    "1.3": {term: BIOSCHEMAS + "terms/" + term for term in ("ComputationalWorkflow", "FormalParameter", "input", "output")},
}


def answer(_, method, url, **__):
    reply = requests.Response()
    version = str(url).removeprefix("https://w3id.org/ro/crate/").removesuffix("/context")
    reply.status_code = 200 if version in TERMS else 404
    reply.url = url
    reply.headers["Content-Type"] = "application/ld+json"
    if version in TERMS:
        document = json.loads((PEERS / "node_modules/ro-crate/lib/context.json").read_text())
        document["@context"].update(TERMS[version])
        reply._content = json.dumps(document).encode()
    return reply


requests.Session.request = answer


def main(folder, profile, alone=False):
    result = services.validate({"rocrate_uri": folder, "profile_identifier": profile, "no_cache": True,
                                "enable_profile_inheritance": not alone, "requirement_severity": "REQUIRED",
                                "skip_availability_check": True})
    issues = result.get_issues()
    for issue in issues:
        print(json.dumps({"of": str(issue.violatingEntity), "says": issue.message}))
    return 1 if issues else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:] == ["alone"]))
