#include "apps/cli/draft/study_draft.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "programs/run_program.h"
#include "studyfile/load.h"
#include "tests/cli/draft/temp_folder.h"

using namespace cli;
using Strings = std::vector<std::string>;

namespace {

constexpr const char* train = R"py(import argparse
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=1e-3)
p.add_argument("--opt", choices=["sgd", "adam"], default="sgd")
p.add_argument("--epochs", type=int, default=10)
p.add_argument("--amp", action="store_true")
p.add_argument("--model", default="resnet18")
p.add_argument("--data")
p.add_argument("--seed", type=int, default=0)
args = p.parse_args()
print(f"epoch {e} loss={loss} accuracy={acc}")
)py";

class Repository : public test::TempFolder {
 public:
  Repository() { write("train.py", train); }

  DraftPlace place() const { return {path(), path("study"), ""}; }

  StudyDraft draft(const std::string& command) const {
    auto drafted = draft_study(command, place());
    if (!drafted) FAIL(drafted.problem().text());
    return *drafted;
  }

  std::string problem(const std::string& command) const {
    const auto drafted = draft_study(command, place());
    REQUIRE_FALSE(drafted);
    return drafted.problem().text();
  }

  /// What the study file parser makes of the draft.
  kernel::StudySpec parsed(const std::string& command) const {
    const std::string yaml = draft_yaml(draft(command));
    INFO(yaml);
    auto parsed = studyfile::read_text(yaml, path("study/study.yaml"), path("study"));
    if (!parsed) FAIL(parsed.problem().text());
    return parsed->spec;
  }
};

Strings levels(const kernel::StudySpec& spec, const std::string& factor) {
  Strings names;
  REQUIRE(spec.factor(factor) != nullptr);
  for (const kernel::Level& level : spec.factor(factor)->levels) names.push_back(level.name);
  return names;
}

}  // namespace

TEST_CASE("a training command becomes a study that parses, with its values as baselines") {
  const Repository repository;
  const kernel::StudySpec spec = repository.parsed("python train.py --lr 3e-4 --opt adam --epochs 5");
  CHECK(levels(spec, "lr") == Strings{"3e-5", "3e-4", "3e-3"});
  CHECK(spec.factor("lr")->baseline == "3e-4");
  CHECK(levels(spec, "opt") == Strings{"adam", "sgd"});
  CHECK(spec.factor("opt")->baseline == "adam");
  CHECK(spec.run.words == Strings{"python train.py --lr {lr} --opt {opt} --epochs 5 --seed {seed}"});
  CHECK(spec.workspace.path == repository.path());
  CHECK(spec.workspace.exclude == Strings{"/study/"});
  REQUIRE(spec.metrics.size() == 2);
  CHECK(spec.primary().name == "loss");
  CHECK(spec.metrics[1].goal == kernel::Goal::maximize);
}

TEST_CASE("the seed on the command line becomes the study's") {
  const Repository repository;
  CHECK(repository.draft("python train.py --seed 7 --lr 0.1").run == "python train.py --seed {seed} --lr {lr}");
  CHECK(repository.draft("python train.py --seed=7 --lr=0.1").run == "python train.py --seed={seed} --lr={lr}");
}

TEST_CASE("a program without a seed is said to have none") {
  const Repository repository;
  repository.write("bench.sh", "echo hello\n");
  const StudyDraft draft = repository.draft("sh bench.sh --size 100");
  CHECK_FALSE(draft.seeded);
  CHECK(draft_yaml(draft).find("takes no seed") != std::string::npos);
  repository.parsed("sh bench.sh --size 100");
}

TEST_CASE("switches, paths and housekeeping stay as they are") {
  const Repository repository;
  repository.write("configs/a.yaml", "x");
  const StudyDraft draft = repository.draft("python train.py --amp --lr 0.1 --config configs/a.yaml --num-workers 4");
  CHECK(draft.run == "python train.py --amp --lr {lr} --config configs/a.yaml --num-workers 4 --seed {seed}");
  CHECK(draft.factors.size() == 1);
}

