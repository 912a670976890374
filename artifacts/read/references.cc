#include "artifacts/read/references.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "artifacts/read/layer_markdown.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::array<std::string_view, 25> file_suffixes{
    ".md", ".csv", ".json", ".jsonl", ".py",  ".yaml", ".yml", ".txt", ".log",  ".png",  ".svg", ".sh", ".ipynb",
    ".cc", ".cpp", ".h",    ".rs",    ".tex", ".pdf",  ".npz", ".pt",  ".html", ".toml", ".cfg", ".tsv"};
constexpr std::array<std::string_view, 9> top_folders{"evidence/", "src/",     "logic/", "trace/", "data/",
                                                      "rubric/",   "staging/", "./",     "../"};

bool is_id_of_any_layer(std::string_view text) {
  std::size_t letters = 0;
  while (letters < text.size() && text[letters] >= 'A' && text[letters] <= 'Z') ++letters;
  return letters >= 1 && letters <= 3 && is_id(text, text.substr(0, letters));
}

bool looks_like_path(std::string_view text) {
  if (text.empty() || is_url(text)) return false;
  if (text.ends_with('/') && text.size() > 1) return true;
  for (const std::string_view folder : top_folders)
    if (text.starts_with(folder) || (text.front() == '/' && text.substr(1).starts_with(folder))) return true;
  return std::ranges::any_of(
      file_suffixes, [&](std::string_view suffix) { return text.size() > suffix.size() && text.ends_with(suffix); });
}

/// Whether a path can only mean a file of the artifact.
bool is_below_artifact(std::string_view path) {
  constexpr std::array<std::string_view, 6> own{"evidence/", "logic/", "trace/", "data/", "rubric/", "staging/"};
  return begins_with_one_of(own, path) || path.find('/') == path.npos;
}

/// The path of "a.py:25-27", "notes.md:3,18-19", "a.py#L10" or "README.md#usage".
std::string_view without_place(std::string_view text) {
  if (const auto anchor = text.find('#'); anchor != std::string_view::npos && anchor > 0) text = text.substr(0, anchor);
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 >= text.size() || !is_digit(text[colon + 1])) return text;
  return text.find_first_not_of("0123456789,- ", colon + 1) == std::string_view::npos ? text.substr(0, colon) : text;
}

std::string_view stripped(std::string_view word) {
  constexpr std::string_view around = "[](){}<>\"'`*_;,";
  const auto first = word.find_first_not_of(around);
  if (first == std::string_view::npos) return {};
  word = word.substr(first, word.find_last_not_of(around) - first + 1);
  while (word.size() > 1 && (word.back() == '.' || word.back() == ':')) word.remove_suffix(1);
  return word;
}

class Tokens {
 public:
  explicit Tokens(int line) : line_(line) {}

