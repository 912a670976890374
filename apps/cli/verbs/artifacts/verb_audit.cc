#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/progress_bar.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/artifacts/ask_for_review.h"
#include "apps/cli/verbs/artifacts/print_findings.h"
#include "apps/cli/verbs/verbs.h"
#include "artifacts/audit/audit.h"
#include "artifacts/audit/level2_review.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace cli {

namespace {

struct AuditWords {
  std::string artifact;
  std::string report;
  std::string model;  ///< Empty for no review.
  artifacts::AuditOptions audit;
};

nlohmann::json review_member(const Reviewed& reviewed) {
  nlohmann::json member = artifacts::to_json(reviewed.review);
  member["pages_left_out"] = reviewed.left_out;
  member["used"] = reviewed.price;
  return member;
}

kernel::Result<Reviewed> have_it_read(const Context& context, const AuditWords& words) {
  const auto environment = programs::own_environment();
  const auto config = config::load(context.config_option, environment);
  if (!config) return config.problem();
  return model_review(*config, words.model, words.artifact, environment);
}

kernel::Result<artifacts::CheckReport> audited(const AuditWords& words) {
  HashBar bar;
  artifacts::AuditOptions own = words.audit;
  own.redraw = true;
  own.hashing = [&bar](std::uint64_t done, std::uint64_t all) { bar.show(done, all); };
  return artifacts::audit(words.artifact, own);
}

int audit(const Context& context, const AuditWords& words) {
  const auto report = audited(words);
  std::optional<Reviewed> reviewed;
  if (report && !words.model.empty()) {
    auto read = have_it_read(context, words);
    if (!read) return fail(bad_input, read.problem());
    reviewed = std::move(*read);
  }
  const artifacts::Review* review = reviewed ? &reviewed->review : nullptr;
  if (report && !words.report.empty()) {
    std::ofstream file(words.report, std::ios::binary | std::ios::trunc);
    file << artifacts::level2_report(*report, words.audit.tool_version, review).dump(2) << "\n";
    if (!file.flush()) return fail(environment, words.report, std::strerror(errno), "name a file that can be written");
  }
  const int code = print_findings(
      context, report, reviewed ? nlohmann::json{{"review", review_member(*reviewed)}} : nlohmann::json::object());
  if (reviewed && !context.json) {
    std::string text = artifacts::to_text(*review) + fmt::format("  used {}\n", reviewed->price);
    if (!reviewed->left_out.empty())
      text += fmt::format("  {} for want of room, the first {}\n",
                          prose::counted(static_cast<long long>(reviewed->left_out.size()), "page") + " not shown",
                          reviewed->left_out.front());
    fmt::print("{}", printable(text));
  }
  return code;
}

}  // namespace

void add_audit(CLI::App& app, Context& context) {
  const auto [verb, words] = add_verb(app, context, "audit", "does the artifact say what its own record gives?", audit);
  words->audit.tool_version = ETUDE_VERSION;
  verb->add_option("ARA", words->artifact, "the artifact's folder, or a zip of it")->required();
  verb->add_flag("--strict", words->audit.strict, "warnings count too");
  verb->add_option("--report", words->report,
                   "also write the findings there by dimension, as level2_report.json has them");
  verb->add_option(
      "--model", words->model,
      "have this model of the configuration read it and score six dimensions: an opinion beside the findings");
  verb->add_option("--head", words->audit.head, "the chain's head as it was printed when the study ended");
}

}  // namespace cli