TEST_CASE("a word without known choices is held constant, where a person finds it") {
  const Repository repository;
  const kernel::StudySpec spec = repository.parsed("python train.py --lr 0.1 --model resnet50");
  CHECK(spec.factor("model") == nullptr);
  CHECK(spec.constants.at("model").text == "resnet50");
  CHECK(spec.run.words.at(0).find("--model {model}") != std::string::npos);
}

TEST_CASE("a large crossing is cut to a dozen cells, and what is left out stands ready") {
  const Repository repository;
  const std::string command = "python train.py --lr 0.1 --hidden 64 --layers 4 --opt adam";
  const kernel::StudySpec spec = repository.parsed(command);
  std::size_t cells = 1;
  for (const kernel::Factor& factor : spec.factors) cells *= factor.levels.size();
  CHECK(cells <= 12);
  CHECK(spec.constants.at("layers").text == "4");
  CHECK(draft_yaml(repository.draft(command)).find("# layers: {levels: [2, 4, 8], baseline: 4}") != std::string::npos);
}

TEST_CASE("of too many options those that people vary most are crossed, in the command's order") {
  const Repository repo;
  const auto names = [](const std::vector<DraftFactor>& factors) {
    Strings list;
    for (const DraftFactor& factor : factors) list.push_back(factor.name);
    return list;
  };
  const StudyDraft draft = repo.draft("python train.py --width 64 --depth 2 --dropout 0.2 --lr 0.01");
  CHECK(names(draft.factors) == Strings{"dropout", "lr"});
  CHECK(names(draft.constants) == Strings{"width", "depth"});
}

TEST_CASE("the code's licence is that of a known text, and left open otherwise") {
  const auto code_license = [](const char* file, const std::string& text) {
    Repository repo;
    repo.write(file, text);
    return repo.parsed("python train.py --lr 0.1").publication.code_license;
  };
  CHECK(code_license("LICENSE", "MIT License\n\nPermission is hereby granted, free of charge, to any person") == "MIT");
  CHECK(code_license("LICENSE.txt", "Apache License\nVersion 2.0, January 2004\n") == "Apache-2.0");
  CHECK(code_license("LICENSE",
                     "Permission is hereby granted, free of charge, to any person\n\nApache License\n"
                     "Version 2.0\n") == "");
  CHECK(code_license("COPYING", "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n") == "");
}

TEST_CASE("a command without options gets the program's defaults as baselines") {
  const Repository repository;
  const kernel::StudySpec spec = repository.parsed("python train.py");
  CHECK(spec.run.words == Strings{"python train.py --lr {lr} --opt {opt} --seed {seed}"});
  CHECK(spec.factor("lr")->baseline == "1e-3");
  CHECK(levels(spec, "opt") == Strings{"sgd", "adam"});
}

TEST_CASE("data outside the repository is declared, and a path inside made relative") {
  const Repository repository;
  const test::TempFolder elsewhere;
  elsewhere.write("points.csv", "1,2\n");
  const kernel::StudySpec spec =
      repository.parsed("python " + repository.path("train.py") + " --lr 0.1 --points " + elsewhere.path("points.csv"));
  REQUIRE(spec.data.size() == 1);
  CHECK(spec.data[0].path == elsewhere.path("points.csv"));
  CHECK(spec.run.words.at(0) == "python train.py --lr {lr} --points {data.points} --seed {seed}");
}

TEST_CASE("the repository's virtual environment is used and not copied") {
  const Repository repository;
  repository.write(".venv/pyvenv.cfg", "home = /usr/bin\n");
  repository.write(".venv/bin/python", "");
  for (const char* command : {"python train.py --lr 0.1", ".venv/bin/python train.py --lr 0.1",
                              "uv run train.py --lr 0.1", "uv run python train.py --lr 0.1"}) {
    const kernel::StudySpec spec = repository.parsed(command);
    CHECK(spec.environment.use == "venv:" + repository.path(".venv"));
    CHECK(spec.workspace.exclude == Strings{"/study/", "/.venv/"});
    CHECK(spec.run.words.at(0) == "python train.py --lr {lr} --seed {seed}");
  }
}

TEST_CASE("packages without an environment are a decision for a person") {
  const Repository repository;
  repository.write("requirements.txt", "torch\n");
  CHECK(draft_yaml(repository.draft("python train.py --lr 0.1")).find("DECIDE: requirements.txt") != std::string::npos);
  repository.parsed("python train.py --lr 0.1");
}

