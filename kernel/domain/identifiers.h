#pragma once
// Names that are told apart by their types: with two of them, or one and a path, next to each other, a mistake would
// compile otherwise. One is made explicitly, and is read as the text that it holds; its JSON is that of the text. Study
// ids, run ids and the hashes of blobs are plain text.

#include <compare>
#include <string>
#include <utility>

namespace kernel {

/// `Kind` says what the text names; it need not be defined.
template <typename Kind>
class Identifier {
 public:
  Identifier() = default;
  explicit Identifier(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }
  bool empty() const { return text_.empty(); }

  friend bool operator==(const Identifier&, const Identifier&) = default;
  friend auto operator<=>(const Identifier&, const Identifier&) = default;
  friend std::string operator+(std::string before, const Identifier& id) { return before += id.text_; }

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

/// A frozen workspace: the SHA-256 of its manifest, which is a blob of that name. HOME/workspaces/HASH is its folder.
using WorkspaceHash = Identifier<struct WorkspaceHashKind>;

/// What an environment was set up from: the SHA-256 of all that a set-up depends on. HOME/kept/KEY holds its entries,
/// beside outputs that lie under their own hashes.
using SetupKey = Identifier<struct SetupKeyKind>;

/// Fences one launch of a run: one token, at most one job ever. Every process of the job carries it.
using LaunchToken = Identifier<struct LaunchTokenKind>;

}  // namespace kernel
