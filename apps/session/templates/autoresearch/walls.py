"""Calls a version's model in a process of its own, which can do nothing but answer. Protected.

`Candidate(module, pickle)` starts a new Python that imports MODULE from the version's code ($ETUDE_JOB_CODE), loads the
pickle, and answers `ask(text)` with `model.predict(all text so far)`, over a pair of pipes. What it prints goes to the log.

Landlock (Linux 5.13) lets that process read the version's code, its outputs and Python itself, and write nothing: not the
metrics, not a file. It sees none of the evaluator's data, as they are neither in its memory nor in a folder that it may
read. It cannot look into the evaluator's process either: Landlock and PR_SET_DUMPABLE forbid it. What it still can do:
answer wrongly, take long (the run's time limit), or end the evaluator, which makes the run fail. Without Landlock nothing
is scored."""
import ctypes
import json
import os
import subprocess
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446   # System calls, the same on every processor.
EXECUTE, READ_FILE, READ_DIR = 1, 4, 8
RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}  # By version.
SET_DUMPABLE, SET_NO_NEW_PRIVS = 4, 38
libc = ctypes.CDLL(None, use_errno=True)


def call(*words):
    result = libc.syscall(*(ctypes.c_long(w) if isinstance(w, int) else w for w in words))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def shut_in(readable):
    """From here on this process reads what lies below these folders, and writes nothing."""
    version = call(CREATE_RULESET, None, 0, 1)
    handled = (ctypes.c_uint64 * 1)(RIGHTS[min(version, 5)])
    ruleset = call(CREATE_RULESET, ctypes.byref(handled), ctypes.sizeof(handled), 0)
    for path in readable:
        if not os.path.exists(path):
            continue
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        allowed = READ_FILE | EXECUTE | (READ_DIR if os.path.isdir(path) else 0)
        beneath = ctypes.create_string_buffer(allowed.to_bytes(8, sys.byteorder) + place.to_bytes(4, sys.byteorder), 12)
        call(ADD_RULE, ruleset, 1, ctypes.byref(beneath), 0)
        os.close(place)
    libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def answer(code, module, file):
    """The candidate's process."""
    questions, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    shut_in([code, os.path.dirname(file), "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/urandom",
             os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix)])
    import importlib
    import pickle
    os.chdir(code)
    sys.path.insert(0, code)
    sys.modules["__main__"] = importlib.import_module(module)  # Where a pickle of a script's class looks for it.
    with open(file, "rb") as stored:
        model = pickle.load(stored)
    seen = ""
    for line in questions:
        seen += json.loads(line)
        answers.write(json.dumps([float(p) for p in model.predict(seen)]) + "\n")
        answers.flush()


class Candidate:
    def __init__(self, module, file):
        libc.prctl(SET_DUMPABLE, 0, 0, 0, 0)
        code = os.environ["ETUDE_JOB_CODE"]
        self.process = subprocess.Popen([sys.executable, "-I", os.path.abspath(__file__), code, module, file], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True, cwd="/",
                                        env={"PATH": os.environ.get("PATH", ""), "PYTHONDONTWRITEBYTECODE": "1"})

    def ask(self, text):
        try:
            self.process.stdin.write(json.dumps(text) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise SystemExit("the model's process ended: its error is in the log")
        reply = json.loads(line)
        if not isinstance(reply, list) or not all(isinstance(p, float) for p in reply):
            raise SystemExit("the model's answer is no list of numbers")
        return reply

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.communicate()


if __name__ == "__main__":
    answer(*sys.argv[1:])
