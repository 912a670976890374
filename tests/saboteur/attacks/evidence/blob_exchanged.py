"""
Tries: someone exchanges the bytes that a run left in the home, the points that it reported among them.
Must: verify names each blob, and no artifact is made of them.
"""


def attack(lab):
    study = lab.ended()
    changed = 0
    for blob in (lab.home / "blobs").glob("*/*"):
        bytes_ = blob.read_bytes()
        if bytes_.startswith(b'{"name":"cost"'):
            blob.chmod(0o644)
            blob.write_bytes(bytes_.replace(b":4", b":1"))
            changed += 1
    lab.assertGreater(changed, 6)
    lab.etude("artifact", study["id"], "-o", lab.dir / "again", code=3)
    return lab.verify_finds("blob")