TEST_CASE("quotes, braces and odd values survive into the study") {
  const Repository repository;
  const kernel::StudySpec spec =
      repository.parsed("python train.py --lr 0.1 --opt 'adam' --note \"it's {x}: #1\" | awk '{print $1}'");
  CHECK(spec.constants.at("note").text == "it's {x}: #1");
  CHECK(spec.run.words.at(0) == "python train.py --lr {lr} --opt {opt} --note {note} | awk '{{print $1}}'");
}

TEST_CASE("Hydra's name=value and a module are understood") {
  const Repository repository;
  repository.write("pkg/main.py", "print(f'loss={x}')\n");
  const kernel::StudySpec spec = repository.parsed("python -m pkg.main model.dropout=0.1 seed=3");
  CHECK(spec.run.words.at(0) == "python -m pkg.main model.dropout={model_dropout} seed={seed}");
  CHECK(levels(spec, "model_dropout") == Strings{"0.05", "0.1", "0.2"});
}

TEST_CASE("the numbers and the seed that Hydra's files set are overridden") {
  const Repository repo;
  repo.write("src/main.py",
             "import hydra\n@hydra.main(version_base=None, config_path='../conf', config_name='train')\n"
             "def main(cfg):\n  print(f'val_loss={x}')\n");
  repo.write(
      "conf/train.yaml",
      "defaults:\n  - _self_\n  - model: small\n  - optional local: none\n  - logger: null\n  - data@train: big\n"
      "epochs: 5\nseed: null\nbatch: 16\n");
  repo.write("conf/model/small.yaml",
             "optimizer: {_target_: torch.optim.Adam, lr: 0.001, betas: [0.9, 0.99]}\ninput_size: 784\n");
  repo.write("conf/model/large.yaml", "# @package _global_\nlr: 0.1\n");
  const std::string command = "python src/main.py";
  CHECK(repo.draft(command).run ==
        "python src/main.py model.optimizer.lr={model_optimizer_lr} batch={batch} seed={seed}");
  CHECK(levels(repo.parsed(command), "model_optimizer_lr") == Strings{"0.0001", "0.001", "0.01"});
  CHECK(repo.draft("python src/main.py model=large").run ==
        "python src/main.py model={model} lr={lr} batch={batch} seed={seed}");
  // Which of two values counts depends on the order of the files.
  repo.write("conf/twice.yaml", "defaults: [{model: small}]\nmodel: {optimizer: {lr: 0.5}}\nbatch: 16\n");
  CHECK(repo.draft("python src/main.py --config-name twice").run ==
        "python src/main.py --config-name twice batch={batch} model.input_size={model_input_size}");
  CHECK(repo.draft("python src/main.py batch=8").run == "python src/main.py batch={batch} seed={seed}");
  // Files that are not there, or cannot be read, say nothing.
  repo.write("conf/train.yaml", "defaults: [{model: none}]\nlr: &a 0.1\nb: *a\n");
  CHECK(repo.problem(command).find("no option whose value could vary") != std::string::npos);
  repo.write("src/other.py", "def main(cfg_name='x'):\n  print(f'val_loss={x}')\n");
  CHECK(repo.problem("python src/other.py").find("no option whose value could vary") != std::string::npos);
}

