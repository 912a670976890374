// Prose bound to a study: what stands at an address, and what the kernel says to an author who writes something else.
#include <set>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "kernel/binding/address_list.h"
#include "kernel/binding/addresses.h"
#include "kernel/binding/prose_binding.h"
#include "kernel/decide/decide.h"
#include "tests/kernel/studies/world.h"

namespace {

using kernel::Study;

kernel::StudySpec sorting_spec() {
  kernel::Hypothesis slower = quick_is_faster();
  slower.id = "H2";
  slower.statement = "Quicksort takes more than twice as long.";
  slower.mechanism.clear();
  slower.direction = kernel::Direction::greater;
  slower.where = {{"n", "200"}};
  kernel::Hypothesis half = quick_is_faster();
  half.id = "H3";
  half.margin = kernel::Margin{kernel::Margin::Kind::relative, 0.5};
  half.where = {{"n", "200"}};
  return small_spec({quick_is_faster(), slower, half});
}

/// The study before the experiment is analysed, and when its claims are due.
struct Told {
  Study measured, concluding;
};
const Told& told() {
  static const Told both = [] {
    World world(honest);
    world.open(sorting_spec());
    kernel::Loop loop(world.parts());
    loop.run(World::at_rest);
    REQUIRE(world.refusals.empty());
    Told t;
    kernel::State state;
    for (const kernel::Event& e : world.log) {
      if (std::holds_alternative<kernel::ExperimentAnalysed>(e.body)) t.measured = *state.study("s1");
      if (std::holds_alternative<kernel::ClaimRecorded>(e.body)) break;
      kernel::apply(state, e);
    }
    t.concluding = *state.study("s1");
    return t;
  }();
  return both;
}

std::string at(const Study& study, const std::string& address) {
  const kernel::AddressValue value = kernel::value_at(study, address);
  if (const auto* none = std::get_if<kernel::NoValue>(&value)) return "(" + none->why + ": " + none->todo + ")";
  return std::get<std::string>(value);
}

/// The same study with values that are easy to read.
Study rounded_study() {
  Study study = told().concluding;
  kernel::HypothesisResult& r = *study.hypotheses[0].result;
  r.effect = -18.20437;
  r.low = -18.6123;
  r.high = -17.7965;
  r.level = 0.9666666;
  r.p = 2.1e-9;
  r.p_corrected = 0.0123456;
  r.effect_relative = -0.92312;
  r.se = 0.1587;
  study.hypotheses[2].result->effect_relative = -0.9501;
  study.hypotheses[2].result->relative_low = -0.9612;
  study.hypotheses[2].result->relative_high = -0.9391;
  double value = 20;
  for (kernel::Run& run : study.runs)
    if (run.evidence()) run.measurement.values["time_ms"].value = value += 0.25;
  return study;
}

std::string refusal(const Study& study, kernel::CommandBody body, const char* actor = "writeup") {
  kernel::State state;
  state.studies.emplace("s1", study).first->second.spec.agents = "model";
  const auto decision = kernel::decide(state, {"s1", actor, std::move(body)}, {1, 1});
  const std::string* why = kernel::why_not(decision.outcome);
  return why ? *why : "";
}

kernel::RecordClaim claim_saying(const std::string& statement) {
  kernel::Claim claim;
  claim.hypothesis = "H1";
  claim.title = "{{H1.statement}}";
  claim.statement = statement;
  claim.status = "supported";
  return {claim};
}

}  // namespace

