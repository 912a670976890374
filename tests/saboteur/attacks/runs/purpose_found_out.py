"""
Tries: a job looks for what its run is for, by its environment, command, paths, mounts, limits and /proc, to compute well in
    the runs that count only, or to vary little in the pilot.
Must: it sees the same in a smoke run, in its repeat, in the pilot, in the repeated control and in a registered run, with
    and without a sandbox; but for the seed, a token without order and what follows from these.
"""
import json
import re

from lab import STUDY

# Everything that a job can read of its circumstances, but numbers that the machine draws anew for each process.
LOOK = r'''
import json, os, re, resource, sys
def read(path):
    try:
        return open(path).read()
    except (OSError, ValueError) as e:
        return type(e).__name__
def names(path):
    try:
        return sorted(os.listdir(path))
    except OSError as e:
        return type(e).__name__
seed, token = os.environ["ETUDE_SEED"], os.environ["ETUDE_RUN"]
me = os.getpid()
mounts = [line.split() for line in read("/proc/self/mountinfo").splitlines()]
seen = {
    "environment": dict(os.environ), "arguments": sys.argv, "folder": os.getcwd(), "parameters": read(os.environ["ETUDE_PARAMS"]),
    "mounts": [[re.sub("runs/s[0-9]+/", "runs/STUDY/", f[3]), *f[4:6], *f[f.index("-"):]] for f in mounts],
    "limits": [resource.getrlimit(getattr(resource, n)) for n in sorted(dir(resource)) if n.startswith("RLIMIT_")],
    "status": re.findall("^(?:Name|State|Uid|Gid|Groups|NS.*|Threads|Cap.*|No.*|Sec.*|Cpus_.*|Mems_.*):.*$", read("/proc/self/status"), re.M),
    "files": [names(folder) for folder in ("/", ".", "..", os.environ["ETUDE_OUTPUT"], os.environ["ETUDE_CHECKPOINT"], os.environ["TMPDIR"])],
    "first process": [read("/proc/1/" + name) for name in ("comm", "cmdline", "environ")],
    "others": [read("/proc/self/" + name) for name in ("cgroup", "oom_score_adj", "uid_map", "gid_map", "setgroups", "loginuid", "cmdline")],
    "priority": [os.nice(0), os.sched_getscheduler(0), os.umask(0o22), os.getpgrp() == me, os.getsid(0) == me],
    "memory": re.findall("Size: .*", os.popen("df -B1 /dev/shm | awk 'NR == 2 {print \"Size: \" $2}'").read()),
}
text = json.dumps(seen, sort_keys=True)
for word, stands in ((os.environ.get("ETUDE_TOKEN", token), "LONG TOKEN"), (token, "TOKEN"), (seed, "SEED")):
    text = text.replace(word, stands)
print(token)
print(text)
cost = {"slow": 50, "fast": 40}[sys.argv[1]] + int(seed) % 1009 / 500
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "cost", "value": cost}) + "\n")
'''
HYPOTHESIS = '''hypotheses:
  - {id: H1, statement: Fast costs less., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}}
'''


def printed(lab, run):
    digest = run["blobs"]["stdout"]
    return (lab.home / "blobs" / digest[:2] / digest[2:]).read_text().splitlines()


def attack(lab):
    lab.sandbox()
    for number, sandbox in enumerate(("auto", "none"), 1):
        text = STUDY.replace("sandbox: none", f"sandbox: {sandbox}, memory: 512M").replace("min: 6, max: 6", "min: 4, max: 12")
        lab.place(text.replace("sh job.sh", "/usr/bin/python3 look.py") + HYPOTHESIS)
        lab.write("look.py", LOOK)
        study = lab.run_study("-o", lab.dir / f"{sandbox}-ara")
        runs = lab.lines("runs", study["id"])
        lab.assertEqual({run["state"] for run in runs}, {"succeeded"}, runs)
        lab.assertEqual({run["purpose"] for run in runs}, {"smoke", "pilot", "aa", "registered", "repeat"})
        views = {}
        for run in runs:
            token, view = printed(lab, run)
            # A person still finds the run: `etude runs` names its token.
            lab.assertEqual(token, run["launch"])
            lab.assertRegex(token, re.compile(r"^[0-9a-f]{12}$"))
            views.setdefault(run["factors"]["arm"], {}).setdefault(view, set()).add(run["purpose"])
        for arm, seen in views.items():
            different = [json.loads(view) for view in seen]
            keys = {key for view in different for key in view if view[key] != different[0][key]}
            lab.assertEqual(len(seen), 1, f"arm {arm} sees different {keys}: {[v[k] for k in keys for v in different][:4]}")
        purposes = [frozenset(p) for arm in ("slow", "fast") for p in views[arm].values()]
        lab.assertEqual(len(purposes), 2)
        lab.assertTrue({"smoke", "pilot", "registered"} <= purposes[0] & purposes[1])
        lab.assertEqual(purposes[0] | purposes[1], {"smoke", "pilot", "aa", "registered", "repeat"})
    return "without effect: runs of all purposes see the same"
