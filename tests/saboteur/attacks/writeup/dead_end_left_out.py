"""
Tries: a person takes the dead ends out of the exploration tree.
Must: the audit misses them.
"""

TREE = "trace/exploration_tree.yaml"


def attack(lab):
    forged = lab.forged()
    lines = forged.text(TREE).splitlines(keepends=True)
    at = forged.line_of(TREE, "type: dead_end") - 2
    depth = len(lines[at]) - len(lines[at].lstrip())
    end = next((i for i in range(at + 1, len(lines)) if len(lines[i]) - len(lines[i].lstrip()) <= depth), len(lines))
    forged.write(TREE, "".join(lines[: at - 1] + lines[end:]))
    forged.seal()
    return lab.flagged(forged.root, "missing-entry", file=TREE, says="dead_end")
