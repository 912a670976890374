#pragma once
// What a model's server was found to refuse or to be able to, so that it is not tried again. Values; any thread.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace models {

struct Habits {
  std::set<std::string> without;  ///< Members of the body, of turns, or schema keywords that are left out.
  std::map<std::string, std::string>
      renamed;                    ///< Members of the body that go by another name: max_tokens → its new one.
  std::set<std::string> efforts;  ///< The values of effort that it takes; empty if not known.
  std::int64_t most_output = 0;   ///< Tokens of a reply; 0 if not known.
  std::int64_t context = 0;       ///< Tokens of a request and its reply together; 0 if not known.
  bool thinks = false;            ///< It was seen to think.

  bool operator==(const Habits&) const = default;
};

}  // namespace models
