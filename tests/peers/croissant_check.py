"""The published reader of Croissant (mlcroissant) over one folder with croissant.json and its tables. Usage:
croissant_check.py FOLDER. Prints one JSON object: the issues that it found, and the records of every record set. Fails if
the description is not valid, or a table is not what it describes."""
import json
import pathlib
import sys

PEERS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = map(str, PEERS.glob("venv/lib/python3*/site-packages"))  # Before what Debian has.

import mlcroissant  # noqa: E402


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    if value is None or value != value:  # NaN is what pandas has for an empty field.
        return None
    return value.item() if hasattr(value, "item") else value if isinstance(value, (bool, int, float, str)) else str(value)


def main(folder):
    dataset = mlcroissant.Dataset(str(pathlib.Path(folder) / "croissant.json"))
    records = {one.uuid: [{key: plain(value) for key, value in record.items()} for record in dataset.records(one.uuid)]
               for one in dataset.metadata.record_sets}
    json.dump({"issues": dataset.metadata.ctx.issues.report(), "records": records}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