TEST_CASE("values have their unit and the digits that the interval justifies") {
  const Study study = rounded_study();
  const std::pair<const char*, const char*> golden[] = {
      {"H1.statement", "“Quicksort is faster than bubble sort”"},
      {"H1.mechanism", "“fewer comparisons”"},
      {"H1.verdict", "supported"},
      {"H1.effect", "-18.20 ms"},
      {"H1.interval", "[-18.61, -17.80] ms"},
      {"H1.level", "96.67 %"},
      {"H1.p", "< 0.0001"},
      {"H1.p_corrected", "0.0123"},
      {"H1.effect_relative", "-92.31 %"},
      {"H1.n", "12 + 12"},
      {"H1.n.treatment", "12"},
      {"H1.failed.control", "0"},
      {"H1.se", "0.159 ms"},
      {"H1.metric", "time_ms"},
      {"H1.treatment", "algorithm = quick"},
      {"H1.crossed", "n (100, 200)"},
      {"H1.region", "less than the control"},
      {"H3.region", "more than 50 % less than the control"},
      {"H3.where", "n = 200"},
      {"H3.effect_relative", "-95.0 %"},
      {"H3.interval_relative", "[-96.1 %, -93.9 %]"},
      {"E01.time_ms.quick,100.n", "6"},
      {"E01.time_ms.algorithm=quick,n=100.failed", "0"},
      {"E01.time_ms.all.n", "24"},
      {"E01.cells", "4"},
      {"E01.runs", "24"},
      {"runs.registered", "24"},
      {"runs.failed", "0"},
      {"hypotheses.total", "3"},
      {"hypotheses.supported", "2"},
      {"hypotheses.refuted", "1"},
      {"study.family", "3"},
      {"study.title", "“Sorting”"},
      {"r1.state", "succeeded"},
  };
  for (const auto& [address, value] : golden) {
    INFO(address);
    CHECK(at(study, address) == value);
  }
}

TEST_CASE("a mean is rounded at the second digit of its interval's half-width") {
  Study study = told().concluding;
  double value = 10;
  for (kernel::Run& run : study.runs)
    if (run.evidence()) run.measurement.values["time_ms"].value = value += 1;
  // Whatever the order of the runs was, the statistics of a cell are those of its six values.
  std::vector<double> values;
  for (const kernel::Run& run : study.runs)
    if (run.evidence() &&
        study.cells[static_cast<std::size_t>(run.cell)] == kernel::Cell{{"algorithm", "quick"}, {"n", "100"}})
      values.push_back(run.measurement.values.at("time_ms").value);
  REQUIRE(values.size() == 6);
  double mean = 0;
  for (const double v : values) mean += v / 6;
  CHECK(at(study, "E01.time_ms.quick,100.mean") == fmt::format("{:.1f} ms", mean));
  CHECK(at(study, "E01.time_ms.quick,100.max") ==
        fmt::format("{:.1f} ms", *std::max_element(values.begin(), values.end())));
  CHECK(at(study, "E01.time_ms.quick,100.sd").ends_with(" ms"));
  CHECK(at(study, "E01.time_ms.quick.mean").ends_with(" ms"));
  CHECK(at(study, "E01.time_ms.quick.median") ==
        "(has no value: it spans 2 cells: name a level of every factor, or take the mean)");
}

TEST_CASE("an unknown address gets the nearest spelling") {
  const Study& study = told().concluding;
  const std::pair<const char*, const char*> golden[] = {
      {"H1.efect", "(is no address: H1 has no such value: did you mean {{H1.effect}}?)"},
      {"H1.p_correct", "(is no address: H1 has no such value: did you mean {{H1.p_corrected}}?)"},
      {"h1.effect", "(is no address: there is no such subject: did you mean {{H1.effect}}?)"},
      {"run.total", "(is no address: there is no such subject: did you mean {{runs.total}}?)"},
      {"runs.totl", "(is no address: `runs` has no such value: did you mean {{runs.total}}?)"},
      {"E01.time.quick,100.mean", "(is no address: there is no metric `time`: did you mean {{E01.time_ms…}}?)"},
      {"E01.time_ms.quik,100.mean", "(is no address: there is no level `quik`: did you mean `quick`?)"},
      {"E01.time_ms.algoritm=quick.mean", "(is no address: there is no factor `algoritm`: did you mean `algorithm`?)"},
      {"E01.time_ms.quick,100.avg",
       "(is no address: there is no statistic `avg`: there is mean, median, sd, min, max, n, failed)"},
      {"E01.time_ms.quick,100.medain", "(is no address: there is no statistic `medain`: did you mean `median`?)"},
      {"E01.time_ms.quick,bubble.mean", "(is no address: it names `algorithm` more than once: )"},
      {"", "(is no address: write SUBJECT.VALUE between double braces on one line, as in {{H1.effect}})"},
      {"H2.mechanism", "(has no value: none was stated: say so in words, or leave it out)"},
  };
  for (const auto& [address, said] : golden) {
    INFO(address);
    CHECK(at(study, address) == said);
  }
}

