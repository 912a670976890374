#include "studyfile/yaml/document.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "base/fd.h"
#include "base/utf8.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_bytes = 4 << 20;
constexpr std::size_t max_depth = 16;
constexpr int max_nodes = 100000;
constexpr std::size_t max_keys = 1000;  // Per mapping, since every new key is compared with all others.
// yaml-cpp accepts a quoted text that the end of the file cuts off. This comment, appended to the file, then shows up
// inside the text.
constexpr std::string_view tail = "\n# end of the study file \xE2\x96\xA0\n";

struct Refused {
  kernel::Problem problem;
};

YamlPlace place_of(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column + 1};
}

/// Builds the tree from yaml-cpp's events; throws Refused at the first unsupported construct.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string file) : file_(std::move(file)) {}

  bool found() const { return documents_ > 0; }
  YamlNode& root() { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      refuse(place_of(mark), "", "something follows the end of the study", "a study file holds one YAML document");
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override { refuse_alias(place_of(mark), "&" + name); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_alias(place_of(mark), "*"); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(YamlNode{YamlNode::Kind::null, "", false, place_of(mark), {}, {}});
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    const YamlPlace place = place_of(mark);
    if (tag != "?" && tag != "!") refuse_tag(place, tag);
    if (value.find(tail.substr(1, tail.size() - 2)) != std::string::npos)
      refuse(place, "", "a quote is opened here and never closed", "close it");
    if (first_bad_line(value))
      refuse(place, "", "a text with a control character or bytes that are not UTF-8", "write it without escapes");
    add(YamlNode{YamlNode::Kind::scalar, value, tag == "!", place, {}, {}});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::list, mark, tag);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::mapping, mark, tag);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    YamlNode node;
    std::optional<YamlEntry> pending;  ///< A mapping's key whose value has not been read.
  };

  [[noreturn]] void refuse(YamlPlace place, std::string what, std::string why, std::string todo) const {
    throw Refused{{file_, place.line, std::move(what), std::move(why), std::move(todo)}};
  }

  [[noreturn]] void refuse_alias(YamlPlace place, const std::string& spelled) const {
    refuse(place, "`" + spelled + "`", "YAML anchors and aliases are not read",
           "write the value out, or put a text that starts with `&` or `*` in quotes");
  }

  [[noreturn]] void refuse_tag(YamlPlace place, const std::string& tag) const {
    refuse(place, "", "the YAML tag `" + shown(tag) + "` is not read", "leave the tag out");
  }

  /// The key whose value is the mapping that is being read; empty in a list and at the top.
  std::string name_of_open_mapping() const {
    const std::optional<YamlEntry>* key = frames_.size() > 1 ? &frames_[frames_.size() - 2].pending : nullptr;
    return key && *key ? shown((*key)->key) : "";
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    const YamlPlace place = place_of(mark);
    if (tag != "?" && !tag.empty()) refuse_tag(place, tag);
    if (frames_.size() >= max_depth)
      refuse(place, "", "values are nested more than " + std::to_string(max_depth) + " deep",
             "no part of a study file needs that");
    frames_.push_back({YamlNode{kind, "", false, place, {}, {}}, std::nullopt});
  }

  void close() {
    YamlNode node = std::move(frames_.back().node);
    frames_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (++nodes_ > max_nodes)
      refuse(node.place, "", "the file holds more than " + std::to_string(max_nodes) + " values",
             "put data into data files");
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == YamlNode::Kind::list) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.pending) {
      frame.pending = key_from(node, frame.node);
    } else {
      // yaml-cpp reports a missing value at the position of what follows it.
      if (node.kind == YamlNode::Kind::null) node.place = frame.pending->place;
      frame.pending->value = std::move(node);
      frame.node.entries.push_back(std::move(*frame.pending));
      frame.pending.reset();
    }
  }

  YamlEntry key_from(const YamlNode& node, const YamlNode& mapping) const {
    if (node.kind == YamlNode::Kind::list || node.kind == YamlNode::Kind::mapping)
      refuse(node.place, "", "a key that is a list or a mapping",
             "keys are plain names; quote a text that holds `{` or `[`");
    if (node.kind == YamlNode::Kind::null) refuse(node.place, "", "a key is empty", "name it, or put it in quotes");
    if (!node.quoted && (as_number(node.text) || as_boolean(node.text)))
      refuse(node.place, "key `" + shown(node.text) + "`",
             "a key is a text, and YAML reads this one as " + described(node), "put it in quotes");
    if (mapping.entries.size() >= max_keys)
      refuse(node.place, name_of_open_mapping(), "a mapping of more than " + std::to_string(max_keys) + " keys",
             "name fewer, or put data into data files");
    for (const YamlEntry& entry : mapping.entries)
      if (entry.key == node.text)
        refuse(node.place, "key `" + shown(node.text) + "`",
               "it is already given in line " + std::to_string(entry.place.line), "keep one of the two");
    return YamlEntry{node.text, node.place, YamlNode{}};
  }

  std::string file_;
  int documents_ = 0;
  int nodes_ = 0;
  YamlNode root_;
  std::vector<Frame> frames_;
};