TEST_CASE("numbers that a program gives to its configuration's members vary, and those it counts by do not") {
  const Repository repo;
  repo.write("chars.py", R"py(
def get_config():
    C = CN()
    C.system.seed = 3407
    C.trainer.learning_rate = 5e-4 # the model's
    C.model.block_size = 128
    return C
class Counter:
    def __init__(self):
        self.width = 64
def tuned(group, C,
          learning_rate: float = 1e-3,
          block_size: int = 4):
    group.learning_rate = 5e-4 * C.warm
        self.limit = 3
D.limit = 4
torch._dynamo.config.recompile_limit = 64
TOKEN_ID = 50256
use(TOKEN_ID, TOKEN_ID)
print(f"val_loss={x}")
)py");
  const std::string command = "torchrun --standalone --nproc_per_node=8 chars.py";
  const StudyDraft draft = repo.draft(command);
  CHECK(draft.gpus == 0);
  REQUIRE(draft.factors.size() == 2);
  CHECK(draft.factors[0].name == "learning_rate");
  CHECK(draft.factors[1].name == "block_size");
  CHECK(draft.seeded);
  // The edit does what it says.
  const auto edited = programs::run_program(
      {.argv = {"/bin/sh", "-c",
                "cd '" + repo.path() + "' && " + draft.run.substr(0, draft.run.find(" &&")) + " && cat chars.py"}});
  REQUIRE(edited);
  CHECK(edited->out.find("    C.trainer.learning_rate = {learning_rate}\n") != std::string::npos);
  CHECK(edited->out.find("    C.system.seed = {seed}\n") != std::string::npos);
  CHECK(edited->out.find("self.width = 64") != std::string::npos);
  CHECK(edited->out.find("learning_rate: float = 1e-3,\n          block_size: int = 4):\n") != std::string::npos);
  CHECK(edited->out.find("group.learning_rate = 5e-4 * C.warm\n") != std::string::npos);
  repo.write("cuda.py", "device = 'cuda'\nprint(f'val_loss={x}')\n");
  CHECK(repo.draft("torchrun --standalone --nproc_per_node=8 cuda.py --lr 0.1").gpus == 8);
  CHECK(repo.draft("python cuda.py --lr 0.1 --num_processes 4").gpus == 1);
}

TEST_CASE("an option with several values is left alone") {
  const Repository repository;
  CHECK(repository.draft("python train.py --lr 0.1 --layers 64 64").run ==
        "python train.py --lr {lr} --layers 64 64 --seed {seed}");
}

TEST_CASE("a metric that was not to be seen is explained") {
  const Repository repository;
  repository.write("quiet.py", "pass\n");
  const std::string yaml = draft_yaml(repository.draft("python quiet.py --lr 0.1"));
  CHECK(yaml.find("$ETUDE_METRICS") != std::string::npos);
  repository.parsed("python quiet.py --lr 0.1");
}

TEST_CASE("a command that names nothing to vary, or no program, is refused") {
  const Repository repository;
  repository.write("quiet.py", "pass\n");
  CHECK(repository.problem("python quiet.py").find("no option whose value could vary") != std::string::npos);
  CHECK(repository.problem("python nothere.py --lr 1").find("there is no `nothere.py`") != std::string::npos);
  CHECK(repository.problem("").find("the command is empty") != std::string::npos);
  CHECK(repository.problem("   ").find("the command is empty") != std::string::npos);
}

TEST_CASE("a command that begins with a file which a shell would not start is refused, with the command that works") {
  const Repository repository;
  repository.write("bench.sh", "echo hello\n");
  repository.write("best.sh", "#!/usr/bin/env bash\necho hello\n");
  repository.write("solve", "#!/bin/sh\necho hello\n");
  repository.write("tool", "#!/bin/sh\necho hello\n");
  repository.write("tools/train.py", train);
  std::filesystem::permissions(repository.path("solve"), std::filesystem::perms::owner_all);
  const auto bare = [](const char* name) {
    return fmt::format("--from: `{}` is a file of this folder, and no command that a shell finds: ", name);
  };
  CHECK(repository.problem("train.py --lr 3e-4") ==
        bare("train.py") + "give the program that runs it, --from \"python3 train.py --lr 3e-4\"");
  CHECK(repository.problem("CUDA_VISIBLE_DEVICES=0 train.py --lr 3e-4") ==
        bare("train.py") +
            "give the program that runs it, --from \"CUDA_VISIBLE_DEVICES=0 python3 train.py --lr 3e-4\"");
  CHECK(repository.problem("bench.sh --size 8") ==
        bare("bench.sh") + "give the program that runs it, --from \"sh bench.sh --size 8\"");
  CHECK(repository.problem("best.sh --size 8") ==
        bare("best.sh") + "give the program that runs it, --from \"bash best.sh --size 8\"");
  CHECK(repository.problem("solve --size 8") == bare("solve") + "give its path, --from \"./solve --size 8\"");
  CHECK(repository.problem("tool --size 8") == bare("tool") + "begin with the program that runs it");
  CHECK(repository.problem("tools/train.py --lr 1") ==
        "--from: `tools/train.py` is a file that may not be executed: give the program that runs it, --from \"python3 "
        "tools/train.py --lr 1\"");
  CHECK(repository.problem("./tool --size 8") ==
        "--from: `./tool` is a file that may not be executed: begin with the program that runs it");
  // What a shell starts is taken: an executable file by its path, and a program of $PATH before a file of its name.
  CHECK(repository.draft("./solve --size 8").run == "./solve --size {size}");
  repository.write("sh", "not the shell\n");
  CHECK(repository.draft("sh bench.sh --size 8").run == "sh bench.sh --size {size}");
}

