"""
Tries: a job takes more memory than its limit where none of its processes shows it: in a file in memory that it never maps, and
    in System V segments that it attaches for a moment only.
Must: the file is counted and ends the run; the segments together cannot be larger than the limit.
"""
from lab import HONEST

MEMORY = r'''
import ctypes, os, sys, time
def hide_in_a_file():
    file = os.memfd_create("hidden")
    for _ in range(300):
        os.write(file, bytes(1 << 20))
    time.sleep(30)
def hide_in_segments():
    time.sleep(1)
    kernel = ctypes.CDLL(None, use_errno=True)
    kernel.shmat.restype = ctypes.c_void_p
    made = 0
    for _ in range(10):
        segment = kernel.shmget(0, 30 << 20, 0o600)
        if segment < 0:
            continue
        place = kernel.shmat(segment, None, 0)
        ctypes.memset(place, 1, 30 << 20)
        kernel.shmdt(ctypes.c_void_p(place))
        made += 1
    print("segments:", made)
{"slow": hide_in_segments, "fast": hide_in_a_file}[sys.argv[1]]()
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write('{"name": "cost", "value": 1}\n')
'''


def attack(lab):
    lab.sandbox()
    lab.place(HONEST.replace("sandbox: none", "sandbox: auto, memory: 128M").replace("{min: 6, max: 6}", "{min: 4, max: 4}, smoke: false")
              .replace("sh job.sh", "/usr/bin/python3 job.py"))
    lab.write("job.py", MEMORY)
    study = lab.run_study(code=None)
    for run in lab.lines("runs", study["id"]):
        if run["factors"]["arm"] == "fast":
            lab.assertIn("memory", run["reason"] or "", run)
            continue
        digest = run["blobs"]["stdout"]
        segments = int((lab.home / "blobs" / digest[:2] / digest[2:]).read_text().split()[1])
        lab.assertLess(segments * 30, 128)
    return "refused or ended: memory: more than the limit"
