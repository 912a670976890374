#include "kernel/domain/event_references.h"

#include <algorithm>

namespace kernel {

namespace {

/// The functions that events.def calls. They take members as events store them and skip empty ones.
class References {
 public:
  explicit References(EventReferences& out) : out_(out) {}

  void run(int number) { out_.run(number); }
  void runs(const std::vector<int>& numbers) {
    for (const int number : numbers) out_.run(number);
  }
  void runs(const std::vector<PlannedRun>& planned) {
    for (const PlannedRun& run : planned) {
      out_.run(run.number);
      if (run.retry_of) out_.run(run.retry_of);
      if (run.continues) out_.run(run.continues);
    }
  }

  void hypothesis(const HypothesisId& id) { out_.hypothesis(id); }
  template <typename WithId>
  void hypotheses(const std::vector<WithId>& all) {
    for (const WithId& one : all) out_.hypothesis(one.id);
  }
  void every_hypothesis() { out_.every_hypothesis(); }

  void blob(const BlobRef& ref) {
    if (!ref.sha256.empty()) out_.blob(ref.sha256, ref.bytes);
  }
  void blob(const BoxedOptional<BlobRef>& ref) {
    if (ref) blob(*ref);
  }
  void blobs(const std::vector<OutputFile>& files) {
    for (const OutputFile& file : files) blob(file.blob);
  }
  void papers(const Literature& literature) {
    for (const Paper& paper : literature.papers)
      if (!paper.text.empty()) out_.blob(paper.text, -1);
  }

  void folder(FolderUse use, const std::string& manifest) {
    if (!manifest.empty()) out_.folder(use, manifest);
  }
  void folder(FolderUse use, const WorkspaceRecord& workspace) { folder(use, workspace.hash.text()); }
  void folder(FolderUse use, const std::optional<WorkspaceRecord>& workspace) {
    if (workspace) folder(use, workspace->hash.text());
  }
  void versions(const std::vector<CodeVersion>& all) {
    for (const CodeVersion& version : all) {
      folder(FolderUse::code_version, version.workspace);
      blob(version.diff);
    }
  }

 private:
  EventReferences& out_;
};

struct Visit {
  References to;

#define ETUDE_EVENT(Type, listing, audited, ...)     \
  void operator()([[maybe_unused]] const Type& e) {  \
    static_cast<void>(0) __VA_OPT__(, ) __VA_ARGS__; \
  }
#include "kernel/domain/events.def"
};

/// The types whose rows name a folder; an empty string for the others.
constexpr std::string_view with_folders[] = {
#define ETUDE_EVENT(Type, listing, audited, ...) \
  std::string_view(#__VA_ARGS__).find("to.folder(") != std::string_view::npos ? #Type : "",
#include "kernel/domain/events.def"
};

}  // namespace

void each_reference(const EventBody& body, EventReferences& out) {
  std::visit(Visit{References(out)}, static_cast<const EventVariant&>(body));
}

bool may_name_folders(std::string_view type, std::string_view payload) {
  // Every event that names a folder has a member called `workspace`.
  return std::ranges::find(with_folders, type) != std::end(with_folders) &&
         payload.find("\"workspace\"") != std::string_view::npos;
}

std::vector<std::string_view> moment_types() {
  enum class Listing { moment, detail };
  using enum Listing;
  std::vector<std::string_view> types;
#define ETUDE_EVENT(Type, listing, audited, ...) \
  if (listing == moment) types.emplace_back(#Type);
#include "kernel/domain/events.def"
  return types;
}

}  // namespace kernel
