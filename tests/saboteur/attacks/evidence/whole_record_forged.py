"""
Tries: someone changes what was measured in a home, and has etude itself compose a whole artifact that agrees with it.
Must: the head that `run` printed, kept elsewhere, does not fit.
"""
import hashlib
import json
import sqlite3

from forgery import hash_of


def attack(lab):
    study = lab.ended()
    base = sqlite3.connect(lab.home / "etude.db")
    columns = "seq, study, v, time, boot, actor, type, payload"
    events = base.execute(f"SELECT {columns} FROM events ORDER BY seq").fetchall()
    cut = next(event[0] for event in events if event[6] == "ExperimentAnalysed")
    prev = "0" * 64
    with base:
        for seq, ident, v, time, boot, actor, type_, payload in events:
            body = json.loads(payload)
            if seq >= cut:  # what happened in the same moment would be taken over as one decision
                time, boot = time + 10, boot + 10
            cost = body.get("measurement", {}).get("values", {}).get("cost") if type_ == "RunEnded" else None
            if cost and cost["value"] < 45:
                cost["value"] = round(cost["value"] / 2, 9)
                points = f'{{"name":"cost","value":{json.dumps(cost["value"])}}}\n'.encode()
                digest = hashlib.sha256(points).hexdigest()
                body["measurement"]["metrics"] = {"bytes": len(points), "sha256": digest}
                blob = lab.home / "blobs" / digest[:2] / digest[2:]
                blob.parent.mkdir(parents=True, exist_ok=True)
                blob.write_bytes(points)
                payload = json.dumps(body, sort_keys=True, separators=(",", ":"))
            event = {"study": ident, "v": v, "time": time, "boot": boot, "actor": actor, "type": type_}
            digest = hash_of(event, prev, payload)
            base.execute("UPDATE events SET time = ?, boot = ?, payload = ?, prev = ?, hash = ? WHERE seq = ?",
                         (time, boot, payload, prev, digest, seq))
            prev = digest
    base.close()
    fork = lab.json("fork", study["id"], "--at", cut - 1)
    forged = lab.lines("resume", fork["id"])[-1]
    lab.assertNotEqual(forged["hypotheses"][0]["effect"], study["hypotheses"][0]["effect"])
    findings = lab.json("audit", forged["artifact"], "--head", study["head"], code=1)["findings"]
    lab.assertEqual([(f["rule"], f["severity"]) for f in findings], [("wrong-head", "critical")])
    return "audit --head: wrong-head (critical)"