TEST_CASE("until its experiment is analysed nobody sees a result or a measured value") {
  const Study& study = told().measured;
  REQUIRE(study.phase() == kernel::Phase::analysing);
  for (const char* member : {"verdict", "effect", "effect_relative", "interval", "level", "p", "p_corrected", "n",
                             "failed", "power", "reason", "se", "df"})
    CHECK(at(study, std::string("H1.") + member).starts_with("(is withheld"));
  for (const char* statistic : {"mean", "median", "sd", "min", "max", "n", "failed"})
    CHECK(at(study, std::string("E01.time_ms.quick,100.") + statistic).starts_with("(is withheld"));
  CHECK(at(study, "hypotheses.supported").starts_with("(is withheld"));
  // Counts and failures are open, and so is what was registered.
  CHECK(at(study, "runs.succeeded") == std::to_string(study.runs.size()));
  CHECK(at(study, "H1.statement") == "“Quicksort is faster than bubble sort”");
  CHECK(kernel::Binding(study).bind("Time: {{E01.time_ms.quick,100.mean}}.").findings.at(0).why == "is withheld");
}

TEST_CASE("a text is rendered as a whole, and says where it cannot be") {
  const Study study = rounded_study();
  const kernel::Binding binding(study);
  const std::string text =
      "{{H1.statement}} is {{H1.verdict}}: on {{H1.crossed}}, quick is faster than bubble (H1), by {{H1.effect}}, "
      "interval {{H1.interval}} at "
      "level {{H1.level}}, corrected p {{H1.p_corrected}}, over {{H1.n}} runs.\nAt n = 200 and alpha = 0.05.";
  const kernel::Bound bound = binding.bind(text);
  CHECK(bound.findings.empty());
  CHECK(bound.text ==
        "“Quicksort is faster than bubble sort” is supported: on n (100, 200), quick is faster than bubble (H1), by "
        "-18.20 ms, interval "
        "[-18.61, -17.80] ms at level 96.67 %, corrected p 0.0123, over 12 + 12 runs.\nAt n = 200 and alpha = 0.05.");
  const std::string wrong = "Good.\nBy {{H1.efect}}, or 3.7.";
  const kernel::Bound refused = binding.bind(wrong);
  REQUIRE(refused.findings.size() == 2);
  CHECK(prose::described(wrong, refused.findings[0]) ==
        "line 2, column 4: `{{H1.efect}}` is no address: H1 has no such value: did you mean {{H1.effect}}?");
  CHECK(prose::described(wrong, refused.findings[1]) ==
        "line 2, column 21: `3.7` is an unsupported number: give the address of the value, such as {{H1.effect}}, or "
        "leave it out");
}

