#include "apps/cli/work/capture_commands.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/work/find_id.h"
#include "apps/server/protocol/kernel_client.h"
#include "apps/server/protocol/protocol.h"
#include "apps/session/control/offline.h"
#include "apps/session/prepare/captured_work.h"
#include "memory/store/reader.h"

namespace cli {

namespace {

constexpr int most_askings = 200;
constexpr std::chrono::milliseconds ask_again{50};

}  // namespace

void add_study_options(CLI::App& verb, OpenStudyOptions& options) {
  verb.add_option(
      "--study", options.study,
      "the study's id, or `new` (default: the newest whose workspace is here and which has not ended; where "
      "there is none, one is begun)");
  verb.add_option("--question", options.question, "of a study that is begun: what the work is to answer");
}

bool none_is_open_here(const Context& context, const OpenStudyOptions& options) {
  if (!options.study.empty()) return options.study == "new";
  return session::open_study(session::HomePaths{context.home()}, std::filesystem::current_path().string()).empty();
}

kernel::Result<std::string> study_open_here(const Context& context, const OpenStudyOptions& options) {
  const session::HomePaths home{context.home()};
  if (options.question.size() > 4000) return kernel::Problem{"", 0, "--question", "it is longer than 4000 bytes", ""};
  if (!options.study.empty() && options.study != "new")
    return find_study(options.study, memory::Reader(home.root).ids());
  const session::CaptureRequest wanted{std::filesystem::current_path().string(), options.question};
  if (options.study.empty())
    if (const std::string open = session::open_study(home, wanted.folder); !open.empty()) return open;
  for (int i = 0; i < most_askings; ++i) {
    const auto begun = session::record_capture(home, context.backend, wanted, context.config_option);
    if (!begun) return begun.problem();
    std::string id = *begun;
    if (id.empty()) {
      const auto reply = server::KernelClient(home.root).post(
          "/captures", {{"folder", wanted.folder}, {"question", wanted.question}, {"new", options.study == "new"}});
      if (reply && !reply->ok() && reply->status != 503) return server::problem_of(reply->body);
      if (reply && reply->ok()) id = reply->body.at("id");
    }
    if (!id.empty()) {
      fmt::print(stderr, "{} captures the work in {}\n", id, printable(wanted.folder));
      return id;
    }
    std::this_thread::sleep_for(ask_again);
  }
  return session::owned_problem(home);
}

}  // namespace cli
