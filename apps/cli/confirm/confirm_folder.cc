#include "apps/cli/confirm/confirm_folder.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/session/plan/new_folder.h"
#include "apps/session/prepare/read_study.h"
#include "base/remove_tree.h"
#include "base/shell_text.h"

namespace cli {

namespace fs = std::filesystem;

std::string confirm_record_in(const std::string& folder) {
  return folder + "/confirm.json";
}

std::string default_confirm_folder(const std::string& path) {
  fs::path place = path;
  if (!place.has_filename()) place = place.parent_path();
  // A table or a journal is named after its folder.
  const std::string name = place.filename().string();
  if (!fs::is_directory(place) && (name.ends_with(".tsv") || name.ends_with("journal.json")))
    place = place.parent_path();
  const std::string stem = fs::is_directory(place) ? place.filename().string() : place.stem().string();
  return (place.parent_path() / (stem + "-confirm")).string();
}

std::optional<kernel::Problem> confirm_folder_in_the_way(const std::string& folder) {
  if (fs::exists(confirm_record_in(folder)))
    return kernel::Problem{
        "", 0, folder, "a confirmation already exists there",
        "`etude confirm " + kernel::shell_word(folder) + "` goes on with it; or name another folder with -o"};
  return session::in_the_way(folder);
}

std::optional<kernel::Problem> write_confirm_folder(const std::string& home, const ConfirmFolder& made,
                                                    const std::string& folder) {
  const std::string staged = fmt::format("{}.{}", folder, ::getpid());
  session::write_new_folder(staged, made.files, made.kinds);
  const auto parsed = session::read_study_text(home, made.files.at("study.yaml"), folder + "/study.yaml", staged);
  if (!parsed) {
    kernel::remove_tree(staged);
    return parsed.problem();
  }
  std::error_code error;
  fs::rename(staged, folder, error);
  if (!error) return std::nullopt;
  kernel::remove_tree(staged);
  return kernel::Problem{folder, 0, "", "cannot be written: " + error.message(), "name another folder with -o"};
}

kernel::Result<histories::Confirmation> read_confirm_record(const std::string& folder) {
  std::ifstream file(confirm_record_in(folder), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return histories::confirmation_of(text, confirm_record_in(folder));
}

}  // namespace cli
