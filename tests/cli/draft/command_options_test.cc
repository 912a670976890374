#include "apps/cli/draft/command_options.h"

#include <regex>

#include <catch2/catch.hpp>

#include "kernel/domain/stdout_pattern.h"

using namespace cli;

namespace {

std::vector<std::string> names(const std::vector<ScriptMetric>& metrics) {
  std::vector<std::string> out;
  for (const ScriptMetric& metric : metrics) out.push_back(metric.name);
  return out;
}

using Strings = std::vector<std::string>;

/// What the metric's pattern takes from a line of output.
std::string taken(const ScriptMetric& metric, const std::string& line) {
  std::smatch match;
  const auto groups = kernel::stdout_pattern(std::get<kernel::FromStdout>(metric.source).pattern);
  const std::regex pattern(groups.regex);
  return std::regex_search(line, match, pattern) ? match[groups.value].str() : "nothing";
}

}  // namespace

TEST_CASE("what a program prints becomes a pattern that reads it") {
  const auto metrics = read_script(R"py(print(f"epoch {e}: loss={loss:.4f}, val acc {acc}")
print("done in", time.time() - start)
)py")
                           .metrics;
  REQUIRE(names(metrics) == Strings{"val_acc", "loss"});
  CHECK(taken(metrics[1], "epoch 3: loss=0.1234, val acc 0.91") == "0.1234");
  CHECK(taken(metrics[0], "epoch 3: loss=0.1234, val acc 0.91") == "0.91");
  CHECK(taken(metrics[1], "epoch 3: loss=nan, val acc 0.91") == "nan");
  CHECK(metrics[1].goal == kernel::Goal::minimize);
  CHECK(metrics[0].goal == kernel::Goal::maximize);
  CHECK(metrics[0].line == 1);
}

TEST_CASE("validation comes before minibatches, and what is printed with a step gets it") {
  const auto metrics = read_script(R"py(for step in range(9):
    print(f"step {step}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")
    print(f"iter {step}: loss {lossf:.4f}, time {dt*1000:.2f}ms")
)py")
                           .metrics;
  REQUIRE(names(metrics) == Strings{"val_loss", "loss", "train_loss", "time"});
  const std::string line = "step 100: train loss 2.1, val loss 2.3", batch = "iter 7: loss 2.5, time 31.20ms";
  CHECK(taken(metrics[0], line) == "2.3");
  CHECK(taken(metrics[2], line) == "2.1");
  CHECK(taken(metrics[1], line) == "nothing");
  CHECK(taken(metrics[1], batch) == "2.5");
  std::smatch match;
  const auto groups = kernel::stdout_pattern(std::get<kernel::FromStdout>(metrics[0].source).pattern);
  REQUIRE(std::regex_search(line, match, std::regex(groups.regex)));
  CHECK(match[groups.step] == "100");
}

TEST_CASE("percent formats, str.format and separate arguments are understood") {
  CHECK(taken(read_script("print('loss: %.3f' % loss)").metrics.at(0), "loss: 0.250") == "0.250");
  CHECK(taken(read_script("print('loss {}'.format(loss))").metrics.at(0), "loss 1e-3") == "1e-3");
  CHECK(taken(read_script("print(\"test_loss:\", loss)").metrics.at(0), "test_loss: 0.5") == "0.5");
  CHECK(taken(read_script("logger.info('Epoch [%d/%d] - val_loss: %.4f', e, n, loss)").metrics.at(0),
              "2026-01-02 INFO Epoch [3/30] - val_loss: 0.25") == "0.25");
  CHECK(taken(read_script("tqdm.write(f'loss={loss}')").metrics.at(0), "loss=0.5") == "0.5");
  CHECK(read_script("math.log(f'loss={loss}')\nf.write(f'loss={loss}')").metrics.empty());
  CHECK(taken(read_script("print('loss', loss)").metrics.at(0), "loss 0.5") == "0.5");
  CHECK(taken(read_script("print(json.dumps({'loss': loss}))").metrics.at(0), "{\"loss\": 0.5}") == "0.5");
}

TEST_CASE("one metric's pattern does not read another's value") {
  const auto metrics = read_script("print(f'val_loss={v} loss={t}')").metrics;
  REQUIRE(names(metrics) == Strings{"val_loss", "loss"});
  CHECK(taken(metrics[1], "val_loss=1.5 loss=0.5") == "0.5");
}