  void read(std::string_view text) {
    while (!text.empty()) {
      const Link link = first_link(text);
      const std::string_view before = text.substr(0, link.target.empty() ? text.size() : link.begin);
      plain(before);
      if (link.target.empty()) return;
      line_ += static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(link.end), '\n')) -
               static_cast<int>(std::ranges::count(before, '\n'));
      word(link.text, link.target);
      text.remove_prefix(link.end);
    }
  }

  std::vector<Reference> found;

 private:
  void plain(std::string_view text) {
    std::size_t start = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && text[i] == '`') {
        // A code span is one word, even with spaces and commas.
        const auto close = text.find('`', i + 1);
        if (close != std::string_view::npos && text.substr(i, close - i).find('\n') == std::string_view::npos) {
          word(text.substr(start, i - start), {});
          word(text.substr(i + 1, close - i - 1), {});
          i = close;
          start = close + 1;
          continue;
        }
      }
      if (i < text.size() && std::string_view(" \t\n,;").find(text[i]) == std::string_view::npos) continue;
      word(text.substr(start, i - start), {});
      start = i + 1;
      if (i < text.size() && text[i] == '\n') ++line_;
    }
  }

  void word(std::string_view text, std::string_view target) {
    text = stripped(text);
    if (text.empty() && target.empty()) return;
    if (target.empty()) {
      // "C01–C08", "E01-E03" and "C01/C02" are two ids.
      for (const std::string_view between : {"–", "—", "-", "/"})
        if (const auto at = text.find(between); at != std::string_view::npos && at > 0) {
          const auto left = stripped(text.substr(0, at)), right = stripped(text.substr(at + between.size()));
          if (is_id_of_any_layer(left) && is_id_of_any_layer(right)) {
            found.push_back({Reference::Kind::id, std::string(left), {}, line_});
            found.push_back({Reference::Kind::id, std::string(right), {}, line_});
            return;
          }
        }
    }
    Reference reference{Reference::Kind::word, std::string(text), std::string(without_place(target)), line_};
    if (is_id_of_any_layer(text)) {
      reference.kind = Reference::Kind::id;
    } else if (const auto path = without_place(text); looks_like_path(path)) {
      reference.kind = Reference::Kind::path;
      reference.text = path;
    } else if (!reference.target.empty() && !is_url(target) && !target.starts_with('#')) {
      reference.kind = Reference::Kind::path;
      reference.text = reference.target;
    }
    found.push_back(std::move(reference));
  }

  int line_;
};

}  // namespace

std::vector<Reference> references_in(std::string_view text, int line) {
  Tokens tokens(line);
  tokens.read(text);
  return std::move(tokens.found);
}

std::vector<Reference> ids_in(std::string_view text, std::string_view prefix, int line) {
  std::vector<Reference> all = references_in(text, line);
  std::erase_if(all, [&](const Reference& r) { return r.kind != Reference::Kind::id || !is_id(r.text, prefix); });
  return all;
}

std::vector<Reference> ids_in_prose(std::string_view text, std::string_view prefix, int line) {
  std::vector<Reference> ids = ids_in(text, prefix, line);
  if (is_id(trimmed(text), prefix)) return ids;
  std::erase_if(ids, [&](const Reference& r) { return r.text.size() < prefix.size() + 2; });
  return ids;
}

