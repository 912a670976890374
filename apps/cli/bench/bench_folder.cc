#include "apps/cli/bench/bench_folder.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench/task_run.h"
#include "apps/session/home/home.h"

namespace cli {

namespace fs = std::filesystem;
using nlohmann::json;

std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  return in.is_open() && !in.bad() ? std::optional(std::move(text)) : std::nullopt;
}

void write_json(const std::string& path, const json& document) {
  const std::string unfinished = path + ".new";
  std::ofstream out(unfinished, std::ios::binary);
  out << document.dump(1, ' ', false, json::error_handler_t::replace) << "\n";
  out.close();
  if (!out) throw std::runtime_error(unfinished + ": it cannot be written");
  fs::rename(unfinished, path);
}

std::optional<kernel::Problem> open_bench_folder(const std::string& folder, const json& terms,
                                                 const std::string& whose) {
  const std::string file = folder + "/bench.json";
  if (fs::exists(file)) {
    const auto text = text_of_file(file);
    if (text && json::parse(*text, nullptr, false) == terms) return std::nullopt;
    return kernel::Problem{folder, 0, "", "it holds the results of another " + whose, "give another folder with -o"};
  }
  if (fs::exists(folder) && !fs::is_empty(folder))
    return kernel::Problem{folder, 0, "", "it is not empty, and no earlier result of this benchmark",
                           "give another folder with -o"};
  fs::create_directories(folder);
  write_json(file, terms);
  return std::nullopt;
}

kernel::Problem BenchStudy::problem(const std::string& task) const {
  if (interrupted) return {"", 0, task, "it was interrupted", "run the same command again"};
  std::string why = said;
  if (document.is_object())
    why = fmt::format("study {} stopped{}{}", document.at("id").get<std::string>(), why.empty() ? "" : ": ", why);
  return {"", 0, task, why.empty() ? "its study did not start" : why, "correct that, and run the same command again"};
}

BenchStudy continue_bench_study(const StudyCalls& calls, const std::string& folder) {
  constexpr int interrupted_status = 130;
  const std::string artifact = folder + "/ara", log = folder + "/run";
  const auto known = [&] { return study_of_output(memory::Reader(calls.home), artifact); };
  BenchStudy study;
  study.document = known();
  if (study.ended()) return study;
  std::vector<std::string> words = {"--home", calls.home};
  if (!calls.config.empty()) words.insert(words.end(), {"--config", calls.config});
  words.emplace_back("--json");
  if (study.document.is_null())
    words.insert(words.end(), {"run", folder + "/study/study.yaml", "-o", artifact});
  else
    words.insert(words.end(), {"resume", study.document.at("id").get<std::string>()});
  if (calls.jobs > 0) words.insert(words.end(), {"-j", std::to_string(calls.jobs)});
  if (!calls.executor.empty()) words.insert(words.end(), {"--executor", calls.executor});
  study.interrupted = run_own_program(words, log) == interrupted_status;
  study.document = known();
  study.said = text_of_file(log + ".err").value_or("");
  while (!study.said.empty() && study.said.back() == '\n') study.said.pop_back();
  study.said = study.said.substr(study.said.find_last_of('\n') + 1);
  return study;
}

}  // namespace cli
