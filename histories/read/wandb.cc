// Run folders of W&B. Everything is in run-ID.wandb: records of LevelDB's log format (blocks of 32 KiB, each record
// with checksum, length and type) behind a header of 7 bytes; a record is a protocol buffer `Record` of wandb's own.

#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "histories/read/found_runs.h"
#include "histories/read/readers.h"

namespace histories {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t block = 32 << 10, file_header = 7, record_header = 7;

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

/// The records of the log; what a killed program left unfinished at the end is left out.
std::vector<std::string> records_of(std::string_view file) {
  std::vector<std::string> records;
  std::string record;
  for (std::size_t at = file_header; at < file.size();) {
    const std::size_t left = block - at % block;
    if (left < record_header) {
      at += left;
      continue;
    }
    if (at + record_header > file.size()) break;
    const std::size_t length = byte_at(file, at + 4) | byte_at(file, at + 5) << 8U;
    const unsigned type = byte_at(file, at + 6);
    at += record_header;
    if (type < 1 || type > 4 || at + length > file.size()) break;
    if (type <= 2) record.clear();
    record += file.substr(at, length);
    at += length;
    if (type == 1 || type == 4) records.push_back(std::move(record));
  }
  return records;
}

/// The fields of a message, as far as they are sound.
class Message {
 public:
  struct Field {
    std::uint64_t number = 0, value = 0;
    std::string_view bytes;  ///< Of a text or a message.
  };

  explicit Message(std::string_view bytes) {
    while (!bytes.empty()) {
      Field field;
      const auto key = varint(bytes);
      if (!key) return;
      field.number = *key >> 3U;
      switch (*key & 7U) {
        case 0: {
          const auto value = varint(bytes);
          if (!value) return;
          field.value = *value;
          break;
        }
        case 1:
          if (bytes.size() < 8) return;
          bytes.remove_prefix(8);
          break;
        case 2: {
          const auto length = varint(bytes);
          if (!length || *length > bytes.size()) return;
          field.bytes = bytes.substr(0, *length);
          bytes.remove_prefix(*length);
          break;
        }
        case 5:
          if (bytes.size() < 4) return;
          bytes.remove_prefix(4);
          break;
        default:
          return;
      }
      fields_.push_back(field);
    }
  }

  const std::vector<Field>& fields() const { return fields_; }
  std::string_view text(std::uint64_t number) const {
    for (const Field& field : fields_)
      if (field.number == number) return field.bytes;
    return {};
  }
  std::uint64_t whole(std::uint64_t number) const {
    for (const Field& field : fields_)
      if (field.number == number) return field.value;
    return 0;
  }

 private:
  static std::optional<std::uint64_t> varint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
      const unsigned char c = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      value |= static_cast<std::uint64_t>(c & 0x7fU) << shift;
      if (c < 0x80) return value;
    }
    return std::nullopt;
  }

  std::vector<Field> fields_;
};

// Numbers of fields in wandb_internal.proto.
enum : std::uint64_t { has_history = 2, has_summary = 3, has_config = 5, has_run = 17, has_end = 18 };
enum : std::uint64_t { item_key = 1, item_path = 2, item_json = 16 };
enum : std::uint64_t { run_id = 1, run_config = 4, run_name = 8, run_start = 17 };

/// The items (field 1) of a history, a summary or a configuration; keys of parts are joined by dots.
template <typename Each>
void each_item(std::string_view message, const Each& each) {
  const Message items(message);
  for (const Message::Field& field : items.fields()) {
    if (field.number != 1) continue;
    const Message item(field.bytes);
    std::string key(item.text(item_key));
    if (key.empty())
      for (const Message::Field& part : item.fields())
        if (part.number == item_path) key += (key.empty() ? "" : ".") + std::string(part.bytes);
    const json value = json::parse(item.text(item_json), nullptr, false);
    if (!key.empty() && !value.is_discarded()) each(key, value);
  }
}

/// A configuration may have parts, which become names with a dot.
void take_config(const std::string& key, const json& value, std::map<std::string, std::string>& parameters) {
  if (key.starts_with('_')) return;
  if (value.is_object())
    for (const auto& [name, inner] : value.items()) take_config(key + "." + name, inner, parameters);
  else if (const auto word = word_of(value))
    parameters[key] = *word;
}

kernel::Result<FoundRun> read_run(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return text.problem();
  if (!text->starts_with(":W&B")) return kernel::Problem{file.string(), 0, "", "is no record of W&B", ""};
  FoundRun found;
  bool ended = false;
  std::uint64_t exit = 0;
  const auto configure = [&](const std::string& key, const json& value) {
    take_config(key, value, found.entry.parameters);
  };
  for (const std::string& bytes : records_of(*text)) {
    const Message record(bytes);
    for (const Message::Field& field : record.fields()) {
      if (field.number == has_run) {
        const Message of(field.bytes);
        found.entry.id = of.text(run_name).empty() ? of.text(run_id) : of.text(run_name);
        found.started = static_cast<double>(Message(of.text(run_start)).whole(1));
        found.started += static_cast<double>(Message(of.text(run_start)).whole(2)) * 1e-9;
        each_item(of.text(run_config), configure);
      } else if (field.number == has_config) {
        each_item(field.bytes, configure);
      } else if (field.number == has_history || field.number == has_summary) {
        each_item(field.bytes, [&](const std::string& key, const json& value) {
          if (value.is_number()) found.metrics[key] = value;
        });
      } else if (field.number == has_end) {
        ended = true;
        exit = Message(field.bytes).whole(1);
      }
    }
  }
  if (!ended || exit != 0) found.entry.status = Status::crashed;
  return found;
}

}  // namespace

kernel::Result<History> read_wandb(const std::vector<fs::path>& folders, const fs::path& root, const Asked& asked) {
  std::vector<FoundRun> runs;
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (const auto& file : fs::directory_iterator(folder, error)) {
      if (file.path().extension() != ".wandb" || !file.is_regular_file()) continue;
      auto found = read_run(file.path());
      if (!found) return found.problem();
      runs.push_back(std::move(*found));
    }
  }
  return history_of(Source::wandb, root.string(), asked, std::move(runs));
}

}  // namespace histories
