#include "config/notify_settings.h"

#include <array>

#include "studyfile/yaml/value.h"

namespace config {

using studyfile::keep;
using studyfile::Value;

namespace {

constexpr double longest_s = 600;

void read_command(const Value& value, std::vector<std::string>& into) {
  if (value.is_scalar()) {
    if (const auto text = value.text()) into = {"/bin/sh", "-c", *text};
    return;
  }
  const auto words = value.list("word");
  if (!words) return;
  for (const Value& word : *words)
    if (const auto text = word.spelling()) into.push_back(*text);
  if (words->empty()) value.refuse("the command is empty", "write the program and its arguments");
}

void read_webhook(const Value& value, Notify& into) {
  if (!value.is_mapping()) return read_url(value, into.url);
  const auto fields = value.fields({{"env"}});
  if (!fields) return;
  if (const auto variable = fields->need("env", "name the variable that holds the address")) {
    keep(variable->text(), into.url_env);
    if (!into.url_env.empty() && !is_variable(into.url_env))
      variable->refuse("this is no name of a variable", "name the variable that holds the address");
  }
}

void read_receiver(const Value& value, std::vector<Notify>& into) {
  Notify notify;
  const auto fields = value.fields({{"command"}, {"webhook"}, {"headers"}, {"on"}, {"timeout"}});
  if (!fields) return;
  const auto command = fields->find("command"), webhook = fields->find("webhook"), headers = fields->find("headers");
  if (command && webhook)
    return value.refuse("`command` and `webhook` are two receivers", "write them as two entries of a list");
  if (!command && !webhook) return value.refuse_absent("command", "give a `command`, or the address of a `webhook`");
  if (command) read_command(*command, notify.command);
  if (webhook) read_webhook(*webhook, notify);
  if (headers && command) return headers->refuse("a command has no headers", "leave them out");
  if (headers) read_headers(*headers, notify.headers);
  if (const auto on = fields->find("on"))
    if (const auto events = on->list("event")) {
      notify.on.clear();
      for (const Value& event : *events)
        if (const auto chosen = event.choice<NotifyOn>({{"ended", NotifyOn::ended},
                                                        {"failed", NotifyOn::failed},
                                                        {"waits", NotifyOn::waits},
                                                        {"paused", NotifyOn::paused}}))
          notify.on.insert(*chosen);
      if (events->empty()) on->refuse("nothing would ever be told", "name events, or leave `on` out for all");
    }
  if (const auto timeout = fields->find("timeout"))
    if (const auto seconds = timeout->duration()) {
      notify.timeout_s = *seconds;
      if (*seconds > longest_s) timeout->refuse("this is longer than 10 minutes", "a receiver answers within seconds");
    }
  into.push_back(std::move(notify));
}

}  // namespace

std::string_view name(NotifyOn on) {
  constexpr std::array<std::string_view, 4> names = {"ended", "failed", "waits", "paused"};
  return names.at(static_cast<std::size_t>(on));
}

std::string Notify::shown() const {
  if (!url_env.empty()) return "webhook $" + url_env;
  if (!url.empty()) return "webhook " + models::shown_url(url);
  return "command " + (command.size() == 3 && command[0] == "/bin/sh" && command[1] == "-c" ? command[2] : command[0]);
}

void read_notify(const Value& value, std::vector<Notify>& into) {
  if (!value.is_list()) return read_receiver(value, into);
  if (const auto entries = value.list("receiver"))
    for (const Value& entry : *entries) read_receiver(entry, into);
}

}  // namespace config
