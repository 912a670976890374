"""
Tries: a job leaves a note for later runs in the kernel's keyring of its user, where a person keeps keys, and reads what is
    there.
Must: with and without a sandbox no job reads or writes a key, or sees that there are any.
"""
import shutil

from lab import HONEST, JOB, NotHere, VERDICTS, verdicts

# Numbers of add_key and keyctl; the operations are READ, SETPERM, LINK and SEARCH.
KEYS = '''
import ctypes, os, platform, re, sys
ADD, KEYCTL = {"x86_64": (248, 250), "aarch64": (217, 219)}[platform.machine()]
kernel = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    return kernel.syscall(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
def read(key):
    space = ctypes.create_string_buffer(4096)
    return space.raw[:max(call(KEYCTL, 11, key, space, 4096), 0)]
try:
    listed = open("/proc/keys").read()
except OSError:
    listed = ""
rings = [int(serial, 16) for serial in re.findall(r"^([0-9a-f]+) .* _uid\\\\.%d:" % os.getuid(), listed, re.M)] + [-4]
done = ["listed keys"] if MARK in listed and SANDBOX else []
for ring in rings:
    keys = read(ring)
    for at in range(0, len(keys), 4):
        if b"a note of " in read(int.from_bytes(keys[at:at + 4], sys.byteorder)):
            done.append("read a note")
note = b"a note of arm " + sys.argv[1].encode()
key = call(ADD, b"user", MARK.encode(), note, len(note), -4)
if key > 0:
    done.append("wrote a note")
    call(KEYCTL, 5, key, 0x3f3f0000)
    for ring in rings:
        call(KEYCTL, 8, key, ring)
sys.exit("; ".join(done) or 0)
'''


def attack(lab):
    lab.sandbox()
    if not shutil.which("python3", path="/usr/bin"):
        raise NotHere("no Python in /usr/bin")
    mark = f"etude-{lab.tmp.name}"
    for sandbox in ("auto", "none"):
        lab.write("keys.py", f"MARK, SANDBOX = {mark!r}, {sandbox == 'auto'}" + KEYS)
        lab.place(HONEST.replace("sandbox: none", f"sandbox: {sandbox}"), job=JOB + '/usr/bin/python3 keys.py "$1"\n')
        study = lab.run_study()
        failed = [r["reason"] for r in lab.lines("runs", study["id"]) if r["state"] != "succeeded"]
        lab.assertEqual((failed, verdicts(study)), ([], VERDICTS))
    return "without effect: no call on keys was answered, and no key was seen"