/// The line that begins with a tab, at `line` or the one after; 0 if there is none.
int tab_line(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string one;
  for (int number = 1; std::getline(lines, one); ++number) {
    const std::size_t start = one.find_first_not_of(" \t\r");
    if (start == std::string::npos || one.find('\t') >= start) continue;
    if (line == 0 ? one[0] == '\t' : number == line || number == line + 1) return number;
  }
  return 0;
}

kernel::Problem tab_problem(const std::string& file, int line) {
  return {file, line, "", "the line is indented with a tab", "YAML indents with spaces"};
}

kernel::Problem syntax_problem(const std::string& text, const std::string& file, const YAML::Exception& error) {
  // At the end of the text yaml-cpp counts some lines too many.
  const auto breaks = std::ranges::count(text, '\n');
  const int last = static_cast<int>(breaks) + (text.ends_with('\n') ? 0 : 1);
  const int line = std::clamp(error.mark.line + 1, 1, std::max(1, last));
  if (const int tab = tab_line(text, line)) return tab_problem(file, tab);
  std::string todo = "check the indentation and the quotes here and in the line before";
  if (error.msg.find("illegal map value") != std::string::npos)
    todo = "put a text that holds `: ` in quotes, and check the indentation";
  if (error.msg.find("anchor") != std::string::npos) todo = "put a text that starts with `*` or `&` in quotes";
  if (error.msg.find("unknown token") != std::string::npos)
    todo = "put a text that starts with a special character in quotes";
  if (error.msg.find("flow") != std::string::npos) todo = "close every `[` and `{`, and put a comma between entries";
  return {file, line, "not valid YAML", error.msg + " (column " + std::to_string(error.mark.column + 1) + ")", todo};
}

/// The one document in `text`. Problems name `file` and a line.
kernel::Result<YamlNode> read_document(const std::string& text, const std::string& file) {
  if (const int tab = tab_line(text, 0)) return tab_problem(file, tab);
  TreeBuilder builder(file);
  try {
    std::istringstream stream(text + std::string(tail));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refused& refused) {
    return refused.problem;
  } catch (const YAML::Exception& error) {
    return syntax_problem(text, file, error);
  }
  if (!builder.found())
    return kernel::Problem{file, 1, "the study file is empty", "", "`etude init DIR` writes one to start from"};
  return std::move(builder.root());
}

kernel::Problem no_file(const std::string& path, std::string why, std::string todo) {
  return {path, 0, "", std::move(why), std::move(todo)};
}

kernel::Problem too_large(const std::string& path, const std::string& kind) {
  return no_file(path, "it is larger than 4 MB", "a " + kind + " is a page of YAML: name that");
}

}  // namespace

std::string described(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::mapping:
      return "a mapping";
    case YamlNode::Kind::scalar:
      break;
  }
  if (!node.quoted && as_boolean(node.text)) return "`" + node.text + "`";
  if (!node.quoted && looks_numeric(node.text)) return "the number " + shown(node.text);
  return "the text \"" + shown(node.text) + "\"";
}

std::optional<int> first_bad_line(std::string_view text) {
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = kernel::utf8_at(text, i).length;
    if (length == 0 || c == 0x7F || (c < 0x20 && c != '\n' && c != '\t' && c != '\r')) return line;
    if (c == '\n') ++line;
    i += length;
  }
  return std::nullopt;
}

kernel::Result<std::string> read_yaml_file(const std::string& path, const std::string& kind, const std::string& usual,
                                           const std::string& if_absent) {
  // Without O_NONBLOCK, opening a named pipe would block.
  const kernel::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return no_file(path, "there is no such file", if_absent);
  if (!file)
    return no_file(path, std::string("the file cannot be read (") + std::strerror(errno) + ")",
                   "give this user the right to read it");
  struct stat about {};
  if (fstat(file.get(), &about) != 0) return no_file(path, std::strerror(errno), "");
  if (S_ISDIR(about.st_mode)) {
    std::error_code error;
    const std::string inside = (fs::path(path) / usual).string();
    return no_file(path, "it is a folder",
                   fs::exists(inside, error) ? "name the file in it: " + inside : "name the " + kind + " in it");
  }
  if (!S_ISREG(about.st_mode)) return no_file(path, "it is no regular file", "name a " + kind);
  if (static_cast<std::size_t>(about.st_size) > max_bytes) return too_large(path, kind);
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return no_file(path, std::string("the file cannot be read (") + std::strerror(errno) + ")", "");
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) return too_large(path, kind);
  }
}

kernel::Result<YamlNode> read_yaml_text(const std::string& text, const std::string& file, const std::string& kind) {
  if (text.size() > max_bytes) return too_large(file, kind);
  if (text.find('\0') != std::string::npos)
    return no_file(file, "it is a binary file", "name a " + kind + ", which is YAML text");
  if (const std::optional<int> line = first_bad_line(text))
    return kernel::Problem{file, *line, "", "the line holds bytes that are not UTF-8, or control characters",
                           "save the file as plain UTF-8 text"};
  return read_document(text, file);
}

}  // namespace studyfile
