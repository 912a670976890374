#include "artifacts/merge/merge_artifacts.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/edit/node_text.h"
#include "artifacts/edit/page_edits.h"
#include "artifacts/merge/relocation.h"
#include "artifacts/merge/tree_merge.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/layer_markdown.h"
#include "artifacts/read/references.h"
#include "artifacts/read/unpack.h"
#include "artifacts/text/untrusted_text.h"
#include "base/digest.h"
#include "base/utf8.h"

namespace artifacts {
namespace {

constexpr std::uint64_t largest_file = 256u << 20;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
constexpr const char* tree_path = "trace/exploration_tree.yaml";
constexpr const char* index_path = "evidence/README.md";

constexpr std::array<std::string_view, 6> entry_files{"logic/claims.md",       "logic/experiments.md",
                                                      "logic/concepts.md",     "logic/solution/heuristics.md",
                                                      "logic/related_work.md", "logic/problem.md"};
/// What only belongs to a sealed artifact.
constexpr std::array<std::string_view, 4> sealed_files{"etude.json", "trace/events.jsonl", "report.md", "report.html"};

struct TooMuch {
  std::string what;
};

/// One of the artifacts, with the bytes of its files.
class Side {
 public:
  static kernel::Result<Side> open(const std::string& path) {
    Side side;
    if (path.empty()) return side;
    auto arrived = Arrived::open(path);
    if (!arrived) return arrived.problem();
    auto root = SafeRoot::open(arrived->folder());
    if (!root) return root.problem();
    side.load(*root);
    const std::filesystem::path place = std::filesystem::absolute(path).lexically_normal();
    side.name = (place.has_filename() ? place.filename() : place.parent_path().filename()).string();
    if (side.name.ends_with(".zip")) side.name.resize(side.name.size() - 4);
    return side;
  }

  void load(const SafeRoot& root) {
    Findings unused;
    artifact = read_artifact(root, unused);
    std::uint64_t all = 0;
    for (const Entry& entry : artifact.files.entries) {
      if (entry.kind != FileKind::regular) continue;
      FileBytes read = root.read(entry.path, std::min(largest_file, most_bytes - all));
      if (!read.whole()) throw TooMuch{entry.path};
      all += read.bytes.size();
      files.emplace(entry.path, std::move(read.bytes));
    }
    sealed = files.contains("etude.json");
  }

  const std::string* bytes(const std::string& path) const {
    const auto found = files.find(path);
    return found == files.end() ? nullptr : &found->second;
  }
  std::string text(const std::string& path) const { return bytes(path) ? *bytes(path) : std::string(); }

  /// Identifies the content: the hash of the paths and hashes of all files.
  std::string digest() const {
    std::string all;
    for (const auto& [path, content] : files) all += kernel::sha256_hex(content) + "  " + path + "\n";
    return kernel::sha256_hex(all);
  }

  std::string name;
  bool sealed = false;
  Artifact artifact;
  std::map<std::string, std::string> files;
};

std::vector<const Layer*> layers_of(const Artifact& artifact) {
  return {&artifact.claims,     &artifact.experiments,  &artifact.concepts,
          &artifact.heuristics, &artifact.related_work, &artifact.problem};
}

bool same_block(const Block& a, const Block& b) {
  const auto fields = [](const Block& block) {
    std::vector<std::pair<std::string, std::string>> list;
    for (const Field& field : block.fields) list.emplace_back(field.name, std::string(trimmed(field.text)));
    return list;
  };
  const auto prose = [](const Block& block) {
    std::vector<std::string> list;
    for (const Text& line : block.prose)
      if (line.text != "---") list.push_back(line.text);
    return list;
  };
  return a.title == b.title && fields(a) == fields(b) && prose(a) == prose(b);
}

std::string parent_of(const Tree& tree, const TreeNode& node) {
  return node.parent < 0 ? std::string() : tree.nodes[static_cast<std::size_t>(node.parent)].id;
}

const TreeNode* node_at(const Tree& tree, const std::string& id) {
  const auto found = std::ranges::find(tree.nodes, id, &TreeNode::id);
  return found == tree.nodes.end() ? nullptr : &*found;
}

/// "evidence/tables/table1" of "evidence/tables/table1.md".
std::string without_suffix(const std::string& path) {
  const auto dot = path.rfind('.');
  const auto slash = path.rfind('/');
  return dot == path.npos || (slash != path.npos && dot < slash + 2) ? path : path.substr(0, dot);
}

/// Files that get another name if both artifacts have one of theirs.
bool is_movable(std::string_view path) {
  static constexpr std::array<std::string_view, 3> fixed{"evidence/README.md", "src/environment.md",
                                                         "src/artifacts.md"};
  return (path.starts_with("evidence/") || path.starts_with("src/")) && !path.starts_with("src/workspace/") &&
         !is_one_of(fixed, path);
}

bool is_rewritten(std::string_view path) {
  return (path.ends_with(".md") || path.ends_with(".yaml") || path.ends_with(".yml")) &&
         !path.starts_with("src/workspace/") && !path.starts_with("src/evaluator/");
}

bool is_page_of_entries(std::string_view path) {
  return is_one_of(entry_files, path);
}

class ArtifactMerging {
 public:
  ArtifactMerging(const Side& base, const Side& ours, const Side& theirs, std::string now)
      : base_(base), ours_(ours), theirs_(theirs), now_(std::move(now)) {
    aside_name_ = theirs_.name == ours_.name ? theirs_.name + "-theirs" : theirs_.name;
  }

