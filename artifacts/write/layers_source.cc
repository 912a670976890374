#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
#include "kernel/domain/image_root.h"
#include "kernel/evidence/blocks.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Study;

namespace {

std::string parameter(const std::string& name, const std::string& value, const std::string& why,
                      const std::string& range, const std::string& sensitivity) {
  return fmt::format(
      "\n## {}\n- **Value**: {}\n- **Rationale**: {}\n- **Search range**: {}\n- **Sensitivity**: {}\n- **Source**: "
      "src/study.yaml\n",
      in_markdown(name), in_markdown(value), in_markdown(why), in_markdown(range), in_markdown(sensitivity));
}

const char* const unstated = "given by the study file, which states no reason";

std::string levels_text(const kernel::Factor& factor) {
  return joined_text(factor.levels, ", ", [](const kernel::Level& level) {
    const std::string bundle =
        joined_text(level.bundle, ", ", [](const auto& one) { return one.first + " = " + one.second.text; });
    return level.name + (bundle.empty() ? "" : " (" + bundle + ")");
  });
}

std::string sizes_text(const Study& study) {
  const std::vector<kernel::SizeRecord> sizes = study.all_sizes();
  if (sizes.empty()) return "not settled";
  return joined_text(sizes, ", ", [](const kernel::SizeRecord& size) {
    return fmt::format("{}: {}", size.hypothesis, size.replicates);
  });
}

}  // namespace

std::string environment_page(const Study& study) {
  const kernel::EnvironmentRecord& env = study.environment;
  std::string page = "# Environment\n\n## Runtime\n";
  page += command_lines(study.spec);
  page += "- **Found by**: " + in_code("environment.use: " + study.spec.environment.use) +
          "; resolved outside the sandbox, the same inside\n";
  page += fmt::format("- **Jobs at a time**: {}\n", study.jobs);
  const kernel::SandboxMode sandbox = study.spec.resources.sandbox;
  page += std::string("- **Sandbox**: ") +
          (sandbox == kernel::SandboxMode::none       ? "none, on the word of who ran it"
           : sandbox == kernel::SandboxMode::required ? "required"
                                                      : "automatic") +
          "\n";
  page += std::string("- **Network inside runs**: ") + (study.spec.resources.network ? "allowed" : "none") + "\n";

  page += "\n## Programs and versions\n\n";
  PlainTable programs;
  programs.header = {"Program", "Path", "Version"};
  for (const kernel::ProgramRecord& p : env.programs)
    programs.rows.push_back({p.name, p.path, p.version.empty() ? "not available: it does not say" : p.version});
  page += programs.rows.empty() ? "None was recorded.\n" : markdown_table(programs);

  page += "\n## Hardware and system\n";
  for (const auto& [key, value] : env.machine)
    page += fmt::format("- **{}**: {}\n", in_markdown(key), in_markdown(value));
  if (env.machine.empty()) page += "Not recorded.\n";

  page += "\n## Dependencies\n";
  const auto image = kernel::image_of(env.toolchain);
  if (image) page += "- Root inside runs, read-only: the files of the image, " + in_code(*image) + "\n";
  for (const std::string& prefix : env.toolchain.prefixes)
    if (!image || prefix != kernel::image_entry(*image))
      page += "- Mounted read-only inside runs: " + in_code(prefix) + "\n";
  for (const auto& [name, value] : study.spec.environment.set)
    page += fmt::format("- Variable set for runs: {}\n", in_code(name + "=" + value));
  for (const std::string& name : study.spec.environment.pass)
    page += "- Variable passed on to runs: " + in_code(name) + "\n";
  page += "- Libraries: those of the programs above; the study file declares none of its own.\n";

  page += "\n## Data sources\n";
  page += study.data.empty() ? "No data set is declared; the workspace is the only input.\n"
                             : "Described in data/dataset.md.\n";

  page += "\n## Protocols\n";
  page += "- Every run starts in a fresh copy of the workspace and writes metrics as it goes.\n";
  page += "- What a run printed and measured is read after its last process has ended.\n";

  page += "\n## Random seeds\n";
  page +=
      study.spec.seeds == kernel::SeedRule::drawn
          ? "- Seeds and order were drawn from the operating system's randomness at registration.\n"
          : fmt::format("- Study seed: {}; order, seeds and sizes of the design follow from it.\n", study.spec.seed);
  for (const kernel::Experiment& e : study.experiments) {
    const std::string seeds = fmt::format("{}", fmt::join(e.registration.seeds, ", "));
    page +=
        fmt::format("- {}: {}\n", e.registration.experiment,
                    seeds.empty() ? "one seed per run, listed in evidence/results/" + e.registration.experiment + ".csv"
                                  : "one seed per replicate: " + seeds);
  }
  return page;
}

