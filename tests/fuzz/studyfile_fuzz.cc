// Feeds bytes to the study file's reader: no crash, every problem is one readable line, and every study that is taken
// gives a command for its levels. Seeds: the folders of tests/cases/studyfile.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "kernel/runs/command_line.h"
#include "studyfile/load.h"
#include "studyfile/yaml/document.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_problem(const kernel::Problem& problem) {
  const std::string text = problem.text();
  require(!text.empty() && text.size() < 4000 && !studyfile::first_bad_line(text));
  require(text.find('\n') == std::string::npos);
}

void check_commands(const kernel::StudySpec& spec) {
  std::map<std::string, std::string> values = {
      {"seed", "1"}, {"cpus", "1"}, {"gpus", "0"}, {"port", "4000"}, {"run_dir", "/etude/out"}};
  for (const auto& [name, scalar] : spec.constants) values[name] = scalar.text;
  for (const kernel::DataSpec& data : spec.data) values["data." + data.name] = data.path;
  for (const kernel::Factor& factor : spec.factors) {
    // Versions of the code are yet to be written: there is the person's own.
    require(factor.levels.size() >= (spec.code && factor.name == kernel::code_factor ? 1 : 2));
    const kernel::Level& level = factor.levels.back();
    values[factor.name] = level.value.text;
    for (const auto& [key, scalar] : level.bundle) values[factor.name + "." + key] = scalar.text;
  }
  for (const kernel::StageSpec& stage : spec.stages)
    for (const kernel::StageOutput& output : stage.outputs) values[stage.name + "." + output.name] = output.path;
  for (const kernel::StageSpec& stage : spec.stages) require(!kernel::substitute(stage.run, values).empty());
  require(!kernel::substitute(spec.run, values).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const auto parsed = studyfile::read_text(text, "study.yaml", "/usr");
  if (!parsed) {
    check_problem(parsed.problem());
    return 0;
  }
  for (const kernel::Problem& warning : parsed->warnings) check_problem(warning);
  check_commands(parsed->spec);
  require(parsed->spec.primary().primary);
  return 0;
}
