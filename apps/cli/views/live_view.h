#pragma once
// The output while a study runs: a few lines of status on a terminal, plain lines elsewhere, JSON lines on request.
// Gets events on one thread and text of models on another; prints counts and failures, never a registered run's
// metrics.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/cli/terminal/status_block.h"
#include "apps/cli/views/status_lines.h"
#include "kernel/loop/event_ports.h"

namespace cli {

class LiveView : public kernel::Observer {
 public:
  enum class Style { terminal, plain, json_lines, silent };
  static Style style_for(bool as_json);

  /// `words`: prints the text of models also outside a terminal: by line, or as JSON as it arrives.
  explicit LiveView(Style style, bool words = false) : style_(style), words_wanted_(words) {}
  ~LiveView() override;
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;
  /// How the newest values of open runs are known. To be set before there are events; called on a thread of the view,
  /// which draws the status again each second.
  void show_newest(ReadNewest newest) { newest_ = std::move(newest); }
  /// Calls the function once, with the study of the first event. To be set before there are events.
  void when_open(std::function<void(const kernel::Study&)> call) { when_open_ = std::move(call); }
  void committed(const kernel::Event&, const kernel::State&) override;
  void refused(const kernel::Command&, const std::string& reason) override;
  void executor_waits(const std::string& why) override;
  void memory_is_short(const kernel::MemoryShortage&) override;
  /// Whether `said` has an effect.
  bool listens() const { return style_ == Style::terminal || (words_wanted_ && style_ != Style::silent); }
  /// Gets the next text that a model writes in a conversation.
  void said(const std::string& line, const std::string& text);
  /// Shows a failure that changes no study. Any thread.
  void warn(const std::string& text);
  /// Removes the status.
  void finish();

 private:
  void clear();
  void draw();
  void go_on();
  /// The lines with the values that were read last.
  void draw_status();
  void line(const std::string& text);
  void show_words();
  /// Prints complete lines of the text, or all of it.
  void print_words(bool all);
  /// Whether a run has just ended or begun.
  void status(const kernel::Study&, bool ended, bool begun);

  std::mutex mutex_;  ///< Guards all members below.
  const Style style_;
  const bool words_wanted_;
  std::function<void(const kernel::Study&)> when_open_;
  std::string speaker_, words_;  ///< Text that is not printed yet; on a terminal the end of the text.
  LiveStatus status_;            ///< At the last event.
  std::chrono::steady_clock::time_point status_at_;
  ReadNewest newest_;
  std::map<kernel::LaunchToken, session::NewestValue> values_;  ///< As they were read last.
  std::vector<std::string> lines_;                              ///< The status as it was drawn last.
  std::condition_variable over_;
  bool ends_ = false;
  std::thread clock_;
  StatusBlock block_;
  int printed_tenths_ = -1;
  std::int64_t status_ms_ = 0;
};

}  // namespace cli
