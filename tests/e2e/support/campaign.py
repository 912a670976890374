"""A study of examples/ with fewer cells, replicates and hypotheses, whose verdicts are known."""
import importlib.util
import json
import os
import pathlib
import shutil

from harness import EtudeTest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def with_levels(constraints, levels):
    """The constraints of a study after its factors were reduced to these levels; a factor with one level is a constant."""
    kept = []
    for constraint in constraints:
        excluded = {}
        for factor, named in constraint["exclude"].items():
            left = [level for level in (named if isinstance(named, list) else [named]) if level in levels.get(factor, [level])]
            if not left:
                break  # No cell has such a level.
            if len(levels.get(factor, [])) != 1:
                excluded[factor] = left
        else:
            if not excluded:
                raise ValueError(f"{constraint} excludes every cell that is left")
            kept.append({"exclude": excluded})
    return kept


class Campaign(EtudeTest):
    """What a test file says of its study. Files with `quick = False` run in `make soak` only (ETUDE_CAMPAIGNS=all)."""
    name = ""           # folder under examples/
    needs = ("numpy",)  # Python modules
    levels = {}         # factor → its levels here
    replicates = 4
    verdicts = {}       # hypothesis → verdict; the other hypotheses are left out
    quick = True
    jobs = 2

    def reduced(self):
        import yaml
        study = yaml.safe_load((ROOT / "examples" / self.name / "study.yaml").read_text())
        study["hypotheses"] = [h for h in study["hypotheses"] if h["id"] in self.verdicts]
        for factor, levels in self.levels.items():
            study["factors"][factor]["levels"] = levels
            if len(levels) == 1:
                study.setdefault("constants", {})[factor] = levels[0]
                del study["factors"][factor]
                for hypothesis in study["hypotheses"]:
                    hypothesis["test"].get("where", {}).pop(factor, None)
        study["constraints"] = with_levels(study.get("constraints", []), self.levels)
        self.assertEqual(len(study["hypotheses"]), len(self.verdicts))
        study["design"]["replicates"] = {"min": self.replicates, "max": self.replicates}
        study["seeds"] = "fixed"
        return study

    def check_verdicts(self):
        for module in ("yaml", *self.needs):
            if not importlib.util.find_spec(module):
                self.skipTest(f"no Python module {module}")
        if not self.quick and os.environ.get("ETUDE_CAMPAIGNS") != "all":
            self.skipTest("in `make soak`")
        # Folder and study keep their names: `run:` may build things there.
        shutil.copytree(ROOT / "examples" / self.name, self.dir, dirs_exist_ok=True)
        (self.dir / "study.yaml").write_text(json.dumps(self.reduced(), indent=1))
        study = self.run_study("-j", self.jobs)
        self.assertEqual(study["outcome"], "concluded")
        self.assertEqual({h["id"]: h["verdict"] for h in study["hypotheses"]}, self.verdicts)
        self.etude("check", "--strict", self.dir / "study-ara")
        self.etude("audit", self.dir / "study-ara", "--head", study["head"])
