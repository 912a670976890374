#include "executors/sandbox/sandbox.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <unistd.h>

#include "base/assert.h"
#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"
#include "executors/sandbox/etc_copy.h"
#include "executors/sandbox/image_system.h"
#include "kernel/domain/image_root.h"

namespace executors {
namespace {

namespace fs = std::filesystem;

/// Entries of /etc that programs need: the loader, names, certificates (never keys), and the configuration of runtimes.
/// Without a copy of them (etc_copy.h), each costs a mount; links into /usr are made as links, at no cost.
constexpr const char* etc_entries[] = {
    "ld.so.cache",     "alternatives", "localtime",     "os-release",      "timezone", "ssl/certs",
    "ssl/openssl.cnf", "pki/ca-trust", "pki/tls/certs", "crypto-policies", "fonts",    "mime.types",
    "protocols",       "services",     "OpenCL",        "openmpi",         "R",        "texmf",
    "matplotlibrc"};
constexpr const char* etc_families[] = {"java-", "python3.", "ImageMagick-"};
/// System folders that merged-usr systems keep as links into /usr.
constexpr const char* usr_links[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

class Arguments {
 public:
  template <typename... Words>
  void add(const Words&... words) {
    (list.emplace_back(words), ...);
  }
  void read_only(const std::string& path) { add("--ro-bind-try", path, path); }

  void add_all(const std::vector<std::string>& words) { list.insert(list.end(), words.begin(), words.end()); }

  std::vector<std::string> list;
};

void add_isolation(Arguments& a, bool network) {
  a.add("--unshare-user", "--unshare-all");
  if (network) a.add("--share-net");
  a.add("--disable-userns", "--cap-drop", "ALL", "--new-session", "--die-with-parent", "--as-pid-1");
  a.add("--hostname", "etude");
}

void add_etc(Arguments& a, const std::string& path) {
  if (const std::string target = target_in_usr(path); !target.empty())
    a.add("--symlink", target, path);
  else if (access(path.c_str(), F_OK) == 0)
    a.read_only(path);
}

/// Names below /etc, which may not exist.
std::vector<std::string> etc_names() {
  std::vector<std::string> names(std::begin(etc_entries), std::end(etc_entries));
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/etc", error))
    for (const char* family : etc_families)
      if (entry.path().filename().string().starts_with(family)) names.push_back(entry.path().filename());
  std::sort(names.begin() + std::size(etc_entries), names.end());
  return names;
}

/// `etc`: a folder to show as /etc; empty: entries of /etc are shown one by one.
void add_system(Arguments& a, bool network, const std::string& etc) {
  std::error_code error;
  a.read_only("/usr");
  for (const char* link : usr_links) {
    const fs::path target = fs::read_symlink(link, error);
    if (!error)
      a.add("--symlink", target.string(), link);
    else if (fs::is_directory(link, error))
      a.read_only(link);
  }
  if (!etc.empty())
    a.add("--ro-bind", etc, "/etc");
  else
    for (const std::string& name : etc_names()) add_etc(a, "/etc/" + name);
  if (network)
    for (const char* entry : etc_for_network) a.read_only("/etc/" + std::string(entry));
  a.read_only("/sys/devices/system/cpu");
}

std::vector<std::string> words_of_system(bool network, const std::string& image, const std::string& etc = "") {
  if (!image.empty()) return words_of_image(image, network);
  Arguments a;
  add_system(a, network, etc);
  return std::move(a.list);
}

void add_devices(Arguments& a, const GpuNodes& gpus) {
  // Remounting these read-only would disable the device; the supervisor seals all paths bound with --dev-bind.
  for (const auto& [outside, place] : gpus.devices) a.add("--dev-bind", outside, place);
  for (const auto& [outside, place] : gpus.folders) a.add("--ro-bind", outside, place);
  for (const auto& [target, place] : gpus.links) a.add("--symlink", target, place);
}

/// `memory`: the job's limit, because files in /dev/shm use memory, too. 0: no separate limit.
void add_own_file_systems(Arguments& a, std::int64_t memory, const GpuNodes& gpus) {
  // Root owns /proc/sys even without capabilities: only a read-only mount keeps a root job from writing core_pattern.
  // (Its device nodes are made read-only before bubblewrap runs.)
  a.add("--proc", "/proc");
  // It lists the keys of the user and of other runs, and there is no namespace for keys.
  if (access("/proc/keys", F_OK) == 0) a.add("--ro-bind", "/dev/null", "/proc/keys");
  a.add("--remount-ro", "/proc", "--dev", "/dev");
  a.add("--perms", "1777");
  if (memory > 0) a.add("--size", std::to_string(memory));
  a.add("--tmpfs", "/dev/shm");
  add_devices(a, gpus);
  a.add("--remount-ro", "/dev");
}

/// Files below /etc.
std::vector<EtcFile> written_files(bool network) {
  const std::string user = std::to_string(getuid());
  const std::string group = std::to_string(getgid());
  std::string passwd = "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
  std::string groups = "nogroup:x:65534:\n";
  if (getuid() != 0) passwd += "root:x:0:0:root:/root:/usr/sbin/nologin\n";
  if (getgid() != 0) groups += "root:x:0:\n";
  passwd += (getuid() == 0 ? "root" : "etude") + (":x:" + user) + ":" + group + "::" + inside::home + ":/bin/sh\n";
  groups += (getgid() == 0 ? "root" : "etude") + (":x:" + group) + ":\n";
  std::vector<EtcFile> files = {
      {"passwd", passwd}, {"group", groups}, {"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"}};
  if (!network) files.emplace_back("hosts", "127.0.0.1 localhost etude\n::1 localhost etude\n");
  return files;
}

/// `copies`: where copies of /etc are kept; empty: nowhere.
SystemView look_at_system(bool network, const std::string& image, const std::string& copies) {
  const std::vector<EtcFile> files = written_files(network);
  // Jobs with a network see files that this machine changes at any time.
  const bool copied = image.empty() && !network && !copies.empty();
  if (const std::string etc = copied ? copy_of_etc("/etc", etc_names(), files, copies) : ""; !etc.empty())
    return {words_of_system(network, image, etc), {}, etc};
  SystemView view{words_of_system(network, image), {}, ""};
  for (const auto& [name, text] : files) view.files.emplace_back("/etc/" + name, text);
  return view;
}

/// The part of job and evaluation alike. `own`: the folder of its temporary files.
Arguments surroundings(const kernel::JobSpec& spec, const SystemView& system, bool network, const std::string& own,
                       const GpuNodes& gpus) {
  Arguments a;
  const auto image = kernel::image_of(spec.toolchain);
  const std::string tmp = own + supervisor::tmp_folder;
  add_isolation(a, network);
  a.add_all(system.words);
  add_own_file_systems(a, spec.resources.memory_bytes.value_or(0), gpus);
  a.add("--bind", tmp, "/tmp");
  if (image && !gpus.devices.empty()) a.add_all(words_of_driver());
  if (!image || makes_var_tmp(*image))
    a.add("--symlink", "../tmp", "/var/tmp");
  else if (has_var_tmp(*image))
    a.add("--bind", tmp, "/var/tmp");
  for (const std::string& prefix : spec.toolchain.prefixes)
    if (!image || prefix != kernel::image_entry(*image)) a.add("--ro-bind", prefix, prefix);
  return a;
}

/// Mounted over the job's own copy. Folders above a mount could be renamed unless they are mount points, too.
void add_protected(Arguments& a, const std::string& work, const std::vector<std::string>& files) {
  std::set<std::string> folders;
  for (const std::string& file : files)
    for (std::size_t slash = file.find('/'); slash != file.npos; slash = file.find('/', slash + 1))
      folders.insert(file.substr(0, slash));
  const auto inside = [](const std::string& path) { return std::string(inside::work) + "/" + path; };
  for (const std::string& folder : folders) a.add("--bind", work + folder, inside(folder));
  for (const std::string& file : files) a.add("--ro-bind", work + file, inside(file));
}

}  // namespace

bool SystemFiles::is_fresh(const Look& look, std::int64_t now) const {
  return !look.view.words.empty() && now - look.at_ms < fresh_ms &&
         (look.view.etc.empty() || access(look.view.etc.c_str(), F_OK) == 0);
}

const SystemView& SystemFiles::view(const kernel::JobSpec& spec, bool network) {
  const std::int64_t now = supervisor::boot_ms();
  const std::string image = kernel::image_of(spec.toolchain).value_or("");
  const std::string copies = machine_ == OfMachine::this_one ? etc_copies_of(spec.folder) : "";
  Look& look = looks_[{image, network, copies}];
  if (!is_fresh(look, now)) look = {look_at_system(network, image, copies), now};
  return look.view;
}

AllowedPaths allowed_paths(const kernel::JobSpec& spec, const std::string& checkpoint, const GpuNodes& gpus) {
  AllowedPaths allowed;
  std::vector<std::string>& read = allowed.read;
  read = {"/usr", "/proc", "/sys/devices/system/cpu", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts"};
  read.insert(read.end(), std::begin(usr_links), std::end(usr_links));
  for (const std::string& name : etc_names()) read.push_back("/etc/" + name);
  if (spec.resources.network)
    for (const char* entry : etc_for_network) read.push_back("/etc/" + std::string(entry));
  read.insert(read.end(), spec.toolchain.prefixes.begin(), spec.toolchain.prefixes.end());
  for (const kernel::DataMount& data : spec.data) read.push_back(data.path);
  for (const kernel::DataMount& file : spec.continued) read.push_back(file.path);
  for (const auto& [outside, place] : gpus.folders) read.push_back(outside);
  const std::string run = spec.folder + "/";
  if (!spec.continued.empty()) read.push_back(run + supervisor::continue_folder);
  read.push_back(run + supervisor::params_file);
  allowed.write = {"/dev/null",
                   "/dev/zero",
                   "/dev/full",
                   "/dev/random",
                   "/dev/urandom",
                   "/dev/tty",
                   "/dev/shm",
                   checkpoint,
                   run + supervisor::work_folder,
                   run + supervisor::out_folder,
                   run + supervisor::tmp_folder,
                   run + supervisor::metrics_file};
  for (const auto& [outside, place] : gpus.devices) allowed.write.push_back(outside);
  return allowed;
}

std::vector<std::string> bare_sandbox(const std::string& program, const std::string& image) {
  Arguments a;
  add_isolation(a, false);
  a.add_all(words_of_system(false, image));
  add_own_file_systems(a, 1 << 20, {});
  if (!program.empty()) a.add("--ro-bind", program, program);
  a.add("--remount-ro", "/");
  return std::move(a.list);
}

SandboxPlan plan_sandbox(const kernel::JobSpec& spec, SystemFiles& system, const std::string& checkpoint,
                         const GpuNodes& gpus) {
  const bool network = spec.resources.network;
  const std::string run = spec.folder + "/";
  const SystemView& seen = system.view(spec, network);
  Arguments a = surroundings(spec, seen, network, run, gpus);
  a.add("--bind", run + supervisor::work_folder, inside::work, "--bind", run + supervisor::out_folder, inside::out);
  for (const kernel::DataMount& entry : spec.prepared)
    a.add("--ro-bind", entry.path, inside::work + ("/" + entry.name));
  add_protected(a, run + supervisor::work_folder + "/", spec.protect);
  a.add("--bind", checkpoint, inside::checkpoint);
  a.add("--bind", run + supervisor::metrics_file, inside::metrics);
  a.add("--ro-bind", run + supervisor::params_file, inside::params);
  for (const kernel::DataMount& data : spec.data) a.add("--ro-bind", data.path, inside::data + data.name);
  for (const kernel::DataMount& file : spec.continued)
    a.add("--ro-bind", file.path, inside::continued + ("/" + file.name));
  a.add("--chdir", inside::work, "--remount-ro", "/");
  return {std::move(a.list), seen.files};
}

SandboxPlan plan_evaluation(const kernel::JobSpec& spec, SystemFiles& system, const GpuNodes& gpus) {
  ETUDE_ASSERT(spec.evaluation);
  const std::string run = spec.folder + "/", own = run + supervisor::evaluator_folder + "/";
  const SystemView& seen = system.view(spec, false);
  Arguments a = surroundings(spec, seen, false, own, gpus);
  a.add("--bind", own + supervisor::work_folder, inside::work);
  for (const kernel::DataMount& entry : spec.prepared)
    a.add("--ro-bind", entry.path, inside::work + ("/" + entry.name));
  for (const kernel::DataMount& data : spec.evaluation->data)
    a.add("--ro-bind", data.path, inside::work + ("/" + data.name));
  a.add("--remount-ro", inside::work);
  a.add("--ro-bind", run + supervisor::out_folder, inside::out);
  if (!spec.workspace.empty()) a.add("--ro-bind", spec.workspace, inside::code);
  a.add("--bind", own + supervisor::metrics_file, inside::metrics);
  a.add("--ro-bind", run + supervisor::params_file, inside::params);
  for (const kernel::DataMount& data : spec.data) a.add("--ro-bind", data.path, inside::data + data.name);
  a.add("--chdir", inside::work, "--remount-ro", "/");
  return {std::move(a.list), seen.files};
}

}  // namespace executors