TEST_CASE("an agent's claim that does not pass is refused with what and where") {
  const Study& study = told().concluding;
  CHECK(refusal(study, claim_saying("Quick is faster than bubble (H1), by {{H1.effect}}.")) == "");
  const std::pair<const char*, const char*> lies[] = {
      {"Quick is 3.7 times as good (H1).",
       "the claim on H1 does not pass: statement, line 1, column 10: `3.7` is an unsupported number: "},
      {"H1 holds: half the time is saved.", "statement, line 1, column 11: `half` is a number word"},
      {"Bubble is faster than quick (H1).", "`faster` claims a direction that H1 does not show (verdict: supported)"},
      {"Quick is faster than bubble.", "`faster` claims a direction, and its sentence names no hypothesis"},
      {"H1 holds, as @smith2020 showed.", "`smith2020` is an unbound citation: the study lists no references"},
      {"H1 holds by {{H1.efect}}.", "did you mean {{H1.effect}}?"},
      {"H1 took 200 ms.", "where you mean a level of `n`, write `n = 200`"},
  };
  for (const auto& [statement, said] : lies) {
    INFO(statement);
    const std::string why = refusal(study, claim_saying(statement));
    INFO(why);
    CHECK(why.find(said) != std::string::npos);
  }
  kernel::RecordClaim tagged = claim_saying("H1 holds.");
  tagged.claim.tags = {"time_ms", "3x faster"};
  CHECK(refusal(study, tagged).find("tag 2, line 1, column 1: `3x`") != std::string::npos);
  kernel::RecordClaim leaning = claim_saying("H1 holds.");
  leaning.claim.depends_on = {"C09"};
  CHECK(refusal(study, leaning) == "the claim on H1 does not pass: depends_on: there is no claim C09");
}

TEST_CASE("an agent's nodes and hypotheses are bound too, and a person's words are not") {
  const Study& study = told().concluding;
  kernel::RecordNode insight;
  insight.node.type = kernel::NodeType::insight;
  insight.node.title = "A look at the runs";
  insight.node.fields["description"] = "It went twice as well.";
  CHECK(refusal(study, insight).starts_with("the insight does not pass: description, line 1, column 9: `twice`"));
  CHECK(refusal(study, insight, "person") == "");
  insight.node.fields["description"] = "{{runs.total}} runs ended.";
  CHECK(refusal(study, insight) == "");

  insight.node.fields["3x faster"] = "Good.";
  CHECK(refusal(study, insight).find("`3x faster` is no key") != std::string::npos);
  insight.node.fields.erase("3x faster");
  insight.node.evidence = {"E01", "3.7 times"};
  CHECK(refusal(study, insight).find("`3.7 times` is neither an id nor a path") != std::string::npos);
  insight.node.evidence.clear();
  insight.node.hypothesis = "H9";
  CHECK(refusal(study, insight).find("there is no hypothesis H9") != std::string::npos);

  Study open;
  open.id = "s1";
  open.spec = small_spec({quick_is_faster()});
  kernel::Hypothesis own = open.spec.hypotheses[0];
  own.statement = "Quicksort takes less than a tenth of the time.";
  CHECK(refusal(open, kernel::ProposeHypothesis{own}, "hypothesis").find("`tenth` is a fraction") != std::string::npos);
  open.spec.hypotheses[0] = own;
  CHECK(refusal(open, kernel::ProposeHypothesis{own}, "hypothesis") == "");  // A person's, word for word.
  own.id = "twice";
  own.statement = "Quicksort is faster.";
  CHECK(refusal(open, kernel::ProposeHypothesis{own}, "hypothesis").find("`twice` is no id") != std::string::npos);
  own.id = "H2";
  // What it says is different is a text like the others, and may name what it differs from.
  own.difference = "the limit is lifted, which saved 41 %";
  CHECK(refusal(open, kernel::ProposeHypothesis{own}, "hypothesis").find("difference, line 1, column 34: `41`") !=
        std::string::npos);
  own.difference = "unlike H7 of s4, the limit is lifted";
  open.predecessors = {{"s4", "H7", "", kernel::Verdict::refuted, "It was not so."}};
  CHECK(refusal(open, kernel::ProposeHypothesis{own}, "hypothesis") == "");
  kernel::State state;
  state.studies.emplace("s1", open);
  const auto decision = kernel::decide(state, {"s1", "hypothesis", kernel::ProposeHypothesis{own}}, {1, 1});
  const auto& events = decision.events;
  CHECK(std::get<kernel::HypothesisProposed>(events.at(0).body).hypothesis.by == "hypothesis");
}

