"""
Tries: a model sends ten megabytes, JSON nested a hundred thousand deep, broken JSON and wrong types as arguments.
Must: each is refused, and the study goes on.
"""
from lab import PROPOSES, verdicts


def attack(lab):
    floods = ['{"path": "' + "a" * 10_000_000 + '"}', '{"path": ' + "[" * 100_000 + "]" * 100_000 + "}", '{"path": "a',
              "[]", '{"path": 7}', '{"path": "a", "extra": 1}', '{"path": "' + "a" * 5000 + '"}']
    study = lab.thinking([*[("read_file", arguments) for arguments in floods], *PROPOSES])
    refused = [refused for tool, refused, _ in lab.answers() if tool == "read_file"][:len(floods)]
    lab.assertEqual(refused, [True] * len(floods))
    lab.assertEqual(verdicts(study), {"H1": "supported"})
    return lab.tool_refuses("read_file", "there is no such file in the workspace")
