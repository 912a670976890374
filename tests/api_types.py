#!/usr/bin/env python3
"""Makes apps/web/src/api_types.ts, the types by which the page reads the API, from the description that a kernel serves
at /openapi.json. openapi-typescript does it (apps/web/package.json).

  api_types.py ETUDE           fails with exit status 1 if the file is not current
  api_types.py ETUDE --write   writes the file"""
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile

WEB = pathlib.Path(__file__).resolve().parent.parent / "apps/web"
GENERATED = WEB / "src/api_types.ts"
GENERATOR = WEB / "node_modules/openapi-typescript/bin/cli.js"


def types_of(document):
    """The TypeScript of a description, as text."""
    with tempfile.TemporaryDirectory() as folder:
        description, types = pathlib.Path(folder) / "openapi.json", pathlib.Path(folder) / "types.ts"
        description.write_text(json.dumps(document))
        subprocess.run(["node", GENERATOR, description, "-o", types, "--array-length", "--empty-objects-unknown"], check=True,
                       capture_output=True, text=True)
        return types.read_text()


def description_of(etude):
    with tempfile.TemporaryDirectory() as home:
        server = subprocess.Popen([etude, "--home", home, "serve", "--port", "0", "--json"], stdout=subprocess.PIPE)
        try:
            address = json.loads(server.stdout.readline())["address"]
            connection = http.client.HTTPConnection(address.removeprefix("http://"))
            token = (pathlib.Path(home) / "token").read_text().strip()
            connection.request("GET", "/api/v1/openapi.json", headers={"Authorization": f"Bearer {token}"})
            return json.load(connection.getresponse())
        finally:
            server.terminate()
            server.communicate()


def main():
    etude, *options = sys.argv[1:]
    types = types_of(description_of(etude))
    if "--write" in options:
        GENERATED.write_text(types)
    elif GENERATED.read_text() != types:
        sys.exit("apps/web/src/api_types.ts is not what the description makes: run tests/api_types.py ETUDE --write")


if __name__ == "__main__":
    main()
