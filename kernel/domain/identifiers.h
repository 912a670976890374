#pragma once
// Identifiers with types of their own, so that confusing two of them, or one and a path, does not compile. `text()`
// is also their JSON. Study ids, run ids, ids of nodes and claims and the hashes of blobs are plain text.

#include <algorithm>
#include <compare>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace kernel {

/// `Kind` distinguishes the identifier types; it need not be defined.
template <typename Kind>
class Identifier {
 public:
  Identifier() = default;
  explicit Identifier(std::string text) : text_(std::move(text)) {}
  /// A literal cannot be another id by mistake, so it needs no explicit conversion.
  template <std::size_t N>
  Identifier(const char (&literal)[N]) : text_(literal) {}

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

  friend bool operator==(const Identifier&, const Identifier&) = default;
  friend auto operator<=>(const Identifier&, const Identifier&) = default;
  friend std::string operator+(std::string before, const Identifier& id) { return before += id.text_; }
  friend std::string operator+(const Identifier& id, std::string_view after) { return id.text_ + std::string(after); }

 private:
  std::string text_;
};

template <typename Json, typename Kind>
void to_json(Json& j, const Identifier<Kind>& id) {
  j = id.text();
}
template <typename Json, typename Kind>
void from_json(const Json& j, Identifier<Kind>& id) {
  id = Identifier<Kind>(j.template get<std::string>());
}

/// The element of the list whose member, such as an id, has this value; null if there is none.
template <typename List, typename Member, typename Value>
auto* find_by(List& list, Member member, const Value& value) {
  const auto found = std::ranges::find(list, value, member);
  return found == list.end() ? nullptr : &*found;
}

/// A registered experiment ("E01") or search ("S01") of a study.
using ExperimentId = Identifier<struct ExperimentIdKind>;

/// A hypothesis of a study ("H1").
using HypothesisId = Identifier<struct HypothesisIdKind>;

/// A frozen workspace: the SHA-256 of its manifest blob. Its folder is HOME/workspaces/HASH.
using WorkspaceHash = Identifier<struct WorkspaceHashKind>;

/// SHA-256 of all inputs of an environment's set-up. HOME/kept/KEY holds its results.
using SetupKey = Identifier<struct SetupKeyKind>;

/// Identifies one launch of a run: at most one job ever runs under a token. Every process of the job carries it.
using LaunchToken = Identifier<struct LaunchTokenKind>;

/// 128 random bits in hexadecimal, drawn for one event and recorded in it; seeds and orders of runs follow from them.
using Draw = Identifier<struct DrawKind>;

/// Who acts in a study, as events name it. Every other name is an agent's role.
inline constexpr const char* person_actor = "person";
inline constexpr const char* kernel_actor = "kernel";
constexpr bool is_person(std::string_view actor) {
  return actor == person_actor;
}

}  // namespace kernel

template <typename Kind>
struct fmt::formatter<kernel::Identifier<Kind>> : fmt::formatter<std::string_view> {
  auto format(const kernel::Identifier<Kind>& id, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(id.text(), context);
  }
};
