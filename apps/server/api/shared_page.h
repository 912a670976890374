#pragma once
// One study as the page shows it, in files that a browser opens without a server: the page's own files, and the answers
// of the API that its views ask for, as data. What the API withholds is withheld here, too.

#include <map>
#include <string>
#include <vector>

#include "apps/server/api/api.h"

namespace server {

struct SharedPage {
  std::map<std::string, std::string> files;  ///< Name → bytes.
  std::vector<std::string> left_out;         ///< What the copy lacks, one phrase for each kind.
};

/// Its file of data, by whose beginning a copy is known.
inline constexpr const char* shared_data = "study.js";
/// Whether the folder is such a copy.
bool is_shared_page(const std::string& folder);

/// The bounds of a copy. Each log keeps its end.
struct SharedLimits {
  std::size_t data = 32u << 20;  ///< Bytes of all answers. Runs get at most half of it.
  std::size_t log = 64u << 10;   ///< Bytes of one stream of a run.
};

/// `made`: when, for the reader. Precondition: the study is in the home, and the program has the page.
SharedPage shared_page(Api&, const std::string& study, const std::string& made, const SharedLimits& = {});

}  // namespace server