bool is_id(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  std::size_t end = prefix.size();
  while (end < text.size() && is_digit(text[end])) ++end;
  const std::size_t digits = end - prefix.size();
  if (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
  end += id_suffix(text.substr(end));
  return digits >= 1 && digits <= 6 && end == text.size();
}

std::size_t id_suffix(std::string_view text) {
  if (!text.starts_with('-')) return 0;
  std::size_t end = 1;
  while (end < text.size() && text[end] >= 'A' && text[end] <= 'Z') ++end;
  const bool whole = end == text.size() || text[end] == ':' || text[end] == ' ' || text[end] == ']';
  return end > 1 && whole ? end : 0;
}

bool is_url(std::string_view text) {
  return text.find("://") != std::string_view::npos || text.starts_with("mailto:") || text.starts_with("doi:") ||
         text.starts_with("arXiv:");
}

std::optional<std::string> joined(std::string_view folder, std::string_view path) {
  std::vector<std::string_view> parts;
  auto walk = [&](std::string_view piece) {
    while (!piece.empty()) {
      const auto slash = piece.find('/');
      const std::string_view part = piece.substr(0, slash);
      piece = slash == std::string_view::npos ? std::string_view() : piece.substr(slash + 1);
      if (part.empty() || part == ".") continue;
      if (part != "..") {
        parts.push_back(part);
      } else if (parts.empty()) {
        return false;
      } else {
        parts.pop_back();
      }
    }
    return true;
  };
  if (!path.starts_with('/') && !walk(folder)) return std::nullopt;
  if (!walk(path)) return std::nullopt;
  std::string result;
  for (const std::string_view part : parts) {
    if (!result.empty()) result += '/';
    result += part;
  }
  return result;
}

std::string_view folder_of(std::string_view file) {
  const auto slash = file.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : file.substr(0, slash);
}

KnownIds::KnownIds(const Artifact& artifact) {
  const auto take = [](const Layer& layer, std::unordered_set<std::string>& into) {
    for (const Block& block : layer.blocks)
      if (!block.id.empty()) into.insert(block.id);
  };
  take(artifact.claims, claims);
  take(artifact.experiments, experiments);
  take(artifact.problem, observations);
  for (std::size_t i = 0; i < artifact.tree.nodes.size(); ++i)
    if (const std::string& id = artifact.tree.nodes[i].id; !id.empty()) nodes.emplace(id, static_cast<int>(i));
}

void ReferenceCheck::claim(const std::string& id, std::string_view file, int line, std::string_view by,
                           Severity severity) const {
  if (known_.claims.contains(id)) return;
  if (!artifact_.claims.present) severity = std::min(severity, Severity::warning);
  findings_.add_as(severity, RuleId::unknown_claim, file, line,
                   fmt::format("{} refers to {}, which {}", by, quote(id),
                               artifact_.claims.present ? "is no claim" : "cannot be looked up"));
}

void ReferenceCheck::experiment(const std::string& id, std::string_view file, int line, std::string_view by) const {
  if (known_.experiments.contains(id) || !artifact_.experiments.present) return;
  findings_.add(RuleId::unknown_experiment, file, line,
                fmt::format("{} refers to {}, which is no experiment", by, quote(id)));
}

FoundPath find_path(const SafeRoot& root, const std::vector<PathFrom>& readings) {
  FoundPath found{.path = {}, .outside = true, .directory = false};
  for (const PathFrom& from : readings) {
    if (from.path.empty()) continue;
    const auto path = joined(from.folder, from.path);
    if (!path) continue;
    const FileKind kind = path->empty() ? FileKind::directory : root.look(*path).kind;
    if (kind == FileKind::regular || kind == FileKind::directory)
      return {.path = *path, .outside = false, .directory = kind == FileKind::directory};
    if (kind != FileKind::outside) found.outside = false;
  }
  const SafeRoot* repository = root.repository();
  if (!repository) return found;
  for (const PathFrom& from : readings) {
    if (from.path.empty()) continue;
    const std::string here = fmt::format("{}/{}", root.place_in_repository(), from.folder);
    for (const std::string_view start : {std::string_view(), std::string_view(here)})
      if (const auto path = joined(start, from.path); path && !path->empty())
        if (const FileKind kind = repository->look(*path).kind;
            kind == FileKind::regular || kind == FileKind::directory)
          return {.path = *path, .outside = false, .directory = kind == FileKind::directory, .elsewhere = true};
  }
  found.outside = false;
  found.looked_around = true;
  return found;
}

bool require_path(const FoundPath& found, std::string_view shown, std::string_view file, int line, std::string_view by,
                  Severity severity, Findings& findings) {
  if (found.outside)
    findings.add_as(severity, RuleId::outside_root, file, line,
                    fmt::format("{} names {}, which lies outside the artifact and was not looked at (--repo DIR does)",
                                by, quote(shown)));
  else if (found.path.empty() && !found.directory)
    findings.add_as(severity, RuleId::missing_file, file, line,
                    fmt::format("{} names {}, which {}", by, quote(shown),
                                found.looked_around || is_below_artifact(shown)
                                    ? "does not exist"
                                    : "is not in the artifact; the repository around it was not looked at "
                                      "(--repo DIR does)"));
  return !found.outside && (!found.path.empty() || found.directory);
}

std::string missing_fields(std::span<const Block> blocks, std::initializer_list<FieldNames> wanted) {
  std::string missing;
  for (const FieldNames& names : wanted) {
    const bool there = std::ranges::any_of(blocks, [&](const Block& block) {
      return std::ranges::any_of(names, [&](std::string_view name) { return block.field(name); });
    });
    if (!there) missing += fmt::format("{}**{}**", missing.empty() ? "" : ", ", *names.begin());
  }
  return missing;
}

}  // namespace artifacts
