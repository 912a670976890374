// The table of events must name every blob and folder that an event can hold. A backup would lack one that it forgot,
// and `verify` would not check it.
#include "kernel/domain/event_references.h"

#include <catch2/catch.hpp>

#include "kernel/codec/codec.h"
#include "memory/log/value_codec.h"

namespace {

/// Gives every member that names a blob or a folder a hash of its own, by its type; containers hold one element.
class Filler {
 public:
  template <typename T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, kernel::BlobRef>) {
      value.sha256 = hash();
    } else if constexpr (std::is_same_v<T, kernel::WorkspaceRecord>) {
      value.hash = kernel::WorkspaceHash(hash());
    } else if constexpr (std::is_same_v<T, kernel::Paper>) {
      value.text = hash();
    } else if constexpr (memory::shape::is_optional<T>) {
      typename T::value_type inner{};
      fill(inner);
      value = T(std::move(inner));
    } else if constexpr (memory::shape::is_list<T>) {
      fill_list(value);
    } else if constexpr (std::is_aggregate_v<T> && !memory::shape::is_array<T>) {
      memory::each_member(value, [this](auto& member) { fill(member); });
    }
  }

  std::set<std::string> made;

 private:
  template <typename K, typename V>
  void fill_list(std::map<K, V>& value) {
    fill(value[K{}]);
  }
  template <typename T>
  void fill_list(std::set<T>&) {}
  template <typename List>
  void fill_list(List& value) {
    typename List::value_type inner{};
    fill(inner);
    value.push_back(std::move(inner));
  }

  std::string hash() {
    std::string text = std::to_string(made.size());
    text.insert(0, 64 - text.size(), 'a');
    made.insert(text);
    return text;
  }
};

struct Told : kernel::EventReferences {
  void blob(const std::string& sha256, std::int64_t) override { names.insert(sha256); }
  void folder(kernel::FolderUse, const std::string& manifest) override {
    names.insert(manifest);
    folders = true;
  }
  std::set<std::string> names;
  bool folders = false;
};

template <typename Type>
void check_event(const std::string& type) {
  INFO(type);
  Type event{};
  Filler filler;
  filler.fill(event);
  if constexpr (std::is_same_v<Type, kernel::StudyOpened>) {
    event.sealed_manifest = std::string(64, 'f');
    filler.made.insert(event.sealed_manifest);
  }
  Told told;
  const kernel::EventBody body(event);
  kernel::each_reference(body, told);
  CHECK(told.names == filler.made);
  CHECK(kernel::may_name_folders(type, kernel::encode(body)) == told.folders);
}

}  // namespace

TEST_CASE("the table of events names every blob and folder that an event can hold") {
#define ETUDE_EVENT(Type, ...) check_event<kernel::Type>(#Type);
#include "kernel/domain/events.def"
}
