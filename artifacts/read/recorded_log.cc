#include "artifacts/read/recorded_log.h"

#include <algorithm>
#include <stdexcept>

#include "artifacts/read/references.h"
#include "artifacts/text/untrusted_text.h"
#include "base/digest.h"
#include "kernel/codec/codec.h"

namespace artifacts {

namespace {

class LogReading {
 public:
  explicit LogReading(const LogObserver& observer) : observer_(observer) {}

  kernel::Result<RecordedLog> read(const SafeRoot& root) {
    const FileBytes read = root.stream(log_file, largest_log, [&](std::string_view piece) { take(piece); });
    if (read.kind != FileKind::regular || read.too_large) return problem(0, "is missing, or larger than 1 GB");
    return finish();
  }

  void take(std::string_view piece) {
    rest_ += piece;
    std::size_t start = 0;
    for (std::size_t end = 0; (end = rest_.find('\n', start)) != std::string::npos; start = end + 1)
      if (wrong_.empty()) line(std::string_view(rest_).substr(start, end - start));
    rest_.erase(0, start);
  }

  kernel::Result<RecordedLog> finish() {
    if (!wrong_.empty()) return problem(static_cast<int>(events_), wrong_);
    if (!rest_.empty()) return problem(static_cast<int>(events_) + 1, "ends in the middle of a line");
    kernel::Study* study = state_.study(study_);
    if (!study) return problem(0, "holds no study");
    for (const kernel::Experiment& e : study->experiments)
      if (kernel::sha256_hex(kernel::canonical(e.registration)) != e.hash)
        return problem(0, "the registration of " + printable(e.registration.experiment) + " does not have its hash");
    return RecordedLog{std::move(*study), chain_.head(), events_, version_};
  }

 private:
  static kernel::Problem problem(int line, std::string why) { return {log_file, line, "", std::move(why), ""}; }

  void line(std::string_view text) {
    ++events_;
    const auto event = kernel::read_event_line(text);
    if (!event) {
      wrong_ = "holds a line that is no event";
    } else if (!chain_.add(*event).empty()) {
      wrong_ = "was changed: its chain is broken";
    } else if (!study_.empty() && event->study != study_) {
      wrong_ = "holds the events of two studies";
    } else {
      study_ = event->study;
      version_ = std::max(version_, event->version);
      fold(*event);
    }
  }

  void fold(const kernel::StoredEvent& event) {
    try {
      const kernel::Event decoded = event.decoded();
      if (observer_) observer_(state_.study(study_), decoded, static_cast<int>(events_));
      kernel::apply(state_, decoded);
    } catch (const std::logic_error&) {
      wrong_ = "holds events that no study could have had";
    } catch (const std::runtime_error& error) {
      wrong_ = shortened(printable(error.what()), 200);
    }
  }

  const LogObserver& observer_;
  kernel::State state_;
  kernel::Chain chain_;
  std::string study_, wrong_, rest_;
  long long events_ = 0;
  int version_ = 1;
};

}  // namespace

kernel::Result<RecordedLog> read_log(const SafeRoot& root, const LogObserver& observer) {
  return LogReading(observer).read(root);
}

kernel::Result<RecordedLog> read_log_text(std::string_view bytes, const LogObserver& observer) {
  LogReading reading(observer);
  reading.take(bytes);
  return reading.finish();
}

}  // namespace artifacts
