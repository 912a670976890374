#pragma once
// Reads `notify:` of the configuration: who is told when a study ends, fails, waits or is paused. Records
// problems in the values that it is given.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/wire_settings.h"

namespace config {

/// `waits`: for a person's decision at a gate, a model's provider, or the place where jobs run.
enum class NotifyOn { ended, failed, waits, paused };

/// The name in the configuration and in messages.
std::string_view name(NotifyOn);

/// One receiver: a command, or an address that gets a POST.
struct Notify {
  std::vector<std::string> command{};  ///< Arguments; empty if it is an address.
  std::string url{};
  std::string url_env{};                    ///< The variable that holds the address; empty if `url` is it.
  std::map<std::string, Header> headers{};  ///< Of the POST.
  std::set<NotifyOn> on{NotifyOn::ended, NotifyOn::failed, NotifyOn::waits, NotifyOn::paused};
  double timeout_s = 30;

  /// What it is, for messages: never a secret.
  std::string shown() const;
};

/// One receiver, or a list of them.
void read_notify(const studyfile::Value&, std::vector<Notify>& into);

}  // namespace config