  MergePlan plan() {
    leave_seal(ours_, ours_.name);
    if (!theirs_.name.empty()) {
      relocate();
      std::set<std::string> paths;
      for (const auto& [path, content] : ours_.files) paths.insert(path);
      for (const auto& [path, content] : moved_) paths.insert(path);
      for (const std::string& path : paths) merge(path);
      leave_seal(theirs_, aside_name_);
    }
    record();
    return std::move(plan_);
  }

 private:
  static bool is_sealed(const Side& side, std::string_view path) {
    return side.sealed && is_one_of(sealed_files, path);
  }

  void keep_aside(const std::string& name, const std::string& path, const std::string& bytes) {
    const std::string place = fmt::format("trace/merged/{}/{}", name, path);
    plan_.written[place] = bytes;
    plan_.aside.push_back(place);
  }

  void leave_seal(const Side& side, const std::string& name) {
    for (const auto& [path, bytes] : side.files) {
      if (!is_sealed(side, path)) continue;
      keep_aside(name, path, bytes);
      if (&side == &ours_) plan_.left_out.insert(path);
    }
  }

  // New ids and paths.

  void relocate() {
    const auto base_layers = layers_of(base_.artifact), our_layers = layers_of(ours_.artifact),
               their_layers = layers_of(theirs_.artifact);
    for (std::size_t i = 0; i < their_layers.size(); ++i) {
      std::set<std::string> taken;
      for (const Layer* layer : {base_layers[i], our_layers[i], their_layers[i]})
        for (const Block& block : layer->blocks) taken.insert(block.id);
      for (const Block& block : their_layers[i]->blocks) {
        if (block.id.empty() || base_layers[i]->find(block.id)) continue;
        const Block* ours = our_layers[i]->find(block.id);
        if (ours && !same_block(*ours, block)) relocation_.entries.emplace(block.id, free_id(block.id, taken));
      }
    }
    std::set<std::string> taken;
    for (const Side* side : {&base_, &ours_, &theirs_})
      for (const TreeNode& node : side->artifact.tree.nodes) taken.insert(node.id);
    for (const TreeNode& node : theirs_.artifact.tree.nodes) {
      if (node.id.empty() || node_at(base_.artifact.tree, node.id)) continue;
      const TreeNode* ours = node_at(ours_.artifact.tree, node.id);
      if (ours && !same_node(*ours, node)) relocation_.nodes.emplace(node.id, free_id(node.id, taken));
    }
    relocate_paths();
    for (const auto& [path, bytes] : theirs_.files) {
      if (is_sealed(theirs_, path)) continue;
      const auto to = relocation_.paths.find(path);
      const std::string place = to == relocation_.paths.end() ? path : to->second;
      if (!is_rewritten(path) || !kernel::valid_utf8(bytes)) {
        moved_.emplace(place, Moved{path, bytes});
        continue;
      }
      std::set<std::string, std::less<>> known;
      const std::string before = base_.text(path);
      for (const std::string_view line : lines_of(before)) known.emplace(trimmed(line));
      moved_.emplace(place, Moved{path, relocated(bytes, path, relocation_, known)});
    }
  }

  bool same_node(const TreeNode& ours, const TreeNode& theirs) const {
    const auto a = node_piece(ours_.text(tree_path), tree_path, ours.id);
    const auto b = node_piece(theirs_.text(tree_path), tree_path, theirs.id);
    return a && b && trimmed(*a) == trimmed(*b) &&
           parent_of(ours_.artifact.tree, ours) == parent_of(theirs_.artifact.tree, theirs);
  }

