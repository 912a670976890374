#include "agents/thinking/briefing/scratch_run_text.h"

#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "kernel/domain/enum_names.h"
#include "kernel/wording/wording.h"

namespace agents {

namespace {

constexpr std::size_t most_printed = 10000;

}  // namespace

std::string scratch_text(const kernel::Run& run, const std::function<std::string(const std::string&)>& fetch) {
  std::string text =
      run.state == kernel::RunState::succeeded
          ? "It ended with exit status 0."
          : fmt::format("It {}{}.", kernel::name(run.state), run.reason.empty() ? "" : ": " + sentence(run.reason));
  for (const auto& [metric, value] : run.measurement.values) text += fmt::format("\n{} = {}", metric, value.value);
  for (const auto& [label, log] : {std::pair{"stdout", run.out_log}, std::pair{"stderr", run.err_log}})
    if (log.bytes > 0)
      text += "\n" + quoted_tail(fmt::format("{} of r{}", label, run.number), fetch(log.sha256), most_printed);
  return text;
}

}  // namespace agents
