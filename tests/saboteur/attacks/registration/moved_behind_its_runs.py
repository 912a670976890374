"""
Tries: someone registers an experiment when its runs have ended, by moving the event in the log.
Must: the audit finds runs that were not registered before.
"""
from lab import LOG, kind


def attack(lab):
    forged = lab.forged()

    def change(lines):
        at = next(i for i, line in enumerate(lines) if kind(line) == "ExperimentRegistered")
        end = next(i for i, line in enumerate(lines) if kind(line) == "ExperimentAnalysed")
        return lines[:at] + lines[at + 1 : end] + [lines[at]] + lines[end:]

    forged.relog(change)
    return lab.flagged(forged.root, "late-registration", file=LOG, says="was not registered before it")