TEST_CASE("a file of the folder with a command's name is not that command") {
  const Repository repository;
  repository.write("sh", "a file of another meaning\n");
  repository.write("bench.sh", "echo hello\n");
  CHECK(repository.draft("sh bench.sh --size 100").run == "sh bench.sh --size {size}");
}

TEST_CASE("numbers at the top of a module vary in each run's own copy, and so does a seed that is a constant") {
  const Repository repository;
  repository.write("gpt.py", R"py(import random
out_dir = "out"
eval_interval = 100
learning_rate = 6e-4  # largest
dropout = 0.1
n_layer = 4
random.seed(1337)
use(learning_rate, dropout, n_layer)
print(f"step {i}: train loss {a:.4f}, val loss {b:.4f}")
)py");
  const kernel::StudySpec spec = repository.parsed("python gpt.py");
  CHECK(levels(spec, "learning_rate") == Strings{"6e-5", "6e-4", "6e-3"});
  CHECK(levels(spec, "dropout") == Strings{"0.05", "0.1", "0.2"});
  CHECK(spec.factors.size() == 2);
  CHECK(spec.primary().name == "val_loss");
  CHECK(
      spec.run.words ==
      Strings{"sed -i -e 's/^\\(learning_rate\\s*=\\s*\\)[-+.0-9][-+.0-9eE]*\\s*\\([#;].*\\)\\?$/\\1{learning_rate}/' "
              "-e 's/^\\(dropout\\s*=\\s*\\)[-+.0-9][-+.0-9eE]*\\s*\\([#;].*\\)\\?$/\\1{dropout}/' "
              "-e 's/\\bseed(1337\\b/seed({seed}/' gpt.py && python gpt.py"});
  repository.write("conf/run.yaml", "model:\n  lr: 0.01\n");
  repository.write("cfg.py",
                   "import yaml\nlr = yaml.safe_load(open('conf/run.yaml'))['model']['lr']\nprint('loss', 1)\n");
  CHECK(
      repository.draft("python cfg.py").run ==
      "sed -i -e 's/^\\(\\s*lr:\\s\\+\\)[-+.0-9][-+.0-9eE]*\\s*\\(#.*\\)\\?$/\\1{lr}/' conf/run.yaml && python cfg.py");
  // The command names another one.
  repository.write("small.json", "{\"lr\": 0.1, \"n\": 1}");
  repository.write("j.py", "import json, sys\nlr = json.load(open(sys.argv[1]))['lr']\nprint('loss', 1)\n");
  CHECK(repository.draft("python j.py small.json").run ==
        "sed -i -e 's/\"lr\" *: *[-+.0-9eE]*/\"lr\": {lr}/' small.json && python j.py small.json");
}

TEST_CASE("a seed in a configuration file is the run's, and results that are logged are read") {
  const Repository repo;
  repo.write("main.py",
             "import logging, yaml\nc = yaml.safe_load(open('cfg.yaml'))\nprint(c['lr'], c['seed'])\n"
             "logging.info('epoch %d: test_loss %.4f', e, loss)\n");
  repo.write("cfg.yaml", "lr: 1.0e-4\nseed: 1234\n");
  const std::string command = "python3 main.py -c cfg.yaml";
  const StudyDraft draft = repo.draft(command);
  CHECK(draft.seeded);
  CHECK(draft.run ==
        "sed -i -e 's/^\\(\\s*lr:\\s\\+\\)[-+.0-9][-+.0-9eE]*\\s*\\(#.*\\)\\?$/\\1{lr}/' "
        "-e 's/^\\(\\s*seed:\\s\\+\\)[-+.0-9][-+.0-9eE]*\\s*\\(#.*\\)\\?$/\\1{seed}/' cfg.yaml && " +
            command + " 2>&1");
  CHECK(repo.parsed(command).metrics.front().name == "test_loss");
  // PyYAML reads `1e-5` as a text.
  CHECK(draft.factors.front().levels == Strings{"1.0e-5", "1.0e-4", "1.0e-3"});
  CHECK(draft_yaml(draft).find("logs its results") != std::string::npos);
}

