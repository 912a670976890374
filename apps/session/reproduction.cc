#include "apps/session/reproduction.h"

#include <fstream>
#include <sstream>

namespace session {

std::string study_text(const artifacts::Recorded& recorded) {
  std::ifstream file(recorded.artifact + "/src/study.yaml", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string reproduction_output(const HomePaths& home, const artifacts::Recorded& recorded) {
  return home.reproductions() + "/" + recorded.head.substr(0, 16);
}

}  // namespace session
