#include "base/result.h"

namespace kernel {

std::string Problem::text() const {
  std::string out = file;
  if (!file.empty() && line > 0) out += ":" + std::to_string(line);
  for (const std::string& part : {what, why, todo}) {
    if (part.empty()) continue;
    if (!out.empty()) out += ": ";
    out += part;
  }
  return out;
}

}  // namespace kernel
