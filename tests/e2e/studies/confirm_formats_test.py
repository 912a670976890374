"""Records of the field's searches, written here as their programs write them, become studies of confirmation."""
import json
import sqlite3
import struct
import unittest

import harness

OPTUNA = '''
CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name VARCHAR(512) NOT NULL);
CREATE TABLE study_directions (study_direction_id INTEGER PRIMARY KEY, direction VARCHAR(8), study_id INTEGER, objective INTEGER);
CREATE TABLE study_system_attributes (study_system_attribute_id INTEGER PRIMARY KEY, study_id INTEGER, "key" VARCHAR(512), value_json TEXT);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, state VARCHAR(8));
CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER, param_name VARCHAR(512), param_value FLOAT, distribution_json TEXT);
CREATE TABLE trial_values (trial_value_id INTEGER PRIMARY KEY, trial_id INTEGER, objective INTEGER, value FLOAT, value_type VARCHAR(7));
'''
LR = {"name": "FloatDistribution", "attributes": {"step": None, "low": 1e-4, "high": 1.0, "log": True}}
LAYERS = {"name": "IntDistribution", "attributes": {"log": False, "step": 1, "low": 1, "high": 4}}
OPT = {"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", None, True]}}


def varint(number):
    out = b""
    while number > 0x7f:
        out += bytes([number & 0x7f | 0x80])
        number >>= 7
    return out + bytes([number])


