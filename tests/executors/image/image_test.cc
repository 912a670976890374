// Images of Apptainer: the format of SIF, what is unpacked where, and what a job in an image sees.
#include <algorithm>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

#include "executors/image/image_file.h"
#include "executors/image/image_paths.h"
#include "executors/image/unpacked_image.h"
#include "executors/local/apptainer_exec.h"
#include "executors/sandbox/image_system.h"
#include "executors/slurm/shared_folder.h"
#include "kernel/domain/image_root.h"
#include "programs/find_program.h"
#include "tests/executors/toolchain/test_machine.h"

using namespace executors;
using Catch::Matchers::Contains;
using test::Folder;
using test::Machine;

namespace {

constexpr const char* usual_path = "/usr/local/bin:/usr/bin:/bin";

std::string little_endian(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

std::string padded(std::string bytes, std::size_t size) {
  bytes.resize(size, '\0');
  return bytes;
}

struct Partition {
  std::uint64_t system = 1, role = 2, kind = 0x4004;
  bool used = true;
};

/// A SIF file as its specification describes it, with `data` in every partition.
std::string sif(const std::vector<Partition>& partitions, const std::string& data) {
  constexpr std::uint64_t first_descriptor = 4096, first_data = 32768;
  const std::uint64_t count = partitions.size();
  std::string file = padded("#!/usr/bin/env run-singularity\n", 32) + padded("SIF_MAGIC", 10) + padded("01", 3) +
                     padded("02", 3) + std::string(16, '\7');
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}, count, first_descriptor,
                                     count * 585, first_data, static_cast<std::uint64_t>(data.size()) * count})
    file += little_endian(number, 8);
  file = padded(file, first_descriptor);
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const Partition& one = partitions[i];
    std::string descriptor = little_endian(one.kind, 4) + (one.used ? '\1' : '\0') + little_endian(i + 1, 4) +
                             little_endian(0, 8) + little_endian(first_data + i * data.size(), 8) +
                             little_endian(data.size(), 8) + little_endian(data.size(), 8) + std::string(32, '\0');
    descriptor = padded(descriptor, 201) + little_endian(one.system, 4) + little_endian(one.role, 4) + padded("02", 3);
    file += padded(descriptor, 585);
  }
  file = padded(file, first_data);
  for (std::size_t i = 0; i < partitions.size(); ++i) file += data;
  return file;
}

ImageFile looked_at(const std::string& path) {
  const auto image = look_at_image(path);
  INFO((image ? "" : image.problem().text()));
  REQUIRE(image);
  return *image;
}

/// A small system: busybox as /bin/sh, an environment as Apptainer writes it, and a program.
bool make_root(const std::string& root) {
  const std::string busybox = programs::find_on_path("busybox", "/usr/bin:/bin");
  if (busybox.empty() || !test::read(busybox).starts_with("\x7f"
                                                          "ELF")) {
    WARN("skipped: there is no busybox");
    return false;
  }
  namespace fs = std::filesystem;
  for (const char* folder : {"/bin", "/etc", "/usr/bin", "/var/tmp", "/dev", "/.singularity.d/env"})
    fs::create_directories(root + folder);
  fs::copy_file(busybox, root + "/bin/busybox");
  chmod((root + "/bin/busybox").c_str(), 04755);
  for (const char* tool : {"sh", "cat", "echo", "ls"}) fs::create_symlink("busybox", root + "/bin/" + tool);
  test::write(root + "/etc/os-release", "ID=small\nPRETTY_NAME=\"A small system 7\"\n");
  test::write(root + "/etc/passwd", "someone:x:5:5::/:/bin/sh\n");
  fs::create_symlink("os-release", root + "/etc/release");
  test::write(root + "/.singularity.d/env/10-base.sh", "export PATH=/opt/bin:/bin\n");
  test::write(root + "/.singularity.d/env/90-environment.sh",
              "export SCALE=3 GPG_KEY=E3FF2839C048B25C084DEBE9B26995E310250568\n");
  test::write(root + "/.singularity.d/labels.json", R"({"org.label-schema.version": "1.4", "n": 3})");
  test::program(root + "/opt/bin/scale", "#!/bin/sh\necho scale $1 $SCALE\n");
  return true;
}

}  // namespace

