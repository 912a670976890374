"""
Tries: someone turns the direction round wherever the log has it: study, proposal, registration, verdict, claim and hashes.
Must: the audit analyses the runs again and comes to other numbers.
"""
from lab import LOG, registered_anew


def attack(lab):
    forged = lab.forged()

    def change(lines):
        lines = [line.replace('"direction":"greater"', '"direction":"less"').replace("direction: greater", "direction: less")
                 .replace('"status":"refuted"', '"status":"supported"')
                 .replace('"verdict":"refuted"', '"verdict":"supported"') for line in lines]
        return registered_anew(lines, lambda registration: None)

    forged.relog(change)
    return lab.flagged(forged.root, "score-mismatch", file=LOG, says="'H2'")
