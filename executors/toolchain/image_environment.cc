#include "executors/toolchain/image_environment.h"

#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/assert.h"
#include "base/json_scan.h"
#include "executors/image/image_paths.h"
#include "executors/toolchain/activation.h"
#include "executors/toolchain/named_environment.h"
#include "executors/toolchain/program_queries.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace executors {
namespace {

using kernel::Problem;
using programs::variable;

constexpr const char* use_kind = "apptainer:";
constexpr std::size_t most_labels = 200, longest_label = 500;

kernel::Result<ImageFile> image_of_query(const EnvironmentQuery& query, const Variables& own) {
  return look_at_image(absolute_place(query.environment.use.substr(std::string(use_kind).size()), query, own));
}

/// PRETTY_NAME of os-release; empty if there is none.
std::string system_name(const std::string& folder) {
  std::istringstream lines(text_of_image(folder, "/etc/os-release").value_or(""));
  const std::string key = "PRETTY_NAME=";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    line.erase(0, key.size());
    if (line.size() > 1 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
    return line.substr(0, longest_label);
  }
  return "";
}

}  // namespace

bool names_image(const std::string& use) {
  return use.starts_with(use_kind);
}

kernel::Result<kernel::ProgramRecord> image_record(const EnvironmentQuery& query, const Variables& own) {
  const auto image = image_of_query(query, own);
  if (!image) return image.problem();
  if (auto problem = cannot_unpack(*image, variable(own, "PATH"))) return std::move(*problem);
  return kernel::ProgramRecord{
      "environment", image->path,
      image->folder ? "image, a folder" : fmt::format("image, {}, {} bytes", image->system, image->bytes)};
}

kernel::Result<ImageEnvironment> image_environment(const EnvironmentQuery& query, const Variables& own) {
  ETUDE_ASSERT(names_image(query.environment.use) && !query.kept.empty());
  const auto image = image_of_query(query, own);
  if (!image) return image.problem();
  auto files = unpack_image(*image, query.kept, variable(own, "PATH"));
  if (!files) return files.problem();
  auto entry = entry_into(files->folder, query.sandboxed, own);
  if (!entry) return entry.problem();
  auto variables = environment_of_image(*entry);
  if (!variables) return variables.problem();
  ImageEnvironment found{std::move(*files), std::move(*entry), programs::split_path(variable(*variables, "PATH")), {}};
  // Images often have one, such as the public key by which a download was checked.
  for (const auto& [name, value] : variables_for_jobs(*variables))
    if (!looks_like_key(name, value)) found.variables[name] = value;
  return found;
}

std::vector<kernel::ProgramRecord> records_of(const ImageEnvironment& image, const std::string& path) {
  std::vector<kernel::ProgramRecord> records = {
      {"environment", path, fmt::format("image, {} bytes, sha256:{}", image.files.bytes, image.files.sha256)}};
  if (const std::string system = system_name(image.files.folder); !system.empty())
    records.push_back({"system of the image", "/etc/os-release", system});
  if (!image.entry.apptainer.empty()) records.push_back({"apptainer", image.entry.apptainer, image.entry.version});
  return records;
}

std::map<std::string, std::string> labels_of(const ImageEnvironment& image) {
  std::map<std::string, std::string> labels;
  const std::string text = text_of_image(image.files.folder, "/.singularity.d/labels.json").value_or("");
  kernel::JsonScan scan(text);
  if (scan.peek() != kernel::JsonScan::Kind::object) return labels;
  scan.enter();
  for (std::string key; labels.size() < most_labels && scan.next_key(key);) {
    if (scan.peek() != kernel::JsonScan::Kind::string) {
      scan.skip();
      continue;
    }
    const std::string value = scan.string();
    if (!scan.failed()) labels[key.substr(0, longest_label)] = value.substr(0, longest_label);
  }
  return labels;
}

std::optional<Problem> add_program_of(const ImageEnvironment& image, const std::string& word,
                                      kernel::EnvironmentRecord& record) {
  const bool by_path = word.starts_with("/");
  const std::string& folder = image.files.folder;
  const std::string path = !by_path                            ? program_of_image(folder, word, image.path)
                           : is_program_of_image(folder, word) ? word
                                                               : "";
  if (path.empty())
    return Problem{"", 0, "run",
                   "`" + word + (by_path ? "` is no program of the image" : "` is not on the image's PATH"),
                   "add it to the image, or name a program that the image has"};
  std::string version;
  if (is_python_name(programs::name_of(word))) {
    Variables environment = image.variables;
    environment["PATH"] = fmt::format("{}", fmt::join(image.path, ":"));
    const auto python = ask_python(path, environment, image.entry.words);
    if (!python) return python.problem();
    version = "Python " + python->version;
    if (!python->libraries.empty()) record.libraries[word] = python->libraries;
  }
  record.programs.push_back({word, path, version});
  return std::nullopt;
}

}  // namespace executors