  /// A new name for each group of files that differ only in their suffix: page, picture and table of one thing.
  void relocate_paths() {
    std::map<std::string, std::vector<std::string>> groups;
    for (const auto& [path, bytes] : theirs_.files)
      if (is_movable(path) && !base_.files.contains(path)) groups[without_suffix(path)].push_back(path);
    for (const auto& [stem, paths] : groups) {
      std::string to = stem;
      const auto slash = stem.rfind('/') + 1;
      const std::string_view name = std::string_view(stem).substr(slash);
      for (const auto& [from, id] : relocation_.entries)
        if (name == from || name.starts_with(from + "_"))
          to = stem.substr(0, slash) + id + std::string(name.substr(from.size()));
      const auto taken = [&](const std::string& place) {
        return std::ranges::any_of(paths, [&](const std::string& path) {
          const std::string* ours = ours_.bytes(place + path.substr(stem.size()));
          return ours && *ours != *theirs_.bytes(path);
        });
      };
      for (int n = 2; taken(to); ++n) to = fmt::format("{}-{}", stem, n);
      if (to == stem) continue;
      for (const std::string& path : paths) relocation_.paths.emplace(path, to + path.substr(stem.size()));
    }
  }

  // One file.

  void merge(const std::string& path) {
    if (is_sealed(ours_, path)) return;
    const std::string* ours = ours_.bytes(path);
    const auto moved = moved_.find(path);
    const std::string* theirs = moved == moved_.end() ? nullptr : &moved->second.bytes;
    const std::string* base = base_.bytes(path);
    if (path == merge_record) return;  // See record().
    if (ours && theirs) {
      if (*ours == *theirs || (base && *base == *theirs)) return;
      if (path == tree_path || is_page_of_entries(path)) return merge_entries(path, base, *ours, *theirs);
      if (base && *base == *ours) return take(path, moved->second);
      if (path == index_path && !base) return merge_index(*ours, *theirs);
      const bool texts = base && kernel::valid_utf8(*base) && kernel::valid_utf8(*ours) && kernel::valid_utf8(*theirs);
      if (!texts) {
        conflict(path, {"the file", base ? "(binary, or large)" : "", "(as it is)",
                        fmt::format("trace/merged/{}/{}", aside_name_, path)});
        return keep_aside(aside_name_, path, *theirs);
      }
      MergedLines lines = merge_lines(*base, *ours, *theirs, AtConflict::ours);
      for (MergeConflict& one : lines.conflicts) conflict(path, std::move(one));
      if (lines.text != *ours) plan_.files.push_back({path, "", false});
      plan_.written[path] = std::move(lines.text);
    } else if (theirs) {
      if (base && *base == *theirs) return;  // Deleted by us.
      if (base) conflict(path, {"the file", shown(*base), "", shown(*theirs)});
      take(path, moved->second);
    } else if (base) {
      if (*base != *ours) return conflict(path, {"the file", shown(*base), shown(*ours), ""});
      plan_.left_out.insert(path);
      plan_.files.push_back({path, "", true});
    }
  }

  struct Moved {
    std::string was;
    std::string bytes;
  };

  static std::string shown(const std::string& bytes) {
    constexpr std::size_t most = 4000;
    return kernel::valid_utf8(bytes) ? shortened(bytes, most) : std::string("(binary)");
  }

  void take(const std::string& path, const Moved& moved) {
    plan_.written[path] = moved.bytes;
    plan_.files.push_back({path, moved.was == path ? "" : moved.was, false});
  }

  void conflict(const std::string& path, MergeConflict one) { plan_.conflicts.push_back({path, std::move(one)}); }

  std::string was(const std::string& file, const std::string& id) const {
    for (const auto& [from, to] : file == tree_path ? relocation_.nodes : relocation_.entries)
      if (to == id) return from;
    return {};
  }

  void merge_entries(const std::string& path, const std::string* base, const std::string& ours,
                     const std::string& theirs) {
    const std::string before = base ? *base : std::string();
    MergedPage page = path == tree_path ? merge_tree(before, ours, theirs, AtConflict::ours)
                                        : merge_page(before, ours, theirs, path, AtConflict::ours);
    for (Taken& one : page.taken) {
      const std::string old = was(path, one.address);
      plan_.entries.push_back({std::move(one), path, old});
    }
    for (MergeConflict& one : page.conflicts) conflict(path, std::move(one));
    plan_.written[path] = std::move(page.text);
  }