TEST_CASE("the root of a SIF file is its primary partition, wherever it stands") {
  const Folder folder;
  const std::string data = "hsqs" + std::string(300, 'x');
  test::write(folder / "one.sif", sif({{}}, data));
  const ImageFile one = looked_at(folder / "one.sif");
  CHECK((one.system == "squashfs" && one.offset == 32768 && !one.folder));
  CHECK(one.bytes == static_cast<std::int64_t>(32768 + data.size()));
  // A definition file, a deleted partition and an overlay stand before it.
  test::write(folder / "more.sif", sif({{.kind = 0x4001}, {.used = false}, {.role = 4}, {}}, data));
  CHECK(looked_at(folder / "more.sif").offset == static_cast<std::int64_t>(32768 + 3 * data.size()));
  test::write(folder / "plain.squashfs", data);
  CHECK(looked_at(folder / "plain.squashfs").offset == 0);
  test::write(folder / "secret.sif", sif({{.system = 5}}, data));
  CHECK(looked_at(folder / "secret.sif").system == "encrypted squashfs");
  CHECK(looked_at(folder.path()).folder);
}

TEST_CASE("what is no whole image is refused with its reason") {
  const Folder folder;
  const auto refusal = [&](const std::string& text) {
    test::write(folder / "image", text);
    const auto image = look_at_image(folder / "image");
    return image ? "taken" : image.problem().text();
  };
  const std::string data = "hsqs" + std::string(300, 'x'), whole = sif({{}}, data);
  CHECK_THAT(refusal("not at all"), Contains("is no image: neither a SIF file nor squashfs nor a folder"));
  CHECK_THAT(refusal(""), Contains("is no image"));
  CHECK_THAT(refusal(sif({{.role = 3}}, data)), Contains("without a whole root file system"));
  CHECK_THAT(refusal(whole.substr(0, whole.size() - 1)), Contains("without a whole root file system"));
  CHECK_THAT(refusal(whole.substr(0, 4096 + 100)), Contains("without a whole root file system"));
  // A count and an offset beyond all measure.
  CHECK_THAT(refusal(whole.substr(0, 88) + std::string(8, '\x7f') + whole.substr(96)),
             Contains("without a whole root"));
  CHECK_THAT(refusal(whole.substr(0, 96) + std::string(8, '\xff') + whole.substr(104)),
             Contains("without a whole root"));
  const auto missing = look_at_image(folder / "nowhere.sif");
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.problem().text(), Contains("there is no image at " + (folder / "nowhere.sif")));
}

TEST_CASE("the paths of an image lead nowhere outside it") {
  const Folder folder;
  const std::string root = folder / "root";
  test::program(root + "/usr/bin/tool", "#!/bin/sh\n");
  test::write(folder / "outside", "of another");
  test::write(root + "/usr/text", "inside");
  std::filesystem::create_symlink("/usr/bin", root + "/bin");
  std::filesystem::create_symlink("../../../../outside", root + "/usr/up");
  std::filesystem::create_symlink("/usr/../usr/text", root + "/usr/round");
  std::filesystem::create_symlink("loop", root + "/loop");
  CHECK(place_in_image(root, "/bin/tool") == root + "/usr/bin/tool");
  CHECK(program_of_image(root, "tool", {"relative", "/nowhere", "/bin"}) == "/bin/tool");
  CHECK(text_of_image(root, "/usr/round") == "inside");
  CHECK_FALSE(text_of_image(root, "/usr/up"));
  CHECK(place_in_image(root, "/loop").empty());
  CHECK(place_in_image(root, "/../..") == root);
}

