#include "histories/confirm/versions.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "studyfile/yaml/scalars.h"

namespace histories {

namespace {

/// The version that runs the same, by what distinguishes versions; else remembers this one.
class Twins {
 public:
  std::string earlier(const std::string& what, const Version& version) {
    const auto [at, fresh] = seen_.try_emplace(what, &version);
    return fresh ? "" : fmt::format("{} ({})", at->second->arm, at->second->entry.id);
  }

 private:
  std::map<std::string, const Version*> seen_;
};

kernel::Problem gone(const History& history, const std::vector<const HistoryEntry*>& missing) {
  std::string names, skip;
  for (const HistoryEntry* entry : missing) {
    names += (names.empty() ? "" : ", ") + studyfile::shown(entry->id) + fmt::format(" (line {})", entry->line);
    skip += " --skip " + studyfile::shown(entry->id);
  }
  return {history.path, missing.front()->line, "commit",
          fmt::format("{} is not in the repository {}", names, history.repository),
          "fetch the branch that has it, or leave it out as one that cannot be run:" + skip};
}

kernel::Result<Tree> trees_of(const History& history, RecordedClaims& claims) {
  const auto repository = GitRepository::open(history.repository);
  if (!repository) return repository.problem();
  std::vector<const HistoryEntry*> missing;
  std::map<std::string, std::string> trees;
  const auto find = [&](const Version& version) -> std::optional<kernel::Problem> {
    const auto commit = repository->commit(version.entry.id);
    if (!commit) return commit.problem();
    if (commit->id.empty())
      missing.push_back(&version.entry);
    else
      trees[version.arm] = commit->tree;
    return std::nullopt;
  };
  if (const auto problem = find(claims.baseline)) return *problem;
  if (!missing.empty())
    return kernel::Problem{history.path, claims.baseline.entry.line, "commit",
                           "the baseline " + studyfile::shown(claims.baseline.entry.id) + " is not in the repository " +
                               history.repository,
                           "fetch the branch that has it, or name another baseline with --baseline"};
  for (const Improvement& improvement : claims.improvements)
    if (improvement.cannot.empty())
      if (const auto problem = find(improvement.version)) return *problem;
  if (!missing.empty()) return gone(history, missing);
  Tree files;
  Twins twins;
  const auto take = [&](const Version& version) -> std::optional<kernel::Problem> {
    auto tree = repository->files(trees.at(version.arm));
    if (!tree) return tree.problem();
    for (auto& [path, file] : *tree) files[version.arm + "/" + path] = std::move(file);
    return std::nullopt;
  };
  twins.earlier(trees.at(claims.baseline.arm), claims.baseline);
  if (const auto problem = take(claims.baseline)) return *problem;
  for (Improvement& improvement : claims.improvements) {
    if (!improvement.cannot.empty()) continue;
    const std::string twin = twins.earlier(trees.at(improvement.version.arm), improvement.version);
    if (!twin.empty())
      improvement.cannot = "its files are those of " + twin;
    else if (const auto problem = take(improvement.version))
      return *problem;
  }
  return files;
}

kernel::Result<Tree> programs_of(const History& history, RecordedClaims& claims) {
  Tree files;
  Twins twins;
  const auto take = [&](const Version& version) {
    files[version.arm + "/" + program_stem + history.suffix] = {version.entry.program};
  };
  if (claims.baseline.entry.program.empty())
    return kernel::Problem{history.path, 0, "baseline " + claims.baseline.entry.id, "its code is not in the record",
                           "name another baseline with --baseline"};
  twins.earlier(claims.baseline.entry.program, claims.baseline);
  take(claims.baseline);
  for (Improvement& improvement : claims.improvements) {
    if (!improvement.cannot.empty()) continue;
    if (improvement.version.entry.program.empty()) {
      improvement.cannot = "its code is not in the record";
      continue;
    }
    const std::string twin = twins.earlier(improvement.version.entry.program, improvement.version);
    if (twin.empty())
      take(improvement.version);
    else
      improvement.cannot = "its program is that of " + twin;
  }
  return files;
}

/// The values of the named parameters, one a line; none, and the name, if one is missing.
std::optional<std::string> values_of(const HistoryEntry& entry, const Template& command, std::string& missing) {
  std::string values;
  for (const std::string& name : command.names) {
    const auto found = entry.parameters.find(name);
    if (found == entry.parameters.end()) {
      missing = name;
      return std::nullopt;
    }
    values += found->second + "\n";
  }
  return values;
}

}  // namespace

kernel::Result<Tree> files_of(const History& history, RecordedClaims& claims) {
  switch (history.form) {
    case Form::commit:
      return trees_of(history, claims);
    case Form::program:
      return programs_of(history, claims);
    case Form::parameters:
      return Tree{};
  }
  return Tree{};
}

std::string key_of(const std::string& parameter) {
  std::string key;
  for (const char c : parameter) key += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ? c : '_';
  if (key.empty() || !(std::isalpha(static_cast<unsigned char>(key.front())) || key.front() == '_')) key = "_" + key;
  return key.substr(0, 64);
}

Template with_parameters(const std::string& run, const History& history) {
  std::set<std::string> known, named;
  for (const HistoryEntry& entry : history.entries)
    for (const auto& [name, value] : entry.parameters) known.insert(name);
  Template command;
  for (std::size_t at = 0; at < run.size();) {
    if (run.compare(at, 2, "{{") == 0 || run.compare(at, 2, "}}") == 0) {
      command.run += run.substr(at, 2);
      at += 2;
      continue;
    }
    const std::size_t end = run[at] == '{' ? run.find('}', at) : std::string::npos;
    const std::string name = end == std::string::npos ? "" : run.substr(at + 1, end - at - 1);
    if (!known.contains(name)) {
      command.run += run[at++];
      continue;
    }
    named.insert(name);
    command.run += "{version." + key_of(name) + "}";
    at = end + 1;
  }
  command.names.assign(named.begin(), named.end());
  return command;
}

void add_left_out(const HistoryEntry& entry, const HistoryEntry& baseline, const Template& command,
                  std::set<std::string>& names) {
  for (const auto& [name, value] : entry.parameters) {
    const auto before = baseline.parameters.find(name);
    const bool same = before != baseline.parameters.end() && before->second == value;
    if (!same && std::ranges::find(command.names, name) == command.names.end()) names.insert(name);
  }
}

std::optional<kernel::Problem> check_parameters(const History& history, const Template& command,
                                                RecordedClaims& claims) {
  if (command.names.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : claims.baseline.entry.parameters) names.push_back("{" + name + "}");
    if (names.empty())
      return kernel::Problem{history.path, 0, "baseline " + claims.baseline.entry.id,
                             "it has no parameters, so it cannot be run again", ""};
    return kernel::Problem{"", 0, "--run", "the command names no parameter of the history",
                           "write their places into it: " + studyfile::listed(names)};
  }
  std::string missing;
  Twins twins;
  const auto baseline = values_of(claims.baseline.entry, command, missing);
  if (!baseline)
    return kernel::Problem{history.path, 0, "baseline " + claims.baseline.entry.id,
                           "it has no parameter `" + missing + "`, which the command needs",
                           "leave it out of --run, or name another baseline with --baseline"};
  twins.earlier(*baseline, claims.baseline);
  for (Improvement& improvement : claims.improvements) {
    if (!improvement.cannot.empty()) continue;
    const auto values = values_of(improvement.version.entry, command, missing);
    if (!values) {
      improvement.cannot = "it has no parameter `" + missing + "`, which the command needs";
      continue;
    }
    add_left_out(improvement.version.entry, claims.baseline.entry, command, claims.left_out);
    if (const std::string twin = twins.earlier(*values, improvement.version); !twin.empty())
      improvement.cannot = "its parameters are those of " + twin;
  }
  return std::nullopt;
}

std::optional<kernel::Problem> nothing_left(const History& history, const RecordedClaims& claims) {
  for (const Improvement& improvement : claims.improvements)
    if (improvement.cannot.empty()) return std::nullopt;
  const Improvement& first = claims.improvements.front();
  return kernel::Problem{history.path, first.version.entry.line, "",
                         fmt::format("none of its {} improvements can be run: {}: {}", claims.improvements.size(),
                                     first.version.entry.id, first.cannot),
                         ""};
}

}  // namespace histories