TEST_CASE("a file's name that a shell would read is quoted in the command") {
  const Repository repo;
  repo.write("main.py", "import yaml\nc = yaml.safe_load(open('it(1)&.yaml'))\nprint(c['lr'])\n" +
                            std::string(1 << 20, 'x') + " = 'A'\n");
  repo.write("it(1)&.yaml", "lr: 0.01\nseed: 3\n");
  CHECK(repo.draft("python3 main.py").run.find("{seed}/' 'it(1)&.yaml' && python3 main.py") != std::string::npos);
}

TEST_CASE("typed constants of a module vary like others, and keep their annotations") {
  const Repository repository;
  repository.write("typed.py", R"py(import random
from typing import Final
LR: float = 0.1
steps: int = 200
width : Final[int] = 8  # of each layer
SEED: int = 7
eval_frequency: int = 50
try: fast = 1
except: fast = 0
else: slow = 2
random.seed(SEED)
use(LR, steps, width, eval_frequency, fast, slow)
class Options:
    depth: int = 3
print(f"loss={loss}")
)py");
  const kernel::StudySpec spec = repository.parsed("python typed.py");
  CHECK(levels(spec, "LR") == Strings{"0.01", "0.1", "1"});
  CHECK(levels(spec, "width") == Strings{"4", "8", "16"});
  CHECK(spec.factors.size() == 2);
  CHECK(spec.run.words ==
        Strings{"sed -i -e 's/^\\(LR\\s*:[^=]*=\\s*\\)[-+.0-9][-+.0-9eE]*\\s*\\([#;].*\\)\\?$/\\1{LR}/' "
                "-e 's/^\\(width\\s*:[^=]*=\\s*\\)[-+.0-9][-+.0-9eE]*\\s*\\([#;].*\\)\\?$/\\1{width}/' "
                "-e 's/^\\(SEED\\s*:[^=]*=\\s*\\)[-+.0-9][-+.0-9eE]*\\s*\\([#;].*\\)\\?$/\\1{seed}/' typed.py && "
                "python typed.py"});
  // A typed constant is one name with an untyped one.
  repository.write("twice.py", "lr: float = 0.1\nlr = 0.2\nwidth: int = 4\nuse(lr, width)\nprint(f'loss={x}')\n");
  CHECK(repository.parsed("python twice.py").factors.size() == 1);
}

TEST_CASE("a command that edits files is a block with one edit per line, without doubled quotes") {
  const Repository repository;
  repository.write("gpt.py", "lr = 0.1\nwidth = 4\nuse(lr, width)\nprint(f'loss={x}')\n");
  CHECK(draft_yaml(repository.draft("python gpt.py")).find(R"(
run: >-
  sed -i -e 's/^\(lr\s*=\s*\)[-+.0-9][-+.0-9eE]*\s*\([#;].*\)\?$/\1{lr}/'
  -e 's/^\(width\s*=\s*\)[-+.0-9][-+.0-9eE]*\s*\([#;].*\)\?$/\1{width}/' gpt.py &&
  python gpt.py
)") != std::string::npos);
  // A block cannot hold every command.
  CHECK(repository.parsed("python gpt.py\tx\nls").run.words.at(0).ends_with("gpt.py && python gpt.py\tx\nls"));
}

TEST_CASE("ignored files that the source names are brought in") {
  const Repository repository;
  DraftPlace place = repository.place();
  place.ignored = {3, 300, {{"data/text.bin", 100}, {"out/", 100}, {"other.bin", 100}}};
  repository.write("read.py", "x = open('data/text.bin')\nout = 'out'\nprint('loss', 1)\n");
  const auto draft = draft_study("python read.py --lr 0.1", place);
  REQUIRE(draft);
  REQUIRE(draft->needed.size() == 1);
  CHECK(draft_yaml(*draft).find("'!/data/text.bin'") != std::string::npos);
}
