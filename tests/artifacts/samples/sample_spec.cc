#include "tests/artifacts/samples/sample_spec.h"

#include "tests/artifacts/samples/sample_study.h"

using namespace kernel;

const char* const hostile_text =
    "a </script><script>alert(1)</script> | `rm -rf` \"quoted\" 'single' **bold** [link](http://x.test)\nsecond\tline "
    "<!-- % $HOME {{H1}} \\n # é";

namespace {

Level level(const std::string& text, bool number = false) {
  Level l;
  l.name = l.value.text = text;
  if (number) l.value.number = std::stod(text);
  return l;
}

Factor factor(const std::string& name, const std::vector<std::string>& levels, bool integer = false) {
  Factor f;
  f.name = name;
  f.type = integer ? FactorType::integer : FactorType::text;
  for (const std::string& text : levels) f.levels.push_back(level(text, integer));
  return f;
}

Hypothesis compare(const kernel::HypothesisId& id, const std::string& statement, Cell treatment, Cell control,
                   Cell where, Direction direction, std::optional<Margin> margin) {
  Hypothesis h;
  h.id = id;
  h.statement = statement;
  h.metric = "time_ms";
  h.treatment = std::move(treatment);
  h.control = std::move(control);
  h.where = std::move(where);
  h.direction = direction;
  h.margin = margin;
  return h;
}

Hypothesis slope(const kernel::HypothesisId& id, const std::string& statement, Cell where, double value,
                 double margin) {
  Hypothesis h;
  h.id = id;
  h.statement = statement;
  h.metric = "time_ms";
  h.kind = HypothesisKind::slope;
  h.where = std::move(where);
  h.along = "n";
  h.slope_scale = SlopeScale::loglog;
  h.slope_value = value;
  h.direction = Direction::equal;
  h.margin = Margin{Margin::Kind::absolute, margin};
  return h;
}

}  // namespace

StudySpec sample_spec(const SampleOptions& options) {
  StudySpec spec;
  spec.title = "Sorting algorithms across input distributions";
  spec.question = "How does the choice of sorting algorithm affect running time across input distributions?";
  spec.run.words = {"python3 sort.py --algorithm {algorithm} --input {distribution} --n {n} --seed {seed}"};
  const std::string odd = options.hostile ? "odd |</script>`\"$x" : "nearly_sorted";
  spec.factors = {factor("algorithm", {"bubble", "quick", "merge"}), factor("distribution", {"random", "sorted", odd}),
                  factor("n", {"500", "1000", "2000"}, true)};
  spec.factors[0].baseline = "bubble";
  spec.constants["repeats"] = {"8", 8.0};
  Metric time;
  time.name = "time_ms";
  time.unit = options.hostile ? "m|s<b>" : "ms";
  time.primary = true;
  time.warmup = 1;
  time.summary.kind = SummaryKind::median;
  Metric misplaced;
  misplaced.name = "misplaced";
  misplaced.unit = "elements";
  misplaced.deterministic = true;
  spec.metrics = {time, misplaced};
  spec.guards = {{"misplaced", 0.0, std::nullopt}};
  const Margin half{Margin::Kind::relative, 0.5};
  spec.hypotheses = {
      compare("H1", "Quicksort takes less than half of bubble sort's time on random input.", {{"algorithm", "quick"}},
              {{"algorithm", "bubble"}}, {{"distribution", "random"}}, Direction::less, half),
      slope("H2", "Bubble sort's time grows with the square of n on random input.",
            {{"algorithm", "bubble"}, {"distribution", "random"}}, 2, 0.4),
      compare("H3", "Quicksort takes more than twice as long on sorted input as on random input.",
              {{"distribution", "sorted"}}, {{"distribution", "random"}}, {{"algorithm", "quick"}}, Direction::greater,
              Margin{Margin::Kind::relative, 1}),
      compare("H4", "Merge sort and quicksort take the same time on sorted input, within a twentieth.",
              {{"algorithm", "merge"}}, {{"algorithm", "quick"}}, {{"distribution", "sorted"}}, Direction::equal,
              Margin{Margin::Kind::relative, 0.05}),
      compare("H5", "The third kind of input changes quicksort's time.", {{"distribution", odd}},
              {{"distribution", "random"}}, {{"algorithm", "quick"}}, Direction::different, std::nullopt)};
  spec.hypotheses[0].mechanism = "fewer comparisons, n log n against n squared";
  spec.hypotheses[2].mechanism = "A pivot from the edge of sorted input leaves everything on one side.";
  if (options.hostile) {
    spec.title += std::string(" ") + hostile_text;
    spec.question += std::string(" ") + hostile_text;
    spec.hypotheses[0].statement = hostile_text;
    spec.hypotheses[1].mechanism = hostile_text;
    spec.run.words[0] += std::string(" # ```\n") + hostile_text;
    spec.constants["note"] = {hostile_text, std::nullopt};
  }
  spec.design.replicates_min = spec.design.replicates_max = options.replicates;
  spec.resources.memory_bytes = 256'000'000;
  spec.resources.timeout_s = 60;
  spec.budget.runs = 10'000;
  if (options.wall_s > 0) spec.budget.wall_s = options.wall_s;
  spec.file = "/somewhere/study.yaml";
  if (options.data) spec.data = {{"corpus", "/somewhere/corpus", Identity::sha256, ""}};
  if (options.declared) spec.data[0].identity = Identity::declared;
  if (options.unconfined) {
    spec.resources.sandbox = SandboxMode::none;
    spec.resources.network = true;
    spec.environment.pass = {"LD_LIBRARY_PATH", "AWS_PROFILE"};
    spec.environment.use = "venv:workspace/env";
  }
  return spec;
}

std::string sample_text(const SampleOptions& options) {
  return std::string("etude: 1\ntitle: Sorting algorithms across input distributions\n") +
         (options.hostile ? "# </script> | `\n" : "# a comment\n");
}
