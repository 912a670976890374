#pragma once
// What a person sees while a study runs: one status line on a terminal, plain lines elsewhere, JSON lines on request.
// Told of events on one thread and of what models say on another; prints counts and failures, never a registered run's
// metrics.

#include <mutex>
#include <string>

#include "kernel/loop/observer.h"

namespace cli {

class LiveView : public kernel::Observer {
 public:
  enum class Style { terminal, plain, json_lines, silent };
  static Style style_for(bool as_json);

  /// `words`: what models say is printed outside a terminal, too: lines as they end, JSON as it comes.
  explicit LiveView(Style style, bool words = false) : style_(style), words_wanted_(words) {}
  void committed(const kernel::Event&, const kernel::State&) override;
  void refused(const kernel::Command&, const std::string& reason) override;
  /// Whether `said` does anything.
  bool listens() const { return style_ == Style::terminal || (words_wanted_ && style_ != Style::silent); }
  /// Some more of what a model says on a line of work.
  void said(const std::string& line, const std::string& text);
  /// Ends the status line.
  void finish();

 private:
  void clear();
  void line(const std::string& text);
  void show_words();
  /// What has been said to the end of its last line, or all of it.
  void print_words(bool all);
  /// `ended`: a run just has.
  void status(const kernel::Study&, bool ended);

  std::mutex mutex_;  ///< Guards all below.
  const Style style_;
  const bool words_wanted_;
  std::string speaker_, words_;  ///< What is not printed yet; on a terminal the end of what was said.
  bool status_shown_ = false;
  int printed_tenths_ = -1;
  std::int64_t status_ms_ = 0;
};

}  // namespace cli
