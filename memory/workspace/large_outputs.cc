#include "memory/workspace/large_outputs.h"

#include <memory>

#include "memory/workspace/ignore.h"

namespace memory {

std::function<bool(const std::string& path)> matching(const std::vector<std::string>& patterns) {
  auto rules = std::make_shared<IgnoreRules>();  // Shared because std::function copies its target.
  for (const std::string& pattern : patterns) rules->add(pattern, "");
  return [rules](const std::string& path) {
    for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
      if (rules->ask(path.substr(0, slash), true) == IgnoreRules::Answer::ignored) return true;
    return rules->ask(path, false) == IgnoreRules::Answer::ignored;
  };
}

const kernel::LargeOutput* large_output(const std::vector<kernel::LargeOutput>& rules, const std::string& path) {
  for (const kernel::LargeOutput& rule : rules)
    if (matching({rule.pattern})(path)) return &rule;
  return nullptr;
}

}  // namespace memory
