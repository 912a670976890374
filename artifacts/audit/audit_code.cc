#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/read/record.h"
#include "artifacts/text/untrusted_text.h"
#include "base/manifest.h"
#include "kernel/runs/command_line.h"
#include "kernel/study/gates.h"

namespace artifacts {

using kernel::CommandTemplate;
using kernel::ManifestEntry;
using kernel::Study;

namespace {

constexpr std::uint64_t largest_code_file = 1u << 20, largest_code = 32u << 20,
                        largest_protected = std::uint64_t{4} << 30;
constexpr std::string_view script_suffixes[] = {".py", ".sh", ".R", ".jl", ".pl", ".rb", ".js", ".lua"};

/// Whether the word is a file that the snapshot should have, and not one of the machine, the shell or the network.
bool is_script(std::string_view word) {
  if (word.empty() || std::string_view("/~$").find(word[0]) != std::string_view::npos || word.find("://") != word.npos)
    return false;
  return std::ranges::any_of(
      script_suffixes, [&](std::string_view suffix) { return word.size() > suffix.size() && word.ends_with(suffix); });
}

/// A word of a command, and the shell's signs between it and the word before.
struct Word {
  std::string text, after;
};

/// The words of the command as a reader sees them; shell separators also separate the words of argument lists.
std::vector<Word> words_of(const CommandTemplate& command) {
  std::vector<Word> words;
  for (const std::string& text : command.words) {
    bool open = false;
    std::string signs;
    for (const char c : text) {
      const bool parts = std::string_view(" \t\n'\"`;|&()<>=,").find(c) != std::string_view::npos;
      if (parts) {
        signs += c;
      } else {
        if (!open) words.push_back({"", std::exchange(signs, "")});
        words.back().text += c;
      }
      open = !parts;
    }
  }
  return words;
}

/// The files that the command writes itself: by redirection, by an option for its output, or by cp and its kin.
std::set<std::string> written_by(const std::vector<Word>& words) {
  const auto has = [](const std::string& signs, std::string_view any) {
    return signs.find_first_of(any) != std::string::npos;
  };
  const auto is = [](const std::string& text, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, text) != names.end();
  };
  std::set<std::string> written;
  std::string program, last;
  const auto end_command = [&] {
    if (is(program, {"cp", "mv", "ln", "install"})) written.insert(last);
    program.clear(), last.clear();
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& [text, after] = words[i];
    if (has(after, ";|&(`\n")) end_command();
    if (has(after, ">") || (i > 0 && is(words[i - 1].text, {"-o", "--out", "--output"})))
      written.insert(text);
    else if (program.empty())
      program = text;
    else if (is(program, {"tee", "touch"}))
      written.insert(text);
    else
      last = text;
  }
  end_command();
  return written;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// The snapshot of the code that ran.
class Snapshot {
 public:
  Snapshot(const AuditedRecord& record, const std::string& hash) {
    const std::string folder = workspace_path(hash);
    const FileBytes read = record.root.read(folder + ".manifest", largest_code);
    if (!read.whole()) return;
    auto entries = kernel::read_manifest(read.bytes);
    if (!entries) return;
    entries_ = std::move(*entries);
    const std::set<std::string> withheld = kernel::withheld_files(record.study);
    for (const ManifestEntry& entry : entries_) {
      names_.insert(last_part(entry.path));
      const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(entry.bytes, 0));
      if (entry.type == kernel::EntryType::folder || bytes > largest_code_file || text_.size() + bytes > largest_code) {
        whole_ = whole_ && entry.type == kernel::EntryType::folder;
        continue;
      }
      if (withheld.contains(entry.path)) {
        whole_ = false;
        continue;
      }
      const std::string bytes_read = record.root.read(folder + "/" + entry.path, largest_code_file).bytes;
      // The study file is in the snapshot too; it names every factor and option but uses none.
      if (bytes_read == record.study.text) continue;
      text_ += bytes_read + '\n';
    }
  }

  bool has_file_named(const std::string& path) const { return names_.contains(last_part(path)); }
  /// Also true if the snapshot was not read completely, because then it is unknown.
  bool mentions(const std::string& word) const { return !whole_ || text_.find(word) != std::string::npos; }

 private:
  std::vector<ManifestEntry> entries_;
  std::set<std::string> names_;
  std::string text_;
  bool whole_ = true;
};

class CodeAudit {
 public:
  CodeAudit(const AuditedRecord& record, Findings& findings)
      : root_(record.root),
        study_(record.study),
        spec_(record.study.spec),
        findings_(findings),
        code_(record, study_.workspace.hash.text()) {}

