#include "apps/cli/draft/script_metrics.h"

#include <regex>

#include <catch2/catch.hpp>

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
  const std::regex pattern(std::get<kernel::FromStdout>(metric.source).pattern);
  return std::regex_search(line, match, pattern) ? match[1].str() : "nothing";
}

}  // namespace

TEST_CASE("what a program prints becomes a pattern that reads it") {
  const auto metrics = script_metrics(R"py(print(f"epoch {e}: loss={loss:.4f}, val acc {acc}")
print("done in", time.time() - start)
)py");
  REQUIRE(names(metrics) == Strings{"loss", "acc"});
  CHECK(taken(metrics[0], "epoch 3: loss=0.1234, val acc 0.91") == "0.1234");
  CHECK(taken(metrics[1], "epoch 3: loss=0.1234, val acc 0.91") == "0.91");
  CHECK(taken(metrics[0], "epoch 3: loss=nan, val acc 0.91") == "nan");
  CHECK(metrics[0].goal == kernel::Goal::minimize);
  CHECK(metrics[1].goal == kernel::Goal::maximize);
  CHECK(metrics[1].line == 1);
}

TEST_CASE("percent formats, str.format and separate arguments are understood") {
  CHECK(taken(script_metrics("print('loss: %.3f' % loss)").at(0), "loss: 0.250") == "0.250");
  CHECK(taken(script_metrics("print('loss {}'.format(loss))").at(0), "loss 1e-3") == "1e-3");
  CHECK(taken(script_metrics("print(\"test_loss:\", loss)").at(0), "test_loss: 0.5") == "0.5");
  CHECK(taken(script_metrics("print('loss', loss)").at(0), "loss 0.5") == "0.5");
  CHECK(taken(script_metrics("print(json.dumps({'loss': loss}))").at(0), "{\"loss\": 0.5}") == "0.5");
}

TEST_CASE("one metric's pattern does not read another's value") {
  const auto metrics = script_metrics("print(f'val_loss={v} loss={t}')");
  REQUIRE(names(metrics) == Strings{"val_loss", "loss"});
  CHECK(taken(metrics[1], "val_loss=1.5 loss=0.5") == "0.5");
}

TEST_CASE("prints to stderr and words that are no metric are left alone") {
  CHECK(script_metrics("print(f'loss={x}', file=sys.stderr)").empty());
  CHECK(script_metrics("print(f'epoch={x} device={d}')").empty());
  CHECK(script_metrics("# print(f'loss={x}')").empty());
  CHECK(script_metrics("print('the loss is low')").empty());
  CHECK(script_metrics("").empty());
}

TEST_CASE("a program that knows the metrics file is taken at its word") {
  const auto metrics = script_metrics(R"py(path = os.environ["ETUDE_METRICS"]
f.write(json.dumps({"name": "accuracy", "value": acc}))
print(f"loss={loss}")
)py");
  REQUIRE(names(metrics) == Strings{"accuracy"});
  CHECK(std::holds_alternative<kernel::FromMetricsFile>(metrics[0].source));
}

TEST_CASE("JSON that is written to a file is read from it") {
  const auto metrics = script_metrics(R"py(result = {"train_loss": a, "test_accuracy": b, "epochs": 3}
with open("result.json", "w") as f:
    json.dump(result, f)
)py");
  REQUIRE(names(metrics) == Strings{"test_accuracy", "train_loss"});
  const auto& source = std::get<kernel::FromJsonFile>(metrics[0].source);
  CHECK(source.file == "result.json");
  CHECK(source.pointer == "/test_accuracy");
}

TEST_CASE("JSON lines are read by key, and a file that is only read is no result") {
  const auto metrics =
      script_metrics("f = open('log.jsonl', 'a')\nf.write(json.dumps({'loss': x, 'iter': i}) + '\\n')\n");
  REQUIRE(metrics.size() == 1);
  CHECK(std::get<kernel::FromJsonLines>(metrics[0].source).key == "loss");
  CHECK(script_metrics("c = json.load(open('config.json'))\njson.dumps(c)\nd = {'loss': 1}\n").empty());
}

TEST_CASE("held-out results come before training's, four at most") {
  CHECK(names(script_metrics("print(f'train_loss={a} loss={b} val_loss={c} test_loss={d} mae={e}')")) ==
        Strings{"test_loss", "val_loss", "loss", "mae"});
}
