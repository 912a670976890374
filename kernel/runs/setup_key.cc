#include "kernel/runs/setup_key.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"

namespace kernel {

SetupKey setup_key_after(const StudySpec& spec, const std::map<std::string, std::string>& written) {
  nlohmann::json files = nlohmann::json::object();
  for (const std::string& file : spec.setup_files)
    if (const auto now = written.find(file); now != written.end()) files[file] = sha256_hex(now->second);
  if (!spec.setup || files.empty()) return {};
  return SetupKey(sha256_hex(nlohmann::json({{"after", spec.setup_key}, {"files", std::move(files)}}).dump()));
}

}  // namespace kernel
