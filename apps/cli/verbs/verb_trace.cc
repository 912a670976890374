// `trace`: a study's timeline as a file for Perfetto.
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/watch/study_trace.h"
#include "base/fd.h"
#include "memory/store/reader.h"
#include "prose/numbers.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

struct TraceOptions {
  std::string study, file;
  bool force = false;
};

/// A file that takes its name only once it is complete.
class TraceFile {
 public:
  explicit TraceFile(const fs::path& target)
      : target_(target),
        path_(target.parent_path() / fmt::format(".{}.etude-{}", target.filename().string(), getpid())),
        fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)) {
    if (!fd_) throw std::system_error(errno, std::generic_category(), printable(target_.string()));
  }
  ~TraceFile() {
    std::error_code gone;
    fs::remove(path_, gone);
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void add(std::string_view bytes) {
    constexpr std::size_t enough = 256 << 10;
    waiting_ += bytes;
    if (waiting_.size() >= enough) write();
  }
  void finish() {
    write();
    fs::rename(path_, target_);
  }

 private:
  void write() {
    if (!kernel::write_all(fd_.get(), waiting_))
      throw std::system_error(errno, std::generic_category(), printable(target_.string()));
    waiting_.clear();
  }

  const fs::path target_, path_;
  const kernel::Fd fd_;
  std::string waiting_;
};

int trace(const Context& context, const TraceOptions& options) {
  const memory::Reader reader(context.home());
  const auto id = find_study(options.study, reader.ids());
  if (!id) return fail(bad_input, id.problem());
  const fs::path target = absolute_path(options.file);
  if (!fs::is_directory(target.parent_path()))
    return fail(bad_input, printable(target.string()), "its parent folder does not exist", "make it first");
  if (fs::is_directory(target))
    return fail(bad_input, printable(target.string()), "it is a folder", "name a file in it");
  if (fs::exists(fs::symlink_status(target)) && !options.force)
    return fail(bad_input, printable(target.string()), "it already exists", "--force replaces it");

  TraceFile file(target);
  const kernel::TraceCounts counts =
      session::write_trace(reader, *id, [&](std::string_view bytes) { file.add(bytes); });
  file.finish();

  if (context.json)
    print_json({{"study", *id},
                {"file", target.string()},
                {"lanes", counts.lanes},
                {"slices", counts.slices},
                {"flows", counts.flows}});
  else
    fmt::print(
        "trace     {}\nholds     {} in {}, {}\nopen it   https://ui.perfetto.dev, which reads it in the browser\n",
        printable(target.string()), prose::counted(counts.slices, "slice"), prose::counted(counts.lanes, "lane"),
        prose::counted(counts.flows, "flow"));
  return ok;
}

}  // namespace

void add_trace(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb(app, context, "trace", "what ran when, as a file for Perfetto", trace);
  verb->add_option("ID", options->study, "the study, or the beginning of its id")->required();
  verb->add_option("-o,--output", options->file, "the file to make (Trace Event Format, JSON)")->required();
  verb->add_flag("--force", options->force, "replace FILE if it exists");
}

}  // namespace cli
