#pragma once
// Numbers that a program's files give to names, in configuration files, at the top of its module (`lr = 0.1`), in a
// class
// (`lr: float = 0.1`) and in an object (`config.lr = 0.1`), and the places where its source sets a seed to a constant.
// A run changes such a place by `sed` in its own copy of the workspace, so nobody has to change the program. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// A number and the expression for `sed` that puts `{NAME}`, a placeholder of the study file, in its place.
struct FileNumber {
  std::string name, value, edit;
  bool of_object = false;  ///< Of an object, as in `config.trainer.lr = 0.1`, or of a class.
};

/// Of a file whose name ends in py, toml, ini, cfg, yaml, yml or json; of others none. In the order of the file, and
/// only names that the file has once.
std::vector<FileNumber> file_numbers(std::string_view file, const std::string& text);

/// Expressions for `sed` that put `{seed}` in the place of each constant in calls such as `manual_seed(1337)`.
std::vector<std::string> seed_edits(const std::string& source);

}  // namespace cli
