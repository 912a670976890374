#include "apps/cli/work/capture_commands.h"

#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/work/lookup.h"
#include "apps/cli/work/send_command.h"
#include "apps/server/protocol/protocol.h"
#include "apps/session/prepare/captured_work.h"
#include "memory/store/reader.h"

namespace cli {

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
  const auto id = capture_anywhere(context, wanted, options.study == "new");
  if (id) fmt::print(stderr, "{} captures the work in {}\n", *id, printable(wanted.folder));
  return id;
}

}  // namespace cli