TEST_CASE("an image's file is unpacked once, for its user, without devices and set-user-ID programs") {
  const std::string mksquashfs = programs::find_on_path("mksquashfs", usual_path);
  if (mksquashfs.empty()) {
    WARN("skipped: there is no mksquashfs");
    return;
  }
  const Folder folder;
  const std::string root = folder / "root";
  if (!make_root(root)) return;
  if (geteuid() == 0) CHECK(mknod((root + "/dev/thing").c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0);
  test::write(root + "/closed/file", "x");
  chmod((root + "/closed/file").c_str(), 0000);
  chmod((root + "/closed").c_str(), 0000);
  test::run_to_end({mksquashfs, root, folder / "root.squashfs", "-quiet", "-no-progress"});
  test::write(folder / "image.sif", sif({{.kind = 0x4001}, {}}, test::read(folder / "root.squashfs")));

  const std::string kept = folder / "home/kept";
  const auto first = unpack_image(looked_at(folder / "image.sif"), kept, usual_path);
  INFO((first ? "" : first.problem().text()));
  REQUIRE(first);
  CHECK(first->folder == kept + "/" + first->place);
  CHECK(first->place.size() == 64);
  CHECK(first->sha256 != first->place);
  CHECK(text_of_image(first->folder, "/closed/file") == "x");
  CHECK_FALSE(test::exists(first->folder + "/dev/thing"));
  struct stat about {};
  REQUIRE(stat((first->folder + "/bin/busybox").c_str(), &about) == 0);
  CHECK(about.st_uid == geteuid());
  CHECK((about.st_mode & (S_ISUID | S_IXUSR)) == S_IXUSR);
  CHECK(std::filesystem::is_empty(kept + "/tmp"));

  // Another copy of the same bytes needs no unpacking, so no program for it.
  std::filesystem::copy_file(folder / "image.sif", folder / "copy.sif");
  const auto again = unpack_image(looked_at(folder / "copy.sif"), kept, "/nonexistent");
  REQUIRE(again);
  CHECK(again->folder == first->folder);

  // A damaged file leaves nothing.
  std::string damaged = test::read(folder / "image.sif");
  std::fill(damaged.end() - 500'000, damaged.end() - 400'000, 'x');
  test::write(folder / "damaged.sif", damaged);
  const auto none = unpack_image(looked_at(folder / "damaged.sif"), folder / "other", usual_path);
  REQUIRE_FALSE(none);
  CHECK_THAT(none.problem().text(), Contains("damaged.sif cannot be unpacked: unsquashfs: "));
  CHECK(std::filesystem::is_empty(folder / "other/tmp"));
  const auto without = unpack_image(looked_at(folder / "damaged.sif"), folder / "other", "/nonexistent");
  REQUIRE_FALSE(without);
  CHECK_THAT(without.problem().text(), Contains("neither `unsquashfs` nor `apptainer` is on PATH"));
  CHECK(without.problem().machine);
}

TEST_CASE("a folder is used as it is, and identified by all that is in it") {
  const Folder folder;
  if (!make_root(folder / "root")) return;
  const auto identity = [&] {
    const auto found = unpack_image(looked_at(folder / "root"), folder / "kept", usual_path);
    REQUIRE(found);
    CHECK((found->folder == folder / "root" && found->place == found->folder));
    return found->sha256;
  };
  const std::string before = identity();
  CHECK(identity() == before);
  test::write(folder / "root/etc/more", "");
  const std::string with_more = identity();
  CHECK(with_more != before);
  test::write(folder / "root/etc/more", "x");
  CHECK(identity() != with_more);
  std::filesystem::remove(folder / "root/bin/sh");
  const auto none = unpack_image(looked_at(folder / "root"), folder / "kept", usual_path);
  REQUIRE_FALSE(none);
  CHECK_THAT(none.problem().text(), Contains("has no /bin/sh"));
}

TEST_CASE("a job in an image sees the image's system, and of this machine nothing") {
  if (!test::has_sandbox()) return;
  Machine machine(
      "scale now; cat /etc/release; cat /etc/passwd; echo \"key: $GPG_KEY\"; ls / /usr/bin; echo x 2>&1 > /bin/new; "
      "echo y > /var/tmp/y && cat /tmp/y; ./mine");
  if (!make_root(machine.folder / "root")) return;
  test::program(machine.folder / "ws/mine", "#!/bin/sh\necho mine\n");
  machine.query.environment.use = "apptainer:" + (machine.folder / "root");
  machine.query.kept = machine.folder / "kept";
  const auto record = machine.record();
  CHECK(record.toolchain.path == std::vector<std::string>{"/opt/bin", "/bin"});
  CHECK(record.toolchain.prefixes == std::vector<std::string>{machine.folder / "root:/"});
  CHECK(record.toolchain.variables == std::map<std::string, std::string>{{"SCALE", "3"}});
  REQUIRE(record.programs.size() >= 3);
  CHECK(record.programs[0].path == machine.folder / "root");
  CHECK_THAT(record.programs[0].version, Catch::Matchers::StartsWith("image, ") && Contains(" bytes, sha256:"));
  CHECK((record.programs[1].name == "system of the image" && record.programs[1].version == "A small system 7"));
  CHECK((record.programs[2].name == "scale" && record.programs[2].path == "/opt/bin/scale"));
  CHECK(record.libraries.at("labels of the image") ==
        std::map<std::string, std::string>{{"org.label-schema.version", "1.4"}});

  const std::string seen = test::seen_inside(machine, record);
  CHECK_THAT(seen, Catch::Matchers::StartsWith("scale now 3\nID=small\n"));
  CHECK_THAT(seen, Contains("nobody:x:65534") && !Contains("someone"));
  CHECK_THAT(seen, Contains("key: \n"));
  CHECK_THAT(seen, Contains("\n/usr/bin:\n") && !Contains("python3"));
  CHECK_FALSE(test::exists(machine.folder / "root/bin/new"));
  CHECK_THAT(seen, Catch::Matchers::EndsWith("y\nmine\n"));

  // A Python that does not answer is no problem for a command that does not need it.
  test::program(machine.folder / "root/opt/bin/python3", "#!/bin/sh\necho no module named encodings >&2; exit 1\n");
  CHECK(machine.record().libraries.size() == 1);
  machine.query.commands = {{true, {"python3 x.py"}}};
  CHECK_THAT(machine.refusal(), Contains("does not answer as a Python: no module named encodings"));
  machine.query.commands = {{true, {"gcc x.c"}}};
  CHECK_THAT(machine.refusal(), Contains("run: `gcc` is not on the image's PATH"));
  machine.query.commands = {{true, {"/usr/bin/python3 x.py"}}};
  CHECK_THAT(machine.refusal(), Contains("`/usr/bin/python3` is no program of the image"));
  machine.query.commands = {{true, {"scale"}}};
  test::write(machine.folder / "root/.singularity.d/env/95-last.sh", "exit 3\n");
  CHECK_THAT(machine.refusal(), Contains("the scripts in its /.singularity.d/env fail"));
  test::write(machine.folder / "root/bin/other",
              "\x7f"
              "ELF of another machine");
  chmod((machine.folder / "root/bin/other").c_str(), 0755);
  std::filesystem::remove(machine.folder / "root/bin/sh");
  std::filesystem::create_symlink("other", machine.folder / "root/bin/sh");
  CHECK_THAT(machine.refusal(), Contains("its /bin/sh does not start: ") && Contains("name an image for "));
}

TEST_CASE("without a sandbox an image needs Apptainer, and this is said before anything runs") {
  Machine machine("cat x");
  if (!make_root(machine.folder / "root")) return;
  machine.query.environment.use = "apptainer:" + (machine.folder / "root");
  machine.query.kept = machine.folder / "kept";
  machine.query.sandboxed = false;
  machine.own["PATH"] = "/usr/bin:/bin";
  if (!programs::find_on_path("apptainer", machine.own["PATH"]).empty()) return;
  const auto none = machine.resolve();
  REQUIRE_FALSE(none);
  CHECK(none.problem().machine);
  CHECK_THAT(none.problem().text(), Contains("`resources.sandbox` is `none`, and `apptainer` is not on PATH"));

  // A stand-in that says how it was called, and starts the command outside the image.
  test::program(machine.folder / "opt/apptainer",
                "#!/bin/sh\n[ $1 = --version ] && exec echo apptainer version 1.3.6\necho \"$@\" >> " +
                    (machine.folder / "calls") + "\nwhile [ \"$1\" != " + (machine.folder / "root") +
                    " ]; do shift; done; shift\nexec \"$@\"\n");
  machine.prepend("opt");
  const auto record = machine.record();
  const auto entered = std::ranges::find(record.programs, "apptainer", &kernel::ProgramRecord::name);
  REQUIRE(entered != record.programs.end());
  CHECK(entered->version == "apptainer version 1.3.6");
  CHECK_THAT(
      test::read(machine.folder / "calls"),
      Catch::Matchers::StartsWith("exec --userns --containall " + (machine.folder / "root") + " /bin/sh -c :\n"));
}

TEST_CASE("Apptainer gets the job's folders, its command and its variables") {
  kernel::JobSpec job;
  job.folder = "/runs/1";
  job.toolchain.prefixes = {kernel::image_entry("/images/a")};
  job.data = {{"corpus", "/data/corpus", "data.corpus"}};
  job.gpus = {"0"};
  const JobPlaces places = places_outside(job, "/runs/chain", "/home/me");
  const Variables environment = {{"ETUDE_SEED", "4"}, {"HOME", "/home/me"}, {"PATH", "/opt/bin"}};
  const ApptainerCommand open =
      run_in_apptainer(job, places, false, {"sh", "-c", "true"}, environment, "/usr/bin/apptainer");
  CHECK(open.arguments == std::vector<std::string>{"/usr/bin/apptainer", "exec", "--userns", "--cleanenv", "--nv",
                                                   "--bind", "/runs/1", "--bind", "/runs/chain", "--bind",
                                                   "/data/corpus:/data/corpus:ro", "--pwd", places.work, "/images/a",
                                                   "sh", "-c", "true"});
  CHECK(open.environment.at("APPTAINERENV_ETUDE_SEED") == "4");
  CHECK(open.environment.at("APPTAINERENV_PATH") == "/opt/bin");
  CHECK_FALSE(open.environment.contains("APPTAINERENV_HOME"));
  CHECK(open.environment.at("HOME") == "/home/me");
  const auto closed = run_in_apptainer(job, places, true, {"true"}, environment, "/usr/bin/apptainer").arguments;
  CHECK(test::contains(closed, "--containall"));
}

TEST_CASE("the driver's libraries of this machine are shown to jobs with GPUs beside the image") {
  const Folder folder;
  for (const char* name : {"libcuda.so.550.1", "libnvidia-ml.so.550.1", "libc.so.6"})
    test::write(folder / (std::string("usr/lib/x86_64-linux-gnu/") + name), "");
  std::filesystem::create_symlink("libcuda.so.550.1", folder / "usr/lib/x86_64-linux-gnu/libcuda.so.1");
  const std::vector<std::string> words = words_of_driver(folder.path());
  const std::string real = std::filesystem::canonical(folder.path()) / "usr/lib/x86_64-linux-gnu/";
  CHECK(words == std::vector<std::string>{"--ro-bind", real + "libcuda.so.550.1", "/etude/driver/libcuda.so.1",
                                          "--ro-bind", real + "libcuda.so.550.1", "/etude/driver/libcuda.so.550.1",
                                          "--ro-bind", real + "libnvidia-ml.so.550.1",
                                          "/etude/driver/libnvidia-ml.so.550.1"});
}

TEST_CASE("nodes of a cluster get one copy of an unpacked image, and use a folder in its place") {
  const Folder folder;
  test::program(folder / "home/kept/abc/bin/sh", "#!\n");
  std::filesystem::create_directories(folder / "shared");
  kernel::JobSpec job;
  job.folder = folder / "home/runs/s1/one";
  job.toolchain.prefixes = {kernel::image_entry(folder / "home/kept/abc")};
  const Published published = publish(job, folder / "shared");
  CHECK(published.error == 0);
  const std::string there = shared_home(folder / "shared", folder / "home") + "/kept/abc";
  CHECK(published.job.toolchain.prefixes == std::vector<std::string>{there + ":/"});
  CHECK(programs::is_executable_file(there + "/bin/sh"));
  job.toolchain.prefixes = {kernel::image_entry(folder / "elsewhere")};
  CHECK(publish(job, folder / "shared").job.toolchain.prefixes == job.toolchain.prefixes);
}
