#pragma once
// What a person sees while a study runs: one status line on a terminal, plain lines elsewhere, JSON lines on request.
// Told of events on the kernel thread; prints counts and failures, never a registered run's metrics.

#include <string>

#include "kernel/observer.h"

namespace cli {

class LiveView : public kernel::Observer {
 public:
  enum class Style { terminal, plain, json_lines, silent };
  static Style style_for(bool as_json);

  explicit LiveView(Style style) : style_(style) {}
  void committed(const kernel::Event&, const kernel::State&) override;
  void refused(const kernel::Command&, const std::string& reason) override;
  /// Ends the status line.
  void finish();

 private:
  void line(const std::string& text);
  /// `ended`: a run just has.
  void status(const kernel::Study&, bool ended);
  void milestone(const kernel::Event&, const kernel::Study&);

  Style style_;
  bool status_shown_ = false;
  int printed_tenths_ = -1;
  std::int64_t status_ms_ = 0;
};

}  // namespace cli