  void all() {
    protected_files();
    command(spec_.run);
    for (const kernel::StageSpec& stage : spec_.stages) command(stage.run);
    for (const kernel::Factor& factor : spec_.factors) used(factor);
  }

 private:
  static constexpr const char* study_file = "src/study.yaml";

  void protected_files() {
    for (const kernel::ProtectedFile& file : study_.workspace.protect) {
      const std::string path = workspace_path(study_.workspace.hash.text()) + "/" + file.path;
      const auto hash = root_.sha256(path, largest_protected);
      if (!hash)
        findings_.add(RuleId::protected_changed, path, 0, "the snapshot lacks this protected file");
      else if (*hash != file.sha256)
        findings_.add(RuleId::protected_changed, path, 0,
                      "the snapshot has other bytes of this protected file than the log says");
    }
  }

  bool is_value(const std::string& name) const {
    for (const char* own : {"seed", "run_dir", "cpus", "gpus", "port"})
      if (name == own) return true;
    if (spec_.factor(name) || spec_.constants.contains(name)) return true;
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) return false;
    const std::string owner = name.substr(0, dot), member = name.substr(dot + 1);
    if (const kernel::Factor* factor = spec_.factor(owner))
      return std::ranges::all_of(factor->levels,
                                 [&](const kernel::Level& level) { return level.bundle.contains(member); });
    if (owner == "data")
      return std::ranges::any_of(study_.data, [&](const kernel::DataRecord& data) { return data.name == member; });
    const kernel::StageSpec* stage = spec_.stage(owner);
    return stage && std::ranges::any_of(stage->outputs,
                                        [&](const kernel::StageOutput& output) { return output.name == member; });
  }

  /// Whether `environment.setup` made the file, which is then not in the snapshot.
  bool was_set_up(const std::string& path) const {
    const auto& setup = study_.environment.setup;
    return setup && std::ranges::any_of(setup->entries, [&](const std::string& entry) {
             return path == entry || path.starts_with(entry + "/") || path.starts_with("./" + entry);
           });
  }

  void command(const CommandTemplate& command) {
    if (const auto names = kernel::names_in(command)) {
      for (const std::string& name : *names)
        if (!is_value(name))
          findings_.add(RuleId::unknown_placeholder, study_file, 0,
                        fmt::format("the command takes {{{}}}, which the study does not give", name));
    } else {
      findings_.add(RuleId::unknown_placeholder, study_file, 0, "the command's placeholders cannot be read");
    }
    bool own_code = false;
    const std::vector<Word> words = words_of(command);
    const std::set<std::string> written = written_by(words);
    for (const auto& [word, after] : words) {
      if (word.find('{') != std::string::npos) continue;
      if (code_.has_file_named(word)) own_code = true;
      if (is_script(word) && !code_.has_file_named(word) && !was_set_up(word) && !written.contains(word))
        findings_.add(RuleId::missing_code, study_file, 0, fmt::format("the command names {}", quote(word)));
      // Options before the study's own program belong to other programs.
      if (own_code && word.starts_with("--") && word.size() > 2) option(word.substr(2));
    }
  }

  void option(const std::string& name) {
    std::string other = name;
    std::ranges::replace(other, '-', '_');
    if (!code_.mentions(name) && !code_.mentions(other))
      findings_.add(RuleId::unnamed_parameter, study_file, 0,
                    fmt::format("no file of the code that ran names the option --{} of its command", name));
  }

  /// Checks that the factor is used, by the command or by the file of parameters that every run has.
  void used(const kernel::Factor& factor) {
    // A search over code has a factor whose levels are workspaces, so no text names it.
    if (spec_.code && factor.name == kernel::code_factor) return;
    const auto takes = [&](const CommandTemplate& command) {
      const auto names = kernel::names_in(command);
      return !names || std::ranges::any_of(*names, [&](const std::string& name) {
        return name == factor.name || name.starts_with(factor.name + ".");
      });
    };
    if (takes(spec_.run) ||
        std::ranges::any_of(spec_.stages, [&](const kernel::StageSpec& stage) { return takes(stage.run); }))
      return;
    if (!code_.mentions(factor.name) && !code_.mentions("ETUDE_PARAMS"))
      findings_.add(RuleId::unused_factor, study_file, 0, fmt::format("the factor {}", quote(factor.name)));
  }

  const SafeRoot& root_;
  const Study& study_;
  const kernel::StudySpec& spec_;
  Findings& findings_;
  const Snapshot code_;
};

}  // namespace

void audit_code(const AuditedRecord& record, Findings& findings) {
  CodeAudit(record, findings).all();
}

}  // namespace artifacts
