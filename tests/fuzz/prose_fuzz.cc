// Any bytes as prose: the lint ends, and every place it names lies inside the text.
#include <cstdint>
#include <cstdlib>

#include "tests/prose/sorting.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const prose::Facts facts = sorting();
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const prose::Markup markup : {prose::Markup::plain, prose::Markup::markdown})
    for (const prose::Objection& finding : prose::lint(text, facts, {markup, true})) {
      if (finding.length == 0 || finding.offset + finding.length > size) std::abort();
      if (prose::described(text, finding).empty()) std::abort();
    }
  return 0;
}
