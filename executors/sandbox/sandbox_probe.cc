#include <cstdio>
#include <fstream>

#include <unistd.h>

#include "base/own_folder.h"
#include "executors/run_protocol/landlock.h"
#include "executors/run_protocol/run_files.h"
#include "executors/sandbox/sandbox.h"
#include "programs/bundled_programs.h"
#include "programs/run_program.h"

namespace executors {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Value of a kernel setting; empty if there is none of that name.
std::string setting(const std::string& settings, const char* name) {
  std::ifstream file(settings + "/" + name);
  std::string value;
  file >> value;
  return value;
}

/// On a busy machine a start takes long.
constexpr std::chrono::seconds longest_start{60};

struct Cause {
  std::string why, remedy;
};

/// Kernel settings that forbid what bubblewrap needs, the most restrictive first.
struct Forbidding {
  const char* name;
  const char* value;
  const char* why;
  const char* remedy;
};
constexpr Forbidding forbidding[] = {
    {"user/max_user_namespaces", "0", "user namespaces are off (user.max_user_namespaces = 0)",
     "as root: sysctl -w user.max_user_namespaces=15000"},
    {"kernel/unprivileged_userns_clone", "0",
     "unprivileged user namespaces are off (kernel.unprivileged_userns_clone = 0)",
     "as root: sysctl -w kernel.unprivileged_userns_clone=1"},
    {"kernel/apparmor_restrict_unprivileged_userns", "1",
     "AppArmor keeps programs from using user namespaces (kernel.apparmor_restrict_unprivileged_userns = 1)",
     "as root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or give bwrap an AppArmor profile with "
     "`userns,`"}};

/// "bubblewrap 0.6.2" has no --disable-userns, which 0.8.0 added.
bool is_too_old(const std::string& version, const std::string& said) {
  int major = 0, minor = 0;
  const std::size_t at = version.find_first_of("0123456789");
  if (at != std::string::npos && std::sscanf(version.c_str() + at, "%d.%d", &major, &minor) == 2)
    return major == 0 && minor < 8;
  return said.find("nknown option") != std::string::npos;
}

Cause cause_of(const SandboxProbe& probe, const std::string& said, const std::string& settings) {
  if (is_too_old(probe.version, said))
    return {(probe.version.empty() ? "this bubblewrap" : probe.version) + " is too old: it has no --disable-userns",
            "install bubblewrap 0.8.0 or newer in place of " + probe.bwrap};
  for (const Forbidding& one : forbidding)
    if (setting(settings, one.name) == one.value) return {one.why, one.remedy};
  const std::string why = "bubblewrap cannot make a sandbox here: " + said;
  if (access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0)
    return {why,
            "start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
            "--security-opt systempaths=unconfined"};
  return {why, "allow user namespaces on this machine"};
}

/// The capability lines of /proc/self/status that are not zero.
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

std::string walls_here() {
  constexpr char always[] = "a filter of system calls, no_new_privs and the search for its processes";
  const int version = supervisor::landlock::version();
  if (version == 0) return std::string(always) + ", but nothing keeps it from the files of its user (no Landlock)";
  return "Landlock " + std::to_string(version) + ", " + always;
}

SandboxProbe try_out(const std::string& bwrap, const std::string& settings) {
  SandboxProbe probe;
  probe.bwrap = bwrap;
  if (const auto version = programs::run_program({.argv = {probe.bwrap, "--version"}, .limit = longest_start}))
    probe.version = first_line(version->out);
  // The supervisor runs in any sandbox, since it needs no library.
  const std::string reader = kernel::own_folder() + "/etude-supervisor";
  std::vector<std::string> command{probe.bwrap};
  for (std::string& argument : bare_sandbox(reader)) command.push_back(std::move(argument));
  command.insert(command.end(), {"--", reader, supervisor::status_option});
  const auto ran = programs::run_program({.argv = std::move(command), .limit = longest_start});
  if (!ran || ran->exit != 0) {
    const std::string said = ran ? first_line(ran->err) : "";
    Cause cause = cause_of(probe, said.empty() ? programs::why_no_exit(ran) : said, settings);
    probe.why = std::move(cause.why);
    probe.remedy = std::move(cause.remedy);
    return probe;
  }
  const std::string left = capabilities_left(ran->out);
  if (!left.empty()) {
    probe.why = "a job would keep capabilities in the sandbox: " + left;
    probe.remedy = "install Debian's bubblewrap package in place of " + probe.bwrap;
    return probe;
  }
  if (ran->out.find("\nSeccomp:") == std::string::npos) {
    probe.why = "this kernel cannot filter a job's system calls";
    probe.remedy = "use a kernel with CONFIG_SECCOMP_FILTER";
    return probe;
  }
  probe.works = true;
  return probe;
}

}  // namespace

SandboxProbe probe_sandbox(const std::string& search_path, const std::string& settings) {
  const std::vector<std::string> places = programs::places_of_helper("bwrap", search_path);
  if (places.empty())
    return {false, "", "", "bubblewrap is not installed", "install it: apt-get install bubblewrap", walls_here()};
  // A system may allow namespaces only to its own bubblewrap.
  SandboxProbe first = try_out(places.front(), settings);
  for (std::size_t i = 1; i < places.size() && !first.works; ++i)
    if (SandboxProbe other = try_out(places[i], settings); other.works) first = std::move(other);
  if (!first.works) first.walls = walls_here();
  return first;
}

}  // namespace executors