TEST_CASE("functions that stand for print are read, and bars that show progress where nothing is printed") {
  for (const char* name :
       {"print0", "print_rank_0", "rank_zero_print", "accelerator.print", "master_print", "log", "log0"})
    CHECK(taken(read_script(std::string(name) + "(f'val_loss:{v:.4f} t:{t}')").metrics.at(0), "val_loss:3.25 t:1") ==
          "3.25");
  for (const char* name : {"blueprint", "catalog", "fingerprint", "math.log", "footprint.add"})
    CHECK(read_script(std::string(name) + "(f'val_loss:{v:.4f}')").metrics.empty());
  const auto bar = read_script("progress_bar(i, n, 'Loss: %.3f | Acc: %.3f%%' % (loss, acc))").metrics;
  REQUIRE(names(bar) == Strings{"Loss", "Acc"});
  CHECK(taken(bar[1], "[==>] Loss: 0.5 | Acc: 91.250%") == "91.250");
  CHECK_FALSE(bar[0].logged);
  CHECK(names(read_script("progress_bar(f'loss {x}')\nprint(f'acc {a}')").metrics) == Strings{"acc"});
  CHECK(read_script("plt.title(f'loss {x}')\nraise ValueError(f'loss {x}')").metrics.empty());
  const auto postfix = read_script("bar.set_postfix(loss=x, lr=lr)").metrics;
  REQUIRE(names(postfix) == Strings{"loss"});
  CHECK(taken(postfix[0], " 50%|██  | 5/10 [00:01<00:01, 4.9it/s, loss=0.31]") == "0.31");
  CHECK(postfix[0].logged);
}

TEST_CASE("times come last, and hours and minutes are no number") {
  const auto metrics = read_script("print(f'train_time: {t} loss: {x}')").metrics;
  REQUIRE(names(metrics) == Strings{"loss", "train_time"});
  CHECK(taken(metrics[1], "train_time: 12.5 loss: 3") == "12.5");
  CHECK(taken(metrics[1], "train_time: 0:12:34 loss: 3") == "nothing");
  CHECK(read_script("print('Training time {}'.format(total_time_str))").metrics.empty());
  CHECK(names(read_script("print(f'latency {t} accuracy {a}')").metrics) == Strings{"latency", "accuracy"});
}

TEST_CASE("prints to stderr and words that are no metric are left alone") {
  CHECK(read_script("print(f'loss={x}', file=sys.stderr)").metrics.empty());
  CHECK(read_script("print(f'epoch={x} device={d}')").metrics.empty());
  CHECK(read_script("# print(f'loss={x}')").metrics.empty());
  CHECK(read_script("print('the loss is low')").metrics.empty());
  CHECK(read_script("").metrics.empty());
}

TEST_CASE("a program that knows the metrics file is taken at its word") {
  const auto metrics = read_script(R"py(path = os.environ["ETUDE_METRICS"]
f.write(json.dumps({"name": "accuracy", "value": acc}))
print(f"loss={loss}")
)py")
                           .metrics;
  REQUIRE(names(metrics) == Strings{"accuracy"});
  CHECK(std::holds_alternative<kernel::FromMetricsFile>(metrics[0].source));
}

TEST_CASE("JSON that is written to a file is read from it") {
  const auto metrics = read_script(R"py(result = {"train_loss": a, "test_accuracy": b, "epochs": 3}
with open("result.json", "w") as f:
    json.dump(result, f)
)py")
                           .metrics;
  REQUIRE(names(metrics) == Strings{"test_accuracy", "train_loss"});
  const auto& source = std::get<kernel::FromJsonFile>(metrics[0].source);
  CHECK(source.file == "result.json");
  CHECK(source.pointer == "/test_accuracy");
}

TEST_CASE("JSON lines are read by key, and a file that is only read is no result") {
  const auto metrics =
      read_script("f = open('log.jsonl', 'a')\nf.write(json.dumps({'loss': x, 'iter': i}) + '\\n')\n").metrics;
  REQUIRE(metrics.size() == 1);
  CHECK(std::get<kernel::FromJsonLines>(metrics[0].source).key == "loss");
  CHECK(read_script("c = json.load(open('config.json'))\njson.dumps(c)\nd = {'loss': 1}\n").metrics.empty());
}

