"""Measures `etude serve` with many clients: lists of a study of 100,000 runs, its page in a browser, 500 followers of
events, and idle clients.

serving.py ETUDE [RUNS]: alone; bench.py has it as its part `serving`. Needs bench_scale beside ETUDE; the page needs node and
chromium-headless-shell, and is left out without them.
"""
import http.client
import json
import os
import pathlib
import re
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

READERS, A_SECOND, SECONDS, SPEAKERS = 500, 100, 20, 8
STUDY = """
etude: 1
title: Followed
question: Who hears of it?
run: sleep 100000
factors: {arm: {levels: [old, new], baseline: old}}
metrics: {time_ms: {unit: ms, goal: minimize, primary: true}}
resources: {sandbox: none}
"""


class Asker:
    def __init__(self, server):
        self.token = server.token
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)

    def ask(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        self.connection.request(method, "/api/v1" + path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        said = answer.read()
        if answer.status >= 400:
            raise SystemExit(f"{method} {path}: {answer.status} {said[:300]}")
        return said

    def get(self, path):
        return json.loads(self.ask("GET", path))


class Server(Asker):
    def __init__(self, etude, home, *args):
        self.process = subprocess.Popen([etude, "--home", str(home), "serve", "--port", "0", "--json", *args],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(json.loads(self.process.stdout.readline())["address"].rsplit(":", 1)[1])
        self.token = (home / "token").read_text().strip()
        super().__init__(self)

    def head(self, path):
        return f"GET /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode()

    def megabytes(self):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text()).group(1)) / 1000

    def end(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait()


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


VIEWS = [("studies", "/", "tr.study"), ("a study", "/studies/s1", "nav.tabs"), ("its runs", "/studies/s1/runs", "table.runs td"),
         ("its timeline", "/studies/s1/timeline", ".lanes svg"), ("its charts", "/studies/s1/charts", ".cells, .empty"), ("a run", "/runs/s1-r7", ".facts")]


def page(server):
    """First paint and first useful content of the page."""
    if not shutil.which("node") or not pathlib.Path("/usr/bin/chromium-headless-shell").exists():
        return []
    asked = {"address": f"http://127.0.0.1:{server.port}", "token": server.token, "views": VIEWS}
    script = pathlib.Path(__file__).resolve().parent / "page_load.mjs"
    done = subprocess.run(["node", str(script)], input=json.dumps(asked), check=True, capture_output=True, text=True)
    return [(f"page: {one['name']}, first useful content", one["useful_ms"], "ms", f"under 1000; first paint {one['paint_ms']:.0f} ms")
            for one in json.loads(done.stdout)]


def lists(server, runs):
    middle = runs // 2
    asked = {"page of studies": "/studies", "a study": "/studies/s1", "first page of runs": "/studies/s1/runs",
             "page of runs in the middle": f"/studies/s1/runs?cursor={middle}", "newest page of runs": "/studies/s1/runs?order=newest",
             "runs that run": "/studies/s1/runs?state=running,starting", "runs of one level": "/studies/s1/runs?where=algorithm%3Dquick",
             "four runs": f"/studies/s1/runs?numbers=1,{middle},{middle + 1},{runs}", "one run": f"/runs/s1-r{middle}",
             "hypotheses": "/studies/s1/hypotheses", "graph": "/studies/s1/graph", "experiments": "/studies/s1/experiments",
             "moments": "/studies/s1/moments"}
    rows = []
    for name, path in asked.items():
        took = []
        for _ in range(40):
            begin = time.perf_counter()
            server.ask("GET", path)
            took.append(1000 * (time.perf_counter() - begin))
        rows.append((f"serve: {name}, p95", share(took, 0.95), "ms", f"under 20, of {runs} runs"))
    begin = time.perf_counter()
    server.ask("GET", f"/studies/s1/past?at={server.get('/health')['last_event']}")
    rows.append(("serve: the study as it was at its end", time.perf_counter() - begin, "s", f"{runs} runs"))
    return rows


def found(etude, work, count):
    """Each search and sort of many studies, over HTTP."""
    home = work / "studies"
    subprocess.run([str(pathlib.Path(etude).parent / "bench_scale"), "studies", str(home), str(count)], check=True, stdout=subprocess.DEVNULL)
    server = Server(etude, home)
    asked = {"newest": "order=newest", "a page in the middle": f"cursor={count // 2}", "by words": "q=faster+kind7",
             "by words that none has": "q=nothing+like+that", "by state": "state=failed,cancelled,waiting", "by verdict": "verdict=supported",
             "by tag": "tag=tenth", "archived": "archived=true", **{f"sorted by {by}": f"sort={by}&order=newest" for by in ("title", "runs", "usd", "wall")},
             "by words and tag, sorted by wall": "q=sorting&tag=tenth&archived=all&sort=wall"}
    rows = []
    try:
        for name, query in asked.items():
            took = []
            for _ in range(20):
                begin = time.perf_counter()
                server.ask("GET", f"/studies?{query}")
                took.append(1000 * (time.perf_counter() - begin))
            rows.append((f"serve: studies {name}, p95", share(took, 0.95), "ms", f"under 100, of {count} studies"))
        begin = time.perf_counter()
        subprocess.run([etude, "--home", str(home), "ls", "--tag", "tenth", "faster"], check=True, stdout=subprocess.DEVNULL)
        return rows + [("ls by words and tag", 1000 * (time.perf_counter() - begin), "ms", f"{count} studies")]
    finally:
        server.end()


class Readers(threading.Thread):
    """Follow the events of a study, and note the numbers that each has seen."""

    def __init__(self, server, study, number):
        super().__init__(daemon=True)
        self.seen = [[] for _ in range(number)]
        self.done = threading.Event()
        self.selector = selectors.DefaultSelector()
        self.sockets = []
        for i in range(number):
            s = socket.create_connection(("127.0.0.1", server.port), timeout=60)
            s.sendall(server.head(f"/studies/{study}/events"))
            if b" 200 " not in s.recv(16):
                raise SystemExit("a reader was refused")
            self.sockets.append(s)
            self.selector.register(s, selectors.EVENT_READ, [i, b""])

    def run(self):
        while not self.done.is_set():
            for key, _ in self.selector.select(0.2):
                i, rest = key.data
                # A piece may end in the middle of a number: the last line waits for its end.
                text = rest + key.fileobj.recv(1 << 18)
                whole, _, key.data[1] = text.rpartition(b"\n")
                self.seen[i] += re.findall(rb"^id: (\d+)$", whole, re.M)

    def close(self):
        self.done.set()
        self.join()
        for s in self.sockets:
            s.close()


def followed(server, work):
    folder = work / "followed"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    study = json.loads(server.ask("POST", "/studies", {"path": str(folder / "study.yaml"), "jobs": 1}))["id"]
    time.sleep(1)
    alone = server.megabytes()
    readers = Readers(server, study, READERS)
    readers.start()
    took, began = [], time.perf_counter()

    def steer(first):
        own = Asker(server)
        for i in range(first, A_SECOND * SECONDS, SPEAKERS):
            time.sleep(max(0, began + i / A_SECOND - time.perf_counter()))
            begin = time.perf_counter()
            own.ask("POST", f"/studies/{study}/steer", {"text": "x"})
            took.append(1000 * (time.perf_counter() - begin))

    speakers = [threading.Thread(target=steer, args=(first,)) for first in range(SPEAKERS)]
    for one in speakers:
        one.start()
    for one in speakers:
        one.join()
    speed = len(took) / (time.perf_counter() - began)
    with_them = server.megabytes()
    server.connection.close()  # It has waited for too long.
    last = server.get("/health")["last_event"]
    until = time.perf_counter() + 30
    while time.perf_counter() < until and not all(seen and int(seen[-1]) == last for seen in readers.seen):
        time.sleep(0.1)
    readers.close()
    # All have seen the same, each number once, up to the last one.
    whole = readers.seen[0]
    wrong = sum(seen != whole or len(set(seen)) != len(seen) or int(seen[-1]) != last for seen in readers.seen)
    if len(whole) < A_SECOND * SECONDS:
        raise SystemExit(f"only {len(whole)} events were followed")
    delay = server.get("/health")["loop"]
    server.ask("POST", f"/studies/{study}/cancel", {})
    return [(f"serve: readers of {READERS} that lost or repeated one", wrong, "", f"none; at {speed:.0f} events/s"),
            ("  wait for the kernel's loop, p99", delay["p99_ms"], "ms", f"under 10, of the last {delay['of']} times"),
            ("  a command meanwhile, median", statistics.median(took), "ms", "the loop, one flush, one answer"),
            ("  a command meanwhile, p99", share(took, 0.99), "ms", ""),
            ("  memory of a reader", 1000 * (with_them - alone) / READERS, "kB", f"{with_them:.0f} MB in all, under 200")]


def idle(server):
    rows = []
    server.connection.close()
    for name, says in (("say nothing", b""), ("drip a head", b"GET / HTTP/1.1\r\nX: ")):
        held, worst = [], 0
        for i in range(10_000):
            s = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            try:
                s.sendall(says)
            except OSError:
                pass  # Other clients have connected since.
            held.append(s)
            if i % 1000 == 999:
                begin = time.perf_counter()
                fresh = socket.create_connection(("127.0.0.1", server.port), timeout=30)
                fresh.sendall(server.head("/health"))
                if b" 200 " not in fresh.recv(4096):
                    raise SystemExit("health was not answered")
                worst = max(worst, 1000 * (time.perf_counter() - begin))
                fresh.close()
        rows.append((f"serve: health beside 10,000 who {name}, worst", worst, "ms", ""))
        for s in held:
            s.close()
    server.connection.close()  # The server closed it because it was idle; the next request opens another.
    return rows


def serving(etude, work, runs=100_000):
    home = work / "home"
    subprocess.run([str(pathlib.Path(etude).parent / "bench_scale"), "study", str(home), str(runs)], check=True, stdout=subprocess.DEVNULL)
    server = Server(etude, home)
    try:
        rows = lists(server, runs) + page(server) + idle(server) + followed(server, work)
    finally:
        server.end()
    return rows + found(etude, work, 10_000)


if __name__ == "__main__":
    folder = pathlib.Path(tempfile.mkdtemp(prefix="etude-bench-", dir=os.environ.get("TMPDIR")))
    try:
        for row in serving(str(pathlib.Path(sys.argv[1]).resolve()), folder, int(sys.argv[2]) if len(sys.argv) > 2 else 100_000):
            print(f"{row[0]:<60} {row[1]:9.2f} {row[2]:<3} {row[3]}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
