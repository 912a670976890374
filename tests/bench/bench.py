#!/usr/bin/env python3
"""Measures what users wait for, and compares it with other programs: bench.py ETUDE [PART…]

Works below $TMPDIR, whose file system affects the results, so report it. Prints medians of interleaved rounds. A figure
without a peer is compared with its bound. PART: commands, jobs, launches, scale,
models, serving, artifacts, packaging, placement (default: all); launches needs GNU parallel, ninja and snakemake; scale needs bench_scale beside ETUDE, and ten
minutes, as does serving; models needs bench_models there.
"""
import datetime
import hashlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import cluster_trace
from serving import serving

ROUNDS = int(os.environ.get("ETUDE_BENCH_ROUNDS", "5"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ("sorting", "noise-robustness", "tiny-training")


def seconds(command, **kw):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kw)
    return time.perf_counter() - begin


def peak_while(command, **kw):
    """Seconds, and the peak resident memory of the process itself in bytes (its children are not part of it)."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kw)
    peak, begin = [0], time.perf_counter()

    def watch():
        while True:
            try:
                text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            except OSError:
                return
            if "VmHWM:" not in text:
                return
            peak[0] = int(text.split("VmHWM:")[1].split()[0]) * 1024
            time.sleep(0.02)

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    took = time.perf_counter() - begin
    watcher.join()
    if code:
        raise SystemExit(f"{command}: exit {code}")
    return took, peak[0]


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start"


TRIVIAL = """
etude: 1
title: Trivial jobs
question: How long does a job take that does nothing?
run: ["/bin/sh", "job.sh", "{arm}", "{seed}"]
factors:
  arm: {levels: [a, b]}
metrics:
  m: {goal: minimize, primary: true, from: {stdout: 'm=([0-9]+)'}}
hypotheses:
  - {id: H1, statement: a is b., test: {metric: m, treatment: {arm: b}, control: {arm: a}, direction: equal, margin: {absolute: 1000}}}
design: {replicates: {min: JOBS, max: JOBS}, smoke: false, order: listed}
resources: {timeout: 60s, sandbox: SANDBOX}
"""


def trivial(etude, work, jobs, sandbox, place=None):
    folder = work / f"trivial-{sandbox}"
    folder.mkdir(exist_ok=True)
    (folder / "job.sh").write_text('echo "m=$(($2 % 97))"\n')
    (folder / "study.yaml").write_text(TRIVIAL.replace("JOBS", str(jobs // 2)).replace("SANDBOX", sandbox))
    # Nothing is deleted before the end: ext4 without a journal makes files more slowly for minutes after.
    place = place or tempfile.mkdtemp(dir=work)
    trivial.home = f"{place}/home"
    return seconds([etude, "--home", f"{place}/home", "run", "study.yaml", "-j", "2", "-o", f"{place}/ara"], cwd=folder)


def span_of_runs(etude, home):
    """Seconds from the start of a study's first run until the end of its last one, as recorded."""
    listed = subprocess.run([etude, "--home", home, "runs", "s1", "--json"], capture_output=True, text=True, check=True)
    runs = [json.loads(line) for line in listed.stdout.splitlines()]
    started, ended = (min(run["started"] for run in runs), max(run["ended"] for run in runs))
    return (datetime.datetime.fromisoformat(ended) - datetime.datetime.fromisoformat(started)).total_seconds()


def by_xargs(work, jobs, wrapper, script=None):
    seeds = work / "seeds"
    seeds.write_text("".join(f"{i}\n" for i in range(jobs)))
    with open(seeds) as stdin:
        return seconds(["xargs", "-P2", "-n1", *wrapper, "/bin/sh", script or str(work / "trivial-none/job.sh"), "a"],
                       stdin=stdin)


def by_parallel(work, jobs):
    return seconds(["parallel", "-j2", "/bin/sh", str(work / "trivial-none/job.sh"), "a", "{}", ":::",
                    *map(str, range(jobs))])


def by_ninja(work, jobs):
    folder = pathlib.Path(tempfile.mkdtemp(dir=work))
    rule = f"rule job\n  command = /bin/sh {work}/trivial-none/job.sh a $seed > $out\n"
    steps = "".join(f"build {i}.txt: job\n  seed = {i}\n" for i in range(jobs))
    (folder / "build.ninja").write_text(rule + steps)
    return seconds(["ninja", "-j2"], cwd=folder)


def by_snakemake(work, jobs):
    folder = pathlib.Path(tempfile.mkdtemp(dir=work))
    (folder / "Snakefile").write_text(
        f"rule all:\n  input: expand('{{i}}.txt', i=range({jobs}))\n"
        f"rule job:\n  output: '{{i}}.txt'\n  shell: '/bin/sh {work}/trivial-none/job.sh a {{wildcards.i}} > {{output}}'\n")
    return seconds(["snakemake", "-j2", "-q", "all"], cwd=folder, env={**os.environ, "HOME": str(work)})


def sandbox_words(etude, work):
    """What etude's own jobs are started with, read off one, environment and first process included; one run folder for
    all, the first process bound instead of copied, and without the few small files of /etc that are written on the spot."""
    folder = work / "by-bwrap"
    for name in ("work", "out", "tmp", "checkpoint"):
        (folder / name).mkdir(parents=True)
    shutil.copy(work / "trivial-none/job.sh", folder / "work")
    for name in ("metrics.jsonl", "params.json"):
        (folder / name).touch()
    waiting = work / "waiting"
    waiting.mkdir(exist_ok=True)
    (waiting / "job.sh").write_text("sleep 1; echo m=1\n")
    (waiting / "study.yaml").write_text(TRIVIAL.replace("JOBS", "2").replace("SANDBOX", "auto"))
    home = work / "home-waiting"
    kernel = subprocess.Popen([etude, "--home", str(home), "run", "study.yaml", "-j", "1", "-o", str(work / "waited")],
                              cwd=waiting, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    job = None
    while job is None and kernel.poll() is None:
        job = next(home.glob("runs/*/*/job"), None) if any(home.glob("runs/*/*/work/job.sh")) else None
        time.sleep(0.01)
    fields = job.read_bytes().decode().split("\0")[1:-1]
    kernel.wait()
    run = str(job.parent)
    words = [value for key, value in zip(fields[::2], fields[1::2]) if key == "bwrap_argument"]
    checkpoint = next(value for key, value in zip(fields[::2], fields[1::2]) if key == "checkpoint")
    words = [w.replace(checkpoint, str(folder / "checkpoint")).replace(run, str(folder)) for w in words]
    for key, value in zip(fields[::2], fields[1::2]):
        if key == "environment":
            words += ["--setenv", *value.split("=", 1)]
    init = pathlib.Path(etude).parent / "embedded/etude-init"
    # It reports to standard error, which is not read here.
    return ["bwrap", "--ro-bind", str(init), "/etude/init", *words, "--", "/etude/init", "--init", "2", "0"]


def launches(etude, work):
    """Empty jobs, two at a time, compared with other programs that start jobs; ratios are taken within each round. The
    rate of launches is taken from the first start until the last end; for the other programs over their whole time. The
    cost of one more job is the difference between many jobs and few, its part of the analysis, the artifact and the audit
    included."""
    count = int(os.environ.get("ETUDE_BENCH_JOBS", "2000"))
    few = count // 4
    trivial(etude, work, 10, "none")
    wrapper = sandbox_words(etude, work)
    ways = {"etude": lambda n: trivial(etude, work, n, "none"), "xargs": lambda n: by_xargs(work, n, []),
            "parallel": lambda n: by_parallel(work, n), "ninja": lambda n: by_ninja(work, n),
            "snakemake": lambda n: by_snakemake(work, n), "etude, sandbox": lambda n: trivial(etude, work, n, "auto"),
            "xargs bwrap": lambda n: by_xargs(work, n, wrapper, "job.sh")}
    for program, name in (("parallel", "parallel"), ("ninja", "ninja"), ("snakemake", "snakemake"), ("bwrap", "xargs bwrap")):
        if not shutil.which(program):
            print(f"{program} is not installed")
            del ways[name]

    def measured(name, way):
        times = (way(few), way(count) if name != "snakemake" else 0)
        ours = name.startswith("etude")
        return (*times, span_of_runs(etude, trivial.home) if ours else times[1])

    rounds = [{name: measured(name, way) for name, way in ways.items()} for _ in range(ROUNDS)]

    def launch(times):
        return (times[1] - times[0]) / (count - few) * 1000

    rows = []
    for name in ways:
        took = statistics.median(r[name][0] for r in rounds)
        rows.append((f"{few:,} trivial jobs, {name}", took, "s", f"{few / took:.0f} jobs/s"))
        if name != "snakemake":
            rows.append(("  each of more jobs", statistics.median(launch(r[name]) for r in rounds), "ms", ""))
            span = statistics.median(r[name][2] for r in rounds)
            rows.append((f"  {count:,} jobs from first start to last end", span, "s", f"{count / span:.0f} jobs/s"))

    def ratio(what, ours, theirs, goal, value):
        if theirs not in ways:
            return
        each = sorted(value(r[ours]) / value(r[theirs]) for r in rounds)
        rows.append((f"{what} of {ours} / {theirs}", statistics.median(each), "×",
                     f"{goal}; rounds {each[0]:.2f} to {each[-1]:.2f}"))

    ratio("time", "etude", "parallel", "under 1", lambda times: times[0])
    ratio("time", "etude", "snakemake", "under 0.2", lambda times: times[0])
    ratio("time from first start to last end", "etude", "ninja", "at most 2", lambda times: times[2])
    ratio("one more job", "etude", "ninja", "for the record", launch)
    ratio("one more job", "etude", "xargs", "for the record", launch)
    ratio("one more job", "etude, sandbox", "xargs bwrap", "at most 1.3", launch)
    return rows


def commands(etude, work):
    rows = []
    rows.append(("etude --version", statistics.median(seconds([etude, "--version"]) for _ in range(30)) * 1000,
                 "ms", "under 15"))
    for example in EXAMPLES:
        took = [seconds([etude, "plan", str(ROOT / "examples" / example / "study.yaml")]) for _ in range(15)]
        rows.append((f"etude plan, {example}", statistics.median(took) * 1000, "ms", "under 50"))
    took, peak = peak_while([etude, "--home", str(work / "home"), "run", str(ROOT / "examples/sorting/study.yaml"),
                             "-j", "2", "-o", str(work / "ara")])
    rows.append(("sorting study, 401 runs", took, "s", "under 90"))
    rows.append(("  peak memory of the kernel", peak / 1e6, "MB", "under 60"))
    return rows


def jobs(etude, work):
    rows = []
    count = 200
    bubblewrap = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
                  "--die-with-parent"]
    times = {"etude": [], "etude, sandbox": [], "xargs": [], "xargs bwrap": []}
    for _ in range(ROUNDS):
        times["etude"].append(trivial(etude, work, count, "none"))
        times["xargs"].append(by_xargs(work, count, []))
        times["etude, sandbox"].append(trivial(etude, work, count, "auto"))
        times["xargs bwrap"].append(by_xargs(work, count, bubblewrap))
    for name, peer in (("etude", "xargs"), ("etude, sandbox", "xargs bwrap")):
        ours, theirs = statistics.median(times[name]), statistics.median(times[peer])
        rows.append((f"{count} trivial jobs to a verdict, {name}", ours, "s",
                     f"{ours / theirs:.1f} × {peer} -P2 ({theirs:.2f} s)"))
    return rows


def scale(etude, work):
    """The kernel with jobs that end at once, tests/bench/scale.cc; `show` is measured with the real binary."""
    program = str(pathlib.Path(etude).parent / "bench_scale")

    def measured(*words):
        return json.loads(subprocess.run([program, *map(str, words)], check=True, capture_output=True).stdout)

    rows, base = [], None
    for runs in (1_000, 10_000, 100_000):
        home = work / f"home-{runs}"
        study = measured("study", home, runs)
        base = base or study["us_per_run"]
        rows.append((f"{runs:,} runs: each, commits and all", study["us_per_run"], "µs",
                     f"{study['us_per_run'] / base:.2f} × that of 1,000; {study['cpu_us_per_run']:.0f} µs of CPU"))
    rows.append(("  peak memory of the kernel", study["peak_mb"], "MB", "under 200"))
    took = [seconds([etude, "--home", str(home), "show", "s1"]) for _ in range(9)]
    rows.append(("  etude show", statistics.median(took) * 1000, "ms", "under 100"))
    rows.append(("50 hypotheses over 10,000 runs judged", measured("judge")["seconds"], "s", "under 1"))
    example = ROOT / "examples" / EXAMPLES[0] / "study.yaml"
    rows.append(("a study file read", 1000 * measured("read", example)["seconds"], "ms", "under 5"))
    appends = measured("appends", work / "home-appends")
    for size, rate in appends["events_per_s_in_groups_of"].items():
        of_cpu = appends["events_per_cpu_s_in_groups_of"][size]
        rows.append((f"events decided and appended, {size} at once", rate, "/s", f"over 20,000; {of_cpu:.0f} per CPU s"))
    rows.append(("one durable transition", appends["transition_ms"], "ms",
                 f"{appends['transition_above_flush_ms']:.2f} above a bare flush ({appends['bare_flush_ms']:.2f}): under 1"))
    home = work / "home-million"
    measured("study", home, 333_400, 333_000)
    opened = measured("open", home)
    rows.append(("opening a home of 1,000,000 events, running", opened["seconds"], "s",
                 f"under 2; {opened['cpu_seconds']:.2f} s of CPU"))
    subprocess.run([program, "finish", str(home)], check=True, stdout=subprocess.DEVNULL)
    opened = measured("open", home)
    rows.append(("  the same when the study has ended", opened["seconds"], "s", "under 2"))
    return rows


def models(etude, work):
    """The time that the kernel adds to a model's own time, tests/bench/models.cc."""
    program = str(pathlib.Path(etude).parent / "bench_models")

    def measured(*words):
        return json.loads(subprocess.run([program, *map(str, words)], check=True, capture_output=True).stdout)

    rows = []
    for name, words in (("script", ()), ("server on loopback", ("http",))):
        calls = measured("calls", work / f"home-{name.split()[0]}", 780, *words)
        rows.append((f"a call of a model, {name}: 95 of 100", calls["p95_ms"], "ms",
                     f"under 5; {calls['p50_ms']:.2f} for 50; a bare flush {calls['flush_p50_ms']:.2f}, 95: {calls['flush_p95_ms']:.2f}"))
        rows.append(("  in the journal", calls["journal_kb_per_call"], "KB", "a call"))
        rows.append(("  processor time", calls["cpu_ms_per_call"], "ms", "a call, under 10"))
    streams = measured("streams", 200)
    rows.append(("200 replies streamed at once, peak memory", streams["peak_mb"], "MB",
                 f"under 150; {streams['whole']} came whole"))
    return rows


def packaging(etude, work):
    """The time to make the artifact of many runs, and the speed of hashing it."""
    rows, each = [], []
    for count in (2_000, 20_000):
        place = work / f"packaged-{count}"
        place.mkdir()
        trivial(etude, work, count, "none", place)
        study = json.loads(subprocess.run([etude, "--home", place / "home", "ls", "--json"], check=True,
                                          capture_output=True).stdout)[0]["id"]
        took = statistics.median(seconds([etude, "--home", place / "home", "artifact", study, "-o", place / f"again-{i}"])
                                 for i in range(3))
        each.append(took / count)
        rows.append((f"packaging {count:,} runs", took, "s", f"{1e6 * took / count:.0f} µs each, under 600"))
    rows.append(("  each of the many / of the few", each[1] / each[0], "×", "no more than linear: about 1"))
    # A gigabyte of evidence, which the seal knows.
    artifact = work / "packaged-2000/ara"
    big = artifact / "evidence/big.bin"
    with open(big, "wb") as out:
        for _ in range(64):
            out.write(os.urandom(1 << 24))
    seal = json.loads((artifact / "etude.json").read_text())
    peer = [seconds(["openssl", "dgst", "-sha256", big]) for _ in range(3)]
    seal["files"]["evidence/big.bin"] = hashlib.sha256(big.read_bytes()).hexdigest()
    before = [checked(etude, artifact) for _ in range(3)]
    (artifact / "etude.json").chmod(0o644)
    (artifact / "etude.json").write_text(json.dumps(seal, indent=2))
    took = [checked(etude, artifact) for _ in range(3)]
    rows.append(("check: 1 GB more of evidence", statistics.median(took) - statistics.median(before), "s",
                 f"openssl dgst alone takes {statistics.median(peer):.2f}"))
    return rows


def checked(etude, artifact):
    """The same for an artifact with a finding: an evidence page that no index lists."""
    begin = time.perf_counter()
    subprocess.run([etude, "check", artifact], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def artifacts(etude, work):
    """`check` of an artifact of 100 files and of a tree of 10,000 nodes; starting the program is part of both."""
    clean = ROOT / "tests/artifacts/clean"
    nodes = [f"- {{id: N{i}, type: experiment, title: Trial {i}, result: The time fell., evidence: [C01]"
             + (f", also_depends_on: [N{i - 1}]" if i > 1 else "") + "}\n" for i in range(1, 10_001)]
    pages = "".join(f"| [tables/t{i}.md](tables/t{i}.md) | Table {i} | C01 | times |\n" for i in range(100))
    rows = []
    for name, peer in (("an artifact of 100 files", "under 30"), ("a tree of 10,000 nodes", "under 200")):
        folder = work / name.replace(" ", "-").replace(",", "")
        shutil.copytree(clean, folder)
        if "tree" in name:
            (folder / "trace/exploration_tree.yaml").write_text("tree:\n" + "".join(nodes))
        else:
            for i in range(100):
                (folder / f"evidence/tables/t{i}.md").write_text(
                    f"# Table {i}\n\n**Source**: Table {i}\n\n| sort | time |\n|---|---|\n| merge | {i}.5 |\n")
            (folder / "evidence/README.md").open("a").write(
                "\n## More\n| File | Source | Claims | Description |\n|---|---|---|---|\n" + pages)
        took, peak = [], 0
        for _ in range(4 * ROUNDS):
            begin = time.perf_counter()
            process = subprocess.Popen([etude, "check", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, _, usage = os.wait4(process.pid, 0)
            took.append(time.perf_counter() - begin)
            peak = max(peak, usage.ru_maxrss / 1024)
        rows.append((f"check: {name}", 1000 * statistics.median(took), "ms", peer))
        rows.append(("  its peak memory", peak, "MB", "under 100"))
    return rows


def placement(etude, work):
    """`simulate` on 10,000 GPUs: the processor time of a task must not grow with their number. With 100,000 kinds of tasks no
    score of a node can be kept for the next task of the kind."""
    cluster_trace.nodes(work / "nodes.csv", 10_000, seed=1)
    rows = []
    for kinds in (1_000, 100_000):
        for policy in ("bestfit", "fgd"):
            first = None
            for count in (100_000, 300_000, 1_000_000):
                tasks = work / f"tasks-{count}-{kinds}.csv"
                if not tasks.exists():
                    cluster_trace.tasks(tasks, count, kinds, seed=2)
                process = subprocess.Popen([etude, "simulate", "--nodes", work / "nodes.csv", "--tasks", tasks, "--policy",
                                            policy], stdout=subprocess.PIPE)
                outcome = json.load(process.stdout)
                _, status, usage = os.wait4(process.pid, 0)
                if status:
                    raise SystemExit(f"simulate: status {status}")
                each = 1e6 * (usage.ru_utime + usage.ru_stime) / count
                first = first or each
                rows.append((f"{policy}, {count:,} tasks of {kinds:,} kinds: each", each, "µs",
                             f"{each / first:.2f} × that of 100,000; {outcome['allocation']['gpu']:.1%} of the GPUs allocated"))
            rows.append(("  the longest, in all", each * count / 1e6, "s", "under 600"))
            rows.append(("  its peak memory", usage.ru_maxrss / 1024, "MB", "under 2,000"))
    return rows


PARTS = {"commands": commands, "jobs": jobs, "launches": launches, "scale": scale, "models": models,
         "serving": serving, "artifacts": artifacts, "packaging": packaging,
         "placement": placement}


def main():
    etude = str(pathlib.Path(sys.argv[1]).resolve())
    print(machine())
    for part in sys.argv[2:] or PARTS:
        work = pathlib.Path(tempfile.mkdtemp(prefix="etude-bench-"))
        try:
            show(PARTS[part](etude, work))
        finally:
            shutil.rmtree(work, ignore_errors=True)


def show(rows):
    for name, value, unit, beside in rows:
        print(f"{name:<45} {value:8.2f} {unit:<3} {beside}")


if __name__ == "__main__":
    main()
