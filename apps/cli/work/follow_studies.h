#pragma once
// Studies followed to their rest, whoever owns the home: as its owner where nobody is, else as a client of the one who
// is, in whose place we step when he leaves. Signals, the live view and the exit code are the same either way.

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/terminal/command_context.h"
#include "apps/cli/views/live_view.h"
#include "apps/session/control/session.h"

namespace cli {

/// One study to attend: a new one, or one of the store.
struct Errand {
  std::optional<session::StartRequest> start;
  session::ResumeRequest resume;  ///< Where there is nothing to start.
  bool cancel = false;            ///< It is only taken up to be cancelled, for this reason.
  std::string why;
};

/// How it stands at the end, each in its errand's place. A Problem: one could not be started or taken up.
kernel::Result<std::vector<kernel::Study>> attend(const Context&, LiveView&, std::vector<Errand>);

/// A request by the one who sits here: his environment, and a word by which the study is found again.
session::StartRequest start_request(const kernel::StudySpec&, const std::string& text, int jobs,
                                    const std::string& output);
/// His environment, and a word by which the study is found again.
void sign(session::StartRequest&);

/// The exit code that the study's standing calls for.
int exit_code(const kernel::Study&);
/// Prints how each ended, for people or as `study` shapes, one a line; the worst exit code.
enum class Ended { now, before };
int print_endings(const Context&, const std::vector<kernel::Study>&, Ended = Ended::now);

}  // namespace cli