def field(number, content):
    """A field of a protocol buffer: a number or bytes."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def items(values, nested=False):
    return b"".join(field(1, field(2 if nested else 1, key) + field(16, json.dumps(value))) for key, value in values.items())


def wandb_log(records):
    """The log of records, cut at blocks as LevelDB cuts it; its checksums are not checked."""
    out = b":W&B" + b"\xe1\xbe\x00"
    for record in records:
        begun = False
        while True:
            left = 32768 - len(out) % 32768
            if left < 7:
                out += bytes(left)
                continue
            part, record = record[:left - 7], record[left - 7:]
            kind = (4 if begun else 1) if not record else (3 if begun else 2)
            out += struct.pack("<IHB", 0, len(part), kind) + part
            begun = True
            if not record:
                break
    return out


class ConfirmFormatsTest(harness.EtudeTest):
    def confirmed(self, *words):
        """The study file, and confirm.json."""
        self.write("train.py", "import sys\nprint('loss: 1')\n")
        done = self.json("confirm", *words, "--no-run", "-o", "made")
        text, kept = (self.dir / "made/study.yaml").read_text(), json.loads((self.dir / "made/confirm.json").read_text())
        self.etude("plan", done["file"])
        return text, kept

    def accepted(self, kept):
        return [kept["baseline"]["entry"]["id"], *(one["entry"]["id"] for one in kept["improvements"])]

    def refused(self, *words, says=()):
        text = self.etude("confirm", *words, "-o", "made", code=2).stderr
        for part in says:
            self.assertIn(part, text)
        self.assertFalse((self.dir / "made").exists())

    def optuna(self, name="tune.db", studies=(("tune", ["MINIMIZE"]),), values=(3.0, 4.0, 2.0, None, 1.0)):
        with sqlite3.connect(self.dir / name) as store:
            store.executescript(OPTUNA)
            for study, (title, directions) in enumerate(studies, 1):
                store.execute("INSERT INTO studies VALUES (?, ?)", (study, title))
                for objective, direction in enumerate(directions):
                    store.execute("INSERT INTO study_directions (direction, study_id, objective) VALUES (?, ?, ?)",
                                  (direction, study, objective))
                for number, value in enumerate(values):
                    state = "COMPLETE" if value is not None else "FAIL"
                    trial = store.execute("INSERT INTO trials (number, study_id, state) VALUES (?, ?, ?)",
                                          (number, study, state)).lastrowid
                    if value is not None:
                        store.execute("INSERT INTO trial_values (trial_id, objective, value, value_type) VALUES (?, 0, ?, 'FINITE')",
                                      (trial, value))
                    for key, internal, kind in (("lr", 0.1 / (number + 1), LR), ("layers", 2.0, LAYERS),
                                                ("opt", float(number % 4), OPT)):
                        store.execute("INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) "
                                      "VALUES (?, ?, ?, ?)", (trial, key, internal, json.dumps(kind)))
        store.close()

    def test_optuna(self):
        self.optuna()
        run = ("--run", "python3 train.py --lr {lr} --opt {opt} --layers {layers} --seed {seed}", "--metric", "loss")
        text, kept = self.confirmed("tune.db", *run)
        self.assertEqual(self.accepted(kept), ["0", "2", "4"])
        self.assertEqual(kept["improvements"][0]["entry"]["parameters"], {"lr": "0.03333333333333333", "layers": "2", "opt": "None"})
        self.assertIn("--lr {version.lr} --opt {version.opt}", text)
        self.assertIn("v0: {layers: 2, lr: 0.1, opt: \"sgd\"}", text)
        self.assertEqual(kept["goal"], "minimize")
        # The database is in the folder where the command works, and no run sees it.
        self.assertIn("exclude: [\"/made\", \"/tune.db\"]", text)

    def test_optuna_for_real(self):
        self.optuna(values=(3.0, 1.0))
        self.write("job.py", """
            import random, sys
            noise = random.Random(" ".join(sys.argv)).gauss(0, 0.01)
            print("loss:", 10 * float(sys.argv[1]) + noise)
            """)
        told = self.json("confirm", "tune.db", "--run", "python3 job.py {lr} {seed}", "--metric", "loss", "--replicates", "5",
                         "--resource", "sandbox=none")
        warned = self.etude("confirm", "tune.db", "--run", "python3 job.py {lr} {seed}", "--metric", "loss", "--no-run", "-o", "other").stderr
        self.assertIn("the command leaves out `opt`, by which improvements differ from the baseline", warned)
        one, = told["improvements"]
        self.assertEqual(one["against_baseline"]["word"], "holds")
        # Recorded: 2. In truth: 0.5.
        self.assertTrue(one["against_baseline"]["smaller_than_recorded"])

    def test_optuna_that_cannot_be_confirmed(self):
        run = ("--run", "python3 train.py {lr} {seed}", "--metric", "loss")
        self.optuna("two.db", studies=(("a", ["MINIMIZE"]), ("b", ["MAXIMIZE"])))
        self.refused("two.db", *run, says=["--study", "`a` or `b`"])
        self.refused("two.db", *run, "--study", "c", says=["--study", "`c`"])
        self.optuna("pareto.db", studies=(("a", ["MINIMIZE", "MAXIMIZE"]),))
        self.refused("pareto.db", *run, says=["it has 2 objectives"])
        self.optuna("worse.db", values=(1.0, 2.0, 3.0))
        self.refused("worse.db", *run, says=["nothing to confirm"])
        self.optuna("empty.db", values=())
        self.refused("empty.db", *run, says=["no trial of it has ended"])
        self.optuna("good.db")
        self.refused("good.db", says=["--metric", "and the command by --run"])
        self.refused("good.db", "--metric", "loss", says=["--run"])
        self.refused("good.db", "--metric", "loss", "--run", "python3 train.py {seed}", says=["names no parameter", "{lr}"])

        # A foreign database, a damaged one, and one that another program holds.
        with sqlite3.connect(self.dir / "foreign.db") as store:
            store.execute("CREATE TABLE books (title TEXT)")
        store.close()
        self.refused("foreign.db", *run, says=["of no program that is known here"])
        whole = (self.dir / "good.db").read_bytes()
        (self.dir / "damaged.db").write_bytes(whole[:100] + b"\xff" * 4000)
        self.refused("damaged.db", *run, says=["damaged"])
        self.write("text.db", "no database\n")
        self.refused("text.db", *run, says=["no history"])
        store = sqlite3.connect(self.dir / "good.db", isolation_level=None)
        store.execute("BEGIN EXCLUSIVE")
        self.refused("good.db", *run, says=["locked", "wait until the search has ended"])
        store.close()

    def test_mlflow_files(self):
        experiment = self.dir / "mlruns/4109"
        for number, (name, lr, values, status) in enumerate((("first", "0.1", (2.0, 1.0), 3), ("killed", "0.3", (0.1,), 5),
                                                             ("better", "0.2", (9.0, 0.5), 3))):
            run = experiment / f"run{number}"
            for folder in ("params", "metrics/val"):
                (run / folder).mkdir(parents=True)
            (run / "meta.yaml").write_text(f"lifecycle_stage: active\nrun_name: {name}\nstart_time: {1000 + number}\nstatus: {status}\n")
            (run / "params/lr").write_text(lr)
            lines = [f"1795 {value} {step}" for step, value in enumerate(values)]
            (run / "metrics/val/loss").write_text("\n".join(reversed(lines)) + "\n")
        (experiment / "meta.yaml").write_text("experiment_id: '4109'\nname: night\n")
        text, kept = self.confirmed("mlruns", "--run", "python3 train.py --lr {lr} --seed {seed}", "--goal", "minimize")
        self.assertEqual(self.accepted(kept), ["first", "better"])
        self.assertEqual((kept["recorded_metric"], kept["metric"]), ("val/loss", "val_loss"))
        self.assertEqual([entry["status"] for entry in kept["entries"]], ["discard", "crash", "discard"])
        self.assertIn("val_loss: {goal: minimize", text)

    def test_mlflow_database(self):
        with sqlite3.connect(self.dir / "mlflow.db") as store:
            store.executescript('''
                CREATE TABLE experiments (experiment_id INTEGER, name VARCHAR(256));
                CREATE TABLE runs (run_uuid VARCHAR(32), name VARCHAR(250), status VARCHAR(9), start_time BIGINT,
                                   lifecycle_stage VARCHAR(20), experiment_id INTEGER);
                CREATE TABLE params ("key" VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32));
                CREATE TABLE latest_metrics ("key" VARCHAR(250), value FLOAT, is_nan BOOLEAN, run_uuid VARCHAR(32));
                INSERT INTO experiments VALUES (0, 'Default'), (1, 'night');
                INSERT INTO runs VALUES ('b', 'second', 'FINISHED', 20, 'active', 1), ('a', 'first', 'FINISHED', 10, 'active', 1),
                                        ('c', 'gone', 'FINISHED', 30, 'deleted', 1);
                INSERT INTO params VALUES ('lr', '0.1', 'a'), ('lr', '0.2', 'b'), ('lr', '0.3', 'c');
                INSERT INTO latest_metrics VALUES ('acc', 0.5, 0, 'a'), ('acc', 0.7, 0, 'b'), ('acc', 0.9, 0, 'c');''')
        store.close()
        run = ("--run", "python3 train.py --lr {lr} --seed {seed}")
        self.refused("mlflow.db", *run, says=["--goal"])
        _, kept = self.confirmed("mlflow.db", *run, "--goal", "maximize")
        self.assertEqual(self.accepted(kept), ["first", "second"])

    def test_trackio(self):
        with sqlite3.connect(self.dir / "proj.db") as store:
            store.executescript('''
                CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_id TEXT, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT);
                CREATE TABLE configs (id INTEGER PRIMARY KEY, run_id TEXT, run_name TEXT, config TEXT, created_at TEXT);
                ''')
            for number, (lr, losses) in enumerate(((0.1, (2.0, 1.0)), (0.2, (1.0, 0.5)))):
                for step, loss in enumerate(losses):
                    store.execute("INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES (?, '', ?, ?, ?)",
                                  (f"id{number}", "try", step, json.dumps({"loss": loss}).encode()))
                store.execute("INSERT INTO configs (run_id, run_name, config, created_at) VALUES (?, 'try', ?, '')",
                              (f"id{number}", json.dumps({"lr": lr, "opt": "sgd", "_Created": "2026"}).encode()))
        store.close()
        text, kept = self.confirmed("proj.db", "--run", "python3 train.py --lr {lr} --seed {seed}", "--goal", "minimize")
        self.assertEqual(self.accepted(kept), ["try", "try (2)"])
        self.assertEqual(kept["entries"][0]["parameters"], {"lr": "0.1", "opt": "sgd"})

    def test_wandb(self):
        for number, (lr, losses, end) in enumerate(((0.1, (2.0, 1.0), field(1, 0)), (0.3, (0.1,), None), (0.4, (0.1,), field(1, 1)),
                                                    (0.2, (1.0, 0.5), b""))):
            folder = self.dir / f"wandb/offline-run-20260301_00000{number}-id{number}"
            folder.mkdir(parents=True)
            config = items({"lr": lr, "net": {"width": 64}, "long": "x" * 40000 * (number == 0), "_wandb": {}})
            records = [field(17, field(1, f"id{number}") + field(4, config) + field(8, f"try{number}") +
                             field(17, field(1, 1000 + number)))]
            records += [field(2, items({"loss": loss, "_step": step}, nested=True)) for step, loss in enumerate(losses)]
            records += [] if end is None else [field(18, end)]
            (folder / f"run-id{number}.wandb").write_bytes(wandb_log(records))
        text, kept = self.confirmed("wandb", "--run", "python3 train.py --lr {lr} --width {net.width} --seed {seed}",
                                    "--goal", "minimize", "--metric", "loss")
        self.assertEqual(self.accepted(kept), ["try0", "try3"])
        self.assertEqual([entry["status"] for entry in kept["entries"]], ["discard", "crash", "crash", "discard"])
        self.assertIn("v1: {lr: 0.2, net_width: 64}", text)

    def test_aide(self):
        def node(step, code, value, buggy=False):
            return {"code": code, "plan": f"plan {step}: \"NaN\"", "step": step, "id": f"n{step}", "parent": None, "is_buggy": buggy,
                    "metric": {"value": value, "maximize": None if value is None else True}, "exec_time": float("nan")}
        self.write("logs/journal.json", json.dumps({"nodes": [
            node(0, "x = 1 / 0", None, True), node(1, "import random\nrandom.seed(3)\nprint('score: 1')\n", 0.5),
            node(2, "print('score: 1')\n", 0.4), node(3, "import random\nrandom.seed(7)\nprint('score: 2')\n", 0.9)],
            "node2parent": {}, "__version": "2"}))
        text, kept = self.confirmed("logs", "--metric", "score")
        self.assertEqual(self.accepted(kept), ["1", "3"])
        self.assertEqual(kept["goal"], "maximize")
        self.assertEqual(kept["improvements"][0]["entry"]["description"], 'plan 3: "NaN"')
        self.assertIn(r"cd {version} && sed -i -e 's/\\bseed(3\\b/seed({seed}/' -e 's/\\bseed(7\\b/seed({seed}/' program.py && "
                      "python3 program.py", text)
        self.assertEqual((self.dir / "made/versions/v1/program.py").read_text(), "import random\nrandom.seed(7)\nprint('score: 2')\n")

    def test_openevolve(self):
        for checkpoint in (1, 10):
            self.write(f"out/checkpoints/checkpoint_{checkpoint}/metadata.json", "{}")
            for found, (name, score) in enumerate((("a", 0.5), ("b", 0.4), ("c", 0.8))):
                if checkpoint == 1 and name == "c":
                    continue
                self.write(f"out/checkpoints/checkpoint_{checkpoint}/programs/{name}.json", json.dumps(
                    {"id": name, "code": f"# {name}\n", "language": "python", "iteration_found": found, "timestamp": 5.0 - found,
                     "metrics": {"combined_score": score, "speed": 1.0}, "changes_description": "a change"}))
        self.write("evaluator/evaluate.py", "import sys\nprint('combined_score: 1')\n")
        text, kept = self.confirmed("out", "--in", "evaluator", "--run", "python3 evaluate.py {program} {seed}")
        self.assertEqual(self.accepted(kept), ["a", "c"])
        self.assertIn("cp {data.versions}/{version}/program.py program.py && python3 evaluate.py program.py {seed}", text)

    def test_shinkaevolve(self):
        with sqlite3.connect(self.dir / "evolution_db.sqlite") as store:
            store.executescript('''
                CREATE TABLE programs (id TEXT PRIMARY KEY, code TEXT NOT NULL, language TEXT NOT NULL, parent_id TEXT,
                    generation INTEGER NOT NULL, timestamp REAL NOT NULL, combined_score REAL, correct BOOLEAN, metadata TEXT);
                CREATE TABLE archive (program_id TEXT PRIMARY KEY);
                CREATE TABLE metadata_store (key TEXT PRIMARY KEY, value TEXT);
                INSERT INTO programs VALUES ('p0', '# 0', 'python', NULL, 0, 1, 1.0, 1, '{"patch_name": "initial"}'),
                    ('p0b', '# 0', 'python', NULL, 0, 2, 1.5, 1, '{}'), ('p1', '# 1', 'python', 'p0', 1, 3, 9.0, 0, '{}'),
                    ('p2', '# 2', 'python', 'p0', 2, 4, 2.0, 1, '{"patch_name": "faster"}');''')
        store.close()
        _, kept = self.confirmed("evolution_db.sqlite", "--run", "python3 {program} {seed}")
        self.assertEqual(self.accepted(kept), ["p0", "p2"])
        self.assertEqual(kept["improvements"][0]["entry"]["description"], "faster")


if __name__ == "__main__":
    unittest.main()
