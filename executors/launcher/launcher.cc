// `etude` and the helper programs of a bundle (cmake/dist.py), as a program without the C library: executes the program
// of its own name in the bundle's `lib` with the loader and the libraries there, so that the machine's are not needed.
//
//   BUNDLE/etude                   this program
//   BUNDLE/lib/helpers/gnuplot     this program, too
//   BUNDLE/lib/etude, gnuplot, …   the programs, with their loader and libraries in the same folder
//   BUNDLE/share/fonts.conf        the fonts of gnuplot
//   BUNDLE/share/locale            C.UTF-8, by which etude and gnuplot read texts

#include <climits>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "executors/confinement/raw_calls.h"

namespace {

using supervisor::raw;

constexpr char loader[] = "/ld-linux-x86-64.so.2";
constexpr long most_path = PATH_MAX + 64;

long length(const char* text) {
  long n = 0;
  while (text[n]) ++n;
  return n;
}

bool same(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

/// A path of bounded length; a longer one is cut, and then names no file.
struct Path {
  char text[most_path] = {};
  long size = 0;

  void add(const char* more) {
    for (; *more && size < most_path - 1; ++more) text[size++] = *more;
    text[size] = 0;
  }
  /// Removes the last part and its slash. Returns the part.
  const char* leave() {
    long at = size;
    while (at > 0 && text[at - 1] != '/') --at;
    if (at == 0) return text;
    text[at - 1] = 0;
    size = at - 1;
    return text + at;
  }
};

void say(const char* text) {
  raw(SYS_write, STDERR_FILENO, text, length(text));
}

[[noreturn]] void give_up(const char* what, const char* why) {
  say("etude: ");
  say(what);
  say(why);
  say("\n");
  for (;;) raw(SYS_exit_group, 3);
}

bool has_loader(const Path& folder) {
  Path file = folder;
  file.add(loader);
  return raw(SYS_faccessat, AT_FDCWD, file.text, X_OK) == 0;
}

}  // namespace

/// `stack`: the number of arguments, the arguments, 0, the environment, 0.
extern "C" [[noreturn]] void start(long* stack) {
  const long count = stack[0];
  char** words = reinterpret_cast<char**>(stack + 1);
  char** environment = words + count + 1;
  Path own;
  own.size = raw(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", own.text, PATH_MAX);
  if (own.size <= 0) give_up("/proc/self/exe cannot be read", ": mount /proc");
  own.text[own.size] = 0;
  const Path file = own;
  const char* name = own.leave();  // Stays valid: only a slash was overwritten.
  Path lib = own;
  lib.add("/lib");
  if (!has_loader(lib)) {
    lib = own;
    lib.leave();
  }
  if (!has_loader(lib))
    give_up(file.text, ": its folder lib is not beside it: unpack the whole archive, and keep it together");
  Path program = lib;
  program.add("/");
  program.add(name);
  Path start_of_all = lib;
  start_of_all.add(loader);
  const char* arguments[count + 8];
  long n = 0;
  const char* first[] = {start_of_all.text,           "--library-path", lib.text, "--argv0",
                         count > 0 ? words[0] : name, program.text};
  for (const char* word : first) arguments[n++] = word;
  for (long i = 1; i < count; ++i) arguments[n++] = words[i];
  arguments[n] = nullptr;
  long variables = 0;
  while (environment[variables]) ++variables;
  const char* more[variables + 3];
  for (long i = 0; i < variables; ++i) more[i] = environment[i];
  Path root = lib, fonts, locale;
  root.leave();
  fonts.add("FONTCONFIG_FILE=");
  fonts.add(root.text);
  fonts.add("/share/fonts.conf");
  locale.add("LOCPATH=");
  locale.add(root.text);
  locale.add("/share/locale");
  more[variables] = fonts.text;
  more[variables + 1] = locale.text;
  more[variables + 2] = nullptr;
  // What bubblewrap has, a job would have.
  raw(SYS_execve, start_of_all.text, arguments, same(name, "bwrap") ? const_cast<const char**>(environment) : more);
  give_up(start_of_all.text,
          ": cannot be executed: the archive is for x86-64 and Linux, and not for a file system mounted noexec");
}