TEST_CASE("held-out results come before training's, four at most") {
  CHECK(names(read_script("print(f'train_loss={a} loss={b} val_loss={c} test_loss={d} mae={e}')").metrics) ==
        Strings{"test_loss", "val_loss", "loss", "mae"});
}

TEST_CASE("argparse options tell their names, whether they take a value, and their choices") {
  const auto options = read_script(R"py(
OPTIMIZERS = {
    "adam": torch.optim.Adam,  # the default
    "sgd": torch.optim.SGD,
}
p.add_argument("--lr", "--learning-rate", type=float, default=3e-4, help="as in (Kingma, 2014)")
p.add_argument('--opt', choices=OPTIMIZERS.keys())
p.add_argument('--amp', action="store_true")
p.add_argument("--layers", type=int, nargs="+")
p.add_argument("data")
p.add_argument("--norm", default='batch', choices=['batch', 'layer'])
)py")
                           .options;
  REQUIRE(options.size() == 5);
  CHECK(options[0].names == Strings{"--lr", "--learning-rate"});
  CHECK(options[0].number);
  CHECK(options[0].default_value == "3e-4");
  CHECK(options[1].choices == Strings{"adam", "sgd"});
  CHECK_FALSE(options[2].takes_value);
  CHECK(options[3].takes_several);
  CHECK(options[4].default_value == "batch");
  CHECK(find_option(options, "--learning-rate") == &options[0]);
  CHECK(find_option(options, "--nothing") == nullptr);
}

TEST_CASE("click options are understood too") {
  const auto options =
      read_script(
          "@click.option('--opt', type=click.Choice(['adam', 'sgd']))\n@click.option('--amp/--no-amp')\n"
          "@click.option('--fast', is_flag=True)\ndef main(): pass\n")
          .options;
  REQUIRE(options.size() == 3);
  CHECK(options[0].choices == Strings{"adam", "sgd"});
  CHECK_FALSE(options[1].takes_value);
  CHECK_FALSE(options[2].takes_value);
}

TEST_CASE("a source that is no Python 3 says nothing") {
  const ScriptReading reading = read_script("print 'loss'\n");
  CHECK(reading.options.empty());
  CHECK(reading.metrics.empty());
  CHECK(reading.unread == "python3 cannot read its source");
}

TEST_CASE("fields of a dataclass that tyro reads are options, with their types and defaults") {
  const auto reading = read_script(R"py(from dataclasses import dataclass, field
@dataclass
class Args:
    seed: int = 1
    learning_rate: float = 2.5e-4
    """the learning rate"""
    cuda: bool = True
    optimizer: Literal["adam", "sgd"] = "adam"
    layers: list[int] = field(default_factory=list)
    width: int = field(default=64)
@dataclass
class Other:
    depth: int = 3
args = tyro.cli(Args)
print(f"global_step={s}, episodic_return={r}")
)py");
  std::vector<std::string> names;
  for (const ScriptOption& option : reading.options) names.push_back(option.names.front() + "=" + option.default_value);
  CHECK(names == std::vector<std::string>{"--seed=1", "--learning_rate=2.5e-4", "--cuda=", "--optimizer=adam",
                                          "--layers=", "--width=64"});
  CHECK(find_option(reading.options, "--learning-rate") == &reading.options[1]);
  CHECK_FALSE(reading.options[2].takes_value);
  CHECK(reading.options[3].choices == std::vector<std::string>{"adam", "sgd"});
  CHECK(reading.options[4].takes_several);
  REQUIRE(reading.metrics.size() == 1);
  CHECK(reading.metrics[0].goal == kernel::Goal::maximize);
}

TEST_CASE("a metric of a line about the test set comes before that of training") {
  const auto metrics = read_script(
                           "print('Train Epoch: {} Loss: {:.6f}'.format(e, l))\n"
                           "print('Test set: Average loss: {:.4f}'.format(t))")
                           .metrics;
  REQUIRE(metrics.size() == 2);
  CHECK(metrics[0].name == "loss");
  CHECK(metrics[1].name == "Loss");
}