TEST_CASE("what was recorded holds the values, and beside them the text with its addresses") {
  kernel::State state;
  state.studies.emplace("s1", rounded_study());
  const auto decision =
      kernel::decide(state, {"s1", "writeup", claim_saying("H1 is {{H1.verdict}}, by {{H1.effect}}.")}, {1, 1});
  const auto& events = decision.events;
  const kernel::Claim& claim = std::get<kernel::ClaimRecorded>(events.at(0).body).claim;
  CHECK(claim.statement == "H1 is supported, by -18.20 ms.");
  CHECK(claim.written.at("statement") == "H1 is {{H1.verdict}}, by {{H1.effect}}.");
  CHECK(claim.written.size() == 2);
}

TEST_CASE("why a registered run failed has no value before its experiment is judged, and its state has") {
  const auto with_reason = [](Study study, bool reading) {
    study.spec.design.reading = reading;
    study.runs.back().reason = kernel::as_said("exit status 1: bad seed 1234567890");
    return study;
  };
  const std::string run = fmt::format("r{}", told().measured.runs.size());
  const auto has_value = [&](const Study& study, const char* what) {
    return std::holds_alternative<std::string>(value_at(study, run + what));
  };
  REQUIRE(told().measured.runs.back().experiment == "E01");
  const Study measured = with_reason(told().measured, true);
  CHECK(has_value(measured, ".state"));
  CHECK_FALSE(has_value(measured, ".reason"));
  CHECK(std::get<kernel::NoValue>(value_at(measured, run + ".reason")).why == "is withheld");
  CHECK(has_value(with_reason(told().concluding, true), ".reason"));
  CHECK(has_value(with_reason(told().measured, false), ".reason"));
}

TEST_CASE("a section may say how many hypotheses were proposed, and no other number of them") {
  const kernel::Binding binding(told().concluding);
  const auto refusal = [&](const char* text) {
    kernel::Section section{"summary", "writeup", text};
    return binding.bind(section);
  };
  CHECK(refusal("I proposed three hypotheses.").empty());
  CHECK(refusal("We have proposed 3 hypotheses on the same metric.").empty());
  CHECK(refusal("Three hypotheses were proposed.").empty());
  for (const char* text :
       {"I proposed two hypotheses.", "I proposed 300 hypotheses.", "Three hypotheses hold.",
        "I proposed that three hypotheses are enough.", "Two of three hypotheses were proposed.",
        "I proposed three times as many hypotheses.", "The family was proposed. Three hypotheses hold."}) {
    INFO(text);
    CHECK(refusal(text).find("section") == std::string::npos);
    CHECK_FALSE(refusal(text).empty());
  }
}

TEST_CASE("the addresses of a result are listed with the values that a text gets there, once it is judged") {
  const Study& study = told().concluding;
  const auto list = kernel::addresses_of(study, study.hypotheses[0]);
  CHECK(list.size() > 12);
  std::set<std::string> addresses;
  for (const auto& [address, value] : list) {
    CHECK(at(study, address) == value);
    addresses.insert(address);
  }
  for (const char* known : {"H1.verdict", "H1.effect", "H1.interval", "H1.p_corrected", "H1.n",
                            "E01.time_ms.algorithm=quick.mean", "E01.time_ms.algorithm=bubble.n"})
    CHECK(addresses.contains(known));
  const auto fixed = kernel::addresses_of(study, study.hypotheses[1]);
  CHECK(
      std::ranges::any_of(fixed, [](const auto& one) { return one.first == "E01.time_ms.algorithm=quick,n=200.sd"; }));
  CHECK(kernel::addresses_of(told().measured, told().measured.hypotheses[0]).empty());
}
