#include <fstream>

#include <unistd.h>

#include "executors/ask.h"
#include "executors/find_program.h"
#include "executors/sandbox.h"

namespace executors {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// The value of a kernel setting; empty where there is none of that name.
std::string setting(const char* name) {
  std::ifstream file("/proc/sys/" + std::string(name));
  std::string value;
  file >> value;
  return value;
}

std::string remedy_for(const std::string& message) {
  if (setting("user/max_user_namespaces") == "0") return "as root: sysctl -w user.max_user_namespaces=15000";
  if (setting("kernel/unprivileged_userns_clone") == "0" && getuid() != 0)
    return "as root: sysctl -w kernel.unprivileged_userns_clone=1";
  if (setting("kernel/apparmor_restrict_unprivileged_userns") == "1")
    return "as root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or give bwrap an AppArmor profile with "
           "`userns,`";
  if (message.find("nknown option") != std::string::npos) return "install bubblewrap 0.8 or newer";
  if (access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0)
    return "start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
           "--security-opt "
           "systempaths=unconfined";
  return "allow user namespaces on this machine, or set `resources.sandbox: none` on your own word";
}

/// The capability lines of /proc/self/status that are not all zero.
std::string capabilities_left(const std::string& status) {
  std::string left;
  for (const char* name : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    const std::size_t at = status.find(std::string(name) + ":\t");
    if (at == std::string::npos) return "no " + std::string(name);
    const std::string value = first_line(status.substr(at + 8));
    if (value.find_first_not_of('0') != std::string::npos) left += (left.empty() ? "" : ", ") + (name + (" " + value));
  }
  return left;
}

}  // namespace

SandboxProbe probe_sandbox(const std::string& search_path) {
  SandboxProbe probe;
  probe.bwrap = find_on_path("bwrap", search_path);
  if (probe.bwrap.empty()) {
    probe.why = "bubblewrap is not installed";
    probe.remedy = "install it: apt-get install bubblewrap";
    return probe;
  }
  probe.version = first_line(ask({probe.bwrap, "--version"}, {}, 5000).out);
  std::vector<std::string> command{probe.bwrap};
  for (std::string& argument : bare_sandbox()) command.push_back(std::move(argument));
  command.insert(command.end(), {"--", "/usr/bin/cat", "/proc/self/status"});
  const Answer answer = ask(command, {}, 10000);
  if (!answer.ran || answer.exit != 0) {
    const std::string said = first_line(answer.err);
    probe.why = "bubblewrap cannot make a sandbox here: " + (said.empty() ? answer.why : said);
    probe.remedy = remedy_for(answer.err);
    return probe;
  }
  const std::string left = capabilities_left(answer.out);
  if (!left.empty()) {
    probe.why = "a job would keep capabilities in the sandbox: " + left;
    probe.remedy = "install Debian's bubblewrap package in place of " + probe.bwrap;
    return probe;
  }
  probe.works = true;
  return probe;
}

}  // namespace executors
