"""aimock (an independent mock of model providers, from npm) as the peer of a test: started on a free port, ended by
its process id."""
import json
import pathlib
import re
import subprocess
import urllib.request

AIMOCK = pathlib.Path(__file__).resolve().parents[2] / "peers/node_modules/@copilotkit/aimock/dist/cli.js"


class ModelServer:
    """`fixtures`: requests and replies in aimock's format."""

    def __init__(self, folder, fixtures, *options):
        path = folder / "fixtures.json"
        path.write_text(json.dumps({"fixtures": fixtures}))
        self.process = subprocess.Popen(
            ["node", str(AIMOCK), "-p", "0", "-f", str(path), "--strict", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.url = ""
        said = ""
        for line in self.process.stdout:
            said += line
            found = re.search(r"listening on (http://\S+)", line)
            if found:
                self.url = found.group(1)
                break
        if not self.url:
            raise RuntimeError("aimock did not start: " + said)

    def asked(self):
        """The requests that it recorded."""
        with urllib.request.urlopen(self.url + "/__aimock/journal") as journal:
            entries = json.load(journal)
        return entries if isinstance(entries, list) else entries.get("entries", entries.get("requests"))

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