  /// The rows of theirs for pages that ours does not list.
  void merge_index(const std::string& ours, const std::string& theirs) {
    std::string text = ours;
    const Layer listed = scan_markdown(clean(ours).text, index_path);
    std::set<std::string> known;
    for (const IndexRow& row : evidence_index_of(listed)) known.insert(row.target);
    const Layer layer = scan_markdown(clean(theirs).text, index_path);
    const auto cell = [](const MarkdownTable& table, const TableRow& row, std::string_view name) {
      for (std::size_t i = 0; i < table.header.size() && i < row.cells.size(); ++i)
        if (!std::ranges::search(table.header[i], name, [](char a, char b) {
               return same_word({&a, 1}, {&b, 1});
             }).empty())
          return row.cells[i];
      return std::string();
    };
    for (const IndexRow& row : evidence_index_of(layer)) {
      if (known.contains(row.target)) continue;
      for (const Block& block : layer.blocks)
        for (const MarkdownTable& table : block.tables)
          for (const TableRow& one : table.rows) {
            if (one.line != row.line) continue;
            std::string path = row.target;
            if (path.starts_with("evidence/")) path.erase(0, 9);
            const auto edited =
                with_index_row(text, index_path,
                               {path, cell(table, one, "source"), cell(table, one, "claim"), cell(table, one, "desc")});
            if (edited) text = edited->bytes;
          }
    }
    plan_.written[index_path] = text;
    plan_.files.push_back({index_path, "", false});
  }

  // The record.

  static nlohmann::json source_of(const Side& side) {
    nlohmann::json source{{"name", side.name}, {"sha256", side.digest()}};
    if (const std::string* seal = side.bytes("etude.json")) {
      const auto json = nlohmann::json::parse(*seal, nullptr, false);
      if (json.is_object() && json.value("events", nlohmann::json()).is_object())
        source["head"] = json["events"].value("head", nlohmann::json());
    }
    return source;
  }

  void record() {
    static constexpr std::array<std::string_view, 3> names{"added", "changed", "deleted"};
    nlohmann::json line{{"merged", now_}, {"ours", source_of(ours_)}};
    if (!base_.name.empty()) line["base"] = source_of(base_);
    if (!theirs_.name.empty()) line["theirs"] = source_of(theirs_);
    line["entries"] = nlohmann::json::array();
    for (const MergedEntry& one : plan_.entries) {
      nlohmann::json entry{
          {"address", one.taken.address}, {"file", one.file}, {"how", names[static_cast<std::size_t>(one.taken.how)]}};
      if (!one.was.empty()) entry["was"] = one.was;
      line["entries"].push_back(std::move(entry));
    }
    line["files"] = nlohmann::json::array();
    for (const MergedFile& one : plan_.files) {
      nlohmann::json file{{"path", one.path}};
      if (!one.was.empty()) file["was"] = one.was;
      if (one.deleted) file["how"] = "deleted";
      line["files"].push_back(std::move(file));
    }
    line["aside"] = plan_.aside;
    line["conflicts"] = nlohmann::json::array();
    for (const FileConflict& one : plan_.conflicts)
      line["conflicts"].push_back({{"file", one.file},
                                   {"where", one.conflict.where},
                                   {"base", one.conflict.base},
                                   {"ours", one.conflict.ours},
                                   {"theirs", one.conflict.theirs}});
    std::string text = ours_.text(merge_record);
    for (const std::string_view old : lines_of(theirs_.text(merge_record)))
      if (text.find(old) == text.npos) text += std::string(old) + "\n";
    text += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    plan_.written[merge_record] = text;
  }

  const Side &base_, &ours_, &theirs_;
  std::string now_, aside_name_;
  Relocation relocation_;
  std::map<std::string, Moved> moved_;  ///< The files of theirs by their new paths.
  MergePlan plan_;
};

}  // namespace

kernel::Result<MergePlan> plan_merge(const MergeSources& sources, const std::string& now) {
  try {
    const auto base = Side::open(sources.base), one = Side::open(sources.ours), theirs = Side::open(sources.theirs);
    for (const auto* side : {&base, &one, &theirs})
      if (!*side) return side->problem();
    return ArtifactMerging(*base, *one, *theirs, now).plan();
  } catch (const TooMuch& e) {
    return kernel::Problem{printable(e.what), 0, "cannot be merged",
                           "the file cannot be read, or the artifact has more than 1 GB or a file above 256 MB", ""};
  }
}

}  // namespace artifacts
