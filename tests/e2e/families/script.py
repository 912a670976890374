"""The conversation that every family holds, and the key: those of thinking_test_case.py. It ends with a verdict."""
import json
import pathlib
import sys

from wire import Call, Said, opaque, thought

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from thinking_test_case import KEY, SCRIPT  # noqa: E402, F401


def steps(system):
    """The replies of the role that the system prompt names: lists of (tool, arguments)."""
    own = [one for one in SCRIPT if one["match"]["systemMessage"] in system]
    own.sort(key=lambda one: one["match"]["turnIndex"])
    return [[(c["name"], c["arguments"]) for c in one["response"]["toolCalls"]] for one in own]


def next_reply(spoken, call_id):
    """What the model says now. Beyond the end of its script a role says the last thing again; without a script it says
    a word and calls nothing. `call_id` makes ids."""
    if "You check that tools work" in spoken.system:
        return Said("", (Call(call_id(), "report", json.dumps({"word": "ready"}), opaque()),), ((thought(), opaque()),))
    own = steps(spoken.system)
    if not own:
        return Said("Yes.", (), ((thought(), opaque()),))
    step = own[min(spoken.turns, len(own) - 1)]
    calls = tuple(Call(call_id(), name, json.dumps(given, ensure_ascii=False), opaque()) for name, given in step)
    return Said("", calls, tuple((thought(), opaque()) for _ in calls))
