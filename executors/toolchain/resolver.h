#pragma once
// Finds what one study's programs need: its environment (resolver.cc) and each program of its commands
// (resolved_programs.cc). toolchain.h is what others call.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "executors/backend/backend.h"
#include "executors/sandbox/sandbox_view.h"
#include "executors/toolchain/activation.h"
#include "executors/toolchain/image_environment.h"
#include "executors/toolchain/named_environment.h"
#include "executors/toolchain/program_queries.h"
#include "programs/find_program.h"

namespace executors {

/// Collects what one study's programs need. Each `add` makes a program the same inside, or returns why it cannot be.
class EnvironmentResolver {
 public:
  EnvironmentResolver(const EnvironmentQuery& query, const std::map<std::string, std::string>& own)
      : query_(query),
        own_(own),
        asking_(asking_environment(own, query.workspace)),
        home_(programs::variable(own, "HOME")),
        search_(programs::variable(own, "PATH")) {}

  /// Adds the environment and every program of the command.
  std::optional<kernel::Problem> add_all();
  std::vector<kernel::Problem> missing();
  kernel::Result<kernel::EnvironmentRecord> finish();

 private:
  static std::string without_trailing_slash(std::string path);
  static bool lies_in(const std::string& path, const std::string& folder);
  static std::string seen_from_copy(const std::string& paths, const std::string& workspace);
  static kernel::Problem refused(const std::string& what, std::string why, std::string todo);
  std::optional<kernel::Problem> use_environment();
  std::optional<kernel::Problem> add_word(const std::string& word);
  std::optional<kernel::Problem> use_venv(const NamedEnvironment&);
  std::optional<kernel::Problem> use_conda(const NamedEnvironment&);
  std::optional<kernel::Problem> use_image();
  std::optional<kernel::Problem> use_modules();
  std::optional<kernel::Problem> use_lines(const std::string& lines);
  void put_first(const std::string& folder);
  void adopt(const Activation&);
  void show_part(const std::string& place);
  kernel::Problem not_on_path(const std::string& name) const;
  std::optional<kernel::Problem> add_name(const std::string& name);
  std::optional<kernel::Problem> add_path(const std::string& path);
  bool is_the_readers(const std::string& path) const;
  std::optional<kernel::Problem> add_program(const std::string& name, const std::string& path);
  std::optional<kernel::Problem> add_python(const std::string& name, const std::string& path);
  std::optional<kernel::Problem> add_interpreter(const std::string& script);
  std::optional<kernel::Problem> show_python(const std::string& name, const Python&);
  void show_linked_code(const Python&);
  void show_program(const std::string& path);
  bool show_folder(const std::string& folder);
  void put_on_path(const std::string& folder);
  void pass_libraries();
  std::optional<kernel::Problem> check_same_inside() const;
  std::string version_of(const std::string& path) const;

  const EnvironmentQuery& query_;
  const std::map<std::string, std::string>& own_;
  std::map<std::string, std::string> asking_;
  const std::string home_;
  std::string search_;
  Visible visible_;
  std::optional<ImageEnvironment> image_;  ///< Has all programs, if the study names an image.
  kernel::EnvironmentRecord record_;
  std::map<std::string, std::string> expected_;  ///< Program name → the real file that it must be inside.
  std::set<std::string> done_;
};

}  // namespace executors
