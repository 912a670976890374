"""
Tries: a model that proposes hypotheses writes code, runs commands, raises its budget, approves gates, records a claim.
Must: it has no such tool.
"""
from lab import PROPOSES

TOOLS = ["write_file", "edit_file", "read_log", "run", "exec", "bash", "approve", "resume", "set_budget", "record_claim",
         "start_run", "add_dependency", "conclude"]


def attack(lab):
    lab.thinking([*[(tool, {"path": "job.sh", "content": "x"}) for tool in TOOLS], *PROPOSES])
    answers = lab.answers()[: len(TOOLS)]
    lab.assertEqual([refused for _, refused, _ in answers], [True] * len(TOOLS))
    return lab.tool_refuses("conclude", "there is no such tool")