std::string packages_page(const std::string& program, const std::map<std::string, std::string>& libraries) {
  std::string page = "# Packages that " + printable(program) + " could import, as recorded before the first run.\n";
  for (const auto& [name, version] : libraries) page += printable(name) + "==" + printable(version) + "\n";
  return page;
}

std::string parameters_page(const Study& study) {
  const kernel::StudySpec& spec = study.spec;
  std::string page = "# Parameters\n\nWhat the study varied, what it held constant, and what it registered.\n";
  for (const kernel::Factor& factor : spec.factors)
    page +=
        parameter(factor.name, "varied" + (factor.baseline ? ", baseline " + *factor.baseline : std::string()),
                  "a factor of the study", levels_text(factor), "what the experiment measures: see evidence/tables");
  for (const auto& [name, value] : spec.constants)
    page += parameter(name, value.text, unstated, "none: held constant", "not varied in this study");
  const kernel::Design& d = spec.design;
  page +=
      parameter("alpha", prose::rounded(d.alpha), unstated, "none: fixed before the runs", "not varied in this study");
  page +=
      parameter("power", prose::rounded(d.power), unstated, "none: fixed before the runs", "not varied in this study");
  std::string how;
  for (const kernel::SizeRecord& size : study.all_sizes())
    if (const std::string own = sentence(size.how, study.wording); how.find(own) == std::string::npos)
      how += (how.empty() ? "" : " ") + own;
  page += parameter("replicates", sizes_text(study), how.empty() ? unstated : how,
                    fmt::format("{} to {}", d.replicates_min, d.replicates_max), "not varied in this study");
  page += parameter("pairing", d.pairing == kernel::Pairing::seed ? "by seed" : "none", unstated, "seed or none",
                    "not varied in this study");
  if (kernel::in_blocks(spec))
    page += parameter("blocks", kernel::blocks_words(spec), "the units, a sample of those there could be",
                      "none: fixed before the runs", "not varied in this study");
  page +=
      parameter("family", std::to_string(study.family),
                "the number of hypotheses that share alpha, fixed before the runs", "none", "not varied in this study");
  page += parameter("seed", std::to_string(spec.seed), unstated, "none", "not varied in this study");
  page += "\n# Registered tests\n\nFixed before the first registered run.\n";
  for (const kernel::HypothesisRecord& record : study.hypotheses) {
    const kernel::Hypothesis& h = record.hypothesis;
    page += parameter(h.id.text(), tested_words(spec, h, study.wording),
                      h.mechanism.empty() ? "no mechanism is stated" : h.mechanism, "none: registered once",
                      "not varied in this study");
  }
  return page;
}

std::string code_page(const kernel::StudyTerms& terms, const Staging& folder) {
  constexpr std::size_t most = 300;
  const std::string root = "src/workspace/" + terms.workspace.hash + "/";
  const std::string command = command_lines(terms.spec);
  std::string page = "# Code\n\nThe exact bytes that ran. `etude.json` holds the SHA-256 of every file.\n\n";
  page +=
      "## Study file\n- **Path**: [study.yaml](study.yaml)\n- **Role**: question, factors, metrics, hypotheses and "
      "design, as their author wrote them\n";
  std::size_t shown = 0, all = 0;
  for (const auto& [path, file] : folder.files()) {
    if (!path.starts_with(root)) continue;
    if (++all > most) continue;
    ++shown;
    const std::string below = path.substr(root.size());
    page += fmt::format(
        "\n## {}\n- **Path**: {}\n- **SHA-256**: {}\n- **Size**: {}\n- **Role**: {}\n", in_markdown(below),
        in_code(path), file.sha256, prose::bytes_text(file.bytes),
        command.find(below) != command.npos ? "named in the command that every run executes" : "part of the workspace");
  }
  if (all > shown)
    page += fmt::format("\n{} more are listed in etude.json.\n",
                        prose::counted(static_cast<long long>(all - shown), "file"));
  if (all == 0) page += "\nThe workspace holds no files: the command uses installed programs only.\n";
  return page;
}

std::string dataset_page(const kernel::StudyTerms& terms) {
  if (terms.data.empty()) return "";
  std::string page = "# Data\n\nRead-only inputs, identified once before the first run; they are not copied here.\n";
  for (const kernel::DataRecord& data : terms.data)
    page += fmt::format("\n## {}\n- **Path at the time**: {}\n- **Identity**: {}\n", in_markdown(data.name),
                        in_code(data.path), in_markdown(data.identity));
  return page;
}

}  // namespace artifacts
