#!/usr/bin/env python3
"""dist.py BUILD OUT: packs etude with all that it needs into OUT, a .tar.gz for any Linux on x86-64, and prints its hash.

BUILD holds etude, etude-supervisor and etude-launcher. bubblewrap, gnuplot, fonts, certificates and shared libraries are those
of this machine, which must be Debian or like it: packages and their licences are listed. The same files give the same bytes:
entries are sorted, belong to nobody and have the time of the commit ($SOURCE_DATE_EPOCH, if it is set).

  NAME/etude               the launcher (executors/launcher)
  NAME/lib/                programs, libraries and the loader;  NAME/lib/helpers/: the launcher under the helpers' names
  NAME/share/              fonts, the locale C.UTF-8, certificates
  NAME/examples/           as in the source
  NAME/licenses/           of what is not ours"""
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOADER = "ld-linux-x86-64.so.2"
HELPERS = ["bwrap", "gnuplot"]
FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"]
FONT_FOLDER = pathlib.Path("/usr/share/fonts/truetype/dejavu")
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
LOCALE = pathlib.Path("/usr/lib/locale/C.utf8")
MOST_BYTES = 80_000_000


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def fail(text):
    sys.exit(f"dist: {text}")


def libraries_of(*programs):
    """Name and file of each shared library that the programs are linked with, those of libraries, too."""
    found = {}
    for line in output("ldd", *map(str, programs)).splitlines():
        if "not found" in line:
            fail(line.strip())
        if match := re.match(r"\s*(\S+) => (/\S+)", line):
            found[match[1]] = match[2]
        elif match := re.match(r"\s*(/\S+/ld-linux\S+)", line):
            found[LOADER] = match[1]
    return found


def loaded_later(build):
    """The libraries that etude loads when a verb needs them, as cmake/lazy.py has written."""
    names = {name for file in sorted(build.glob("lazy_*.cc")) for name in re.findall(r'dlopen\("([^"]+)"', file.read_text())}
    cache = dict(re.findall(r"^\s*(\S+) \(libc6,x86-64[^)]*\) => (\S+)", output("/sbin/ldconfig", "-p"), re.M))
    if missing := names - cache.keys():
        fail(f"not installed: {', '.join(sorted(missing))}")
    return {name: cache[name] for name in names}


def packages_of(files):
    """The packages from which the files come. Debian lists some of them with the old place, without /usr."""
    places = {path: file for file in files for path in (os.path.realpath(file), os.path.realpath(file).removeprefix("/usr"))}
    said = subprocess.run(["dpkg-query", "-S", *places], capture_output=True, text=True).stdout
    owners = {places[path]: package.split(",")[0] for package, path in re.findall(r"^(\S.*): (/.*)$", said, re.M)}
    if missing := files - owners.keys():
        fail(f"of no package, so that their licences are not known: {', '.join(sorted(missing))}")
    return sorted(set(owners.values()))


class Bundle:
    """The files of the archive, by path."""

    def __init__(self):
        self.files, self.foreign = {}, set()

    def add(self, place, content, mode=0o644):
        self.files[place] = (content, mode)

    def copy(self, place, file, mode=0o644):
        self.add(place, pathlib.Path(file).read_bytes(), mode)

    def add_stripped(self, place, file, scratch):
        """Without symbols, which nobody needs who does not debug."""
        stripped = scratch / "stripped"
        subprocess.run(["strip", "-o", stripped, file], check=True)
        self.copy(place, stripped, 0o755)

    def copy_foreign(self, place, file, mode=0o644):
        self.copy(place, file, mode)
        self.foreign.add(str(file))

    def add_licences(self):
        packages = packages_of(self.foreign)
        versions = output("dpkg-query", "-W", "-f", "${Package} ${Version} ${Source}\n", *packages)
        self.add("licenses/PACKAGES", ("# package, version, source package if it is another\n" + versions).encode())
        for package in packages:
            name = package.split(":")[0]
            self.copy(f"licenses/{name}", os.path.realpath(f"/usr/share/doc/{name}/copyright"))

    def archive(self, name, time):
        entries = {str(folder) for path in self.files for folder in pathlib.PurePath(path).parents if str(folder) != "."}
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for path in sorted({"", *entries, *self.files}):
                entry = tarfile.TarInfo(f"{name}/{path}".rstrip("/"))
                entry.mtime = time
                content, entry.mode = self.files.get(path, (None, 0o755))
                entry.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
                entry.size = len(content or b"")
                tar.addfile(entry, io.BytesIO(content or b""))
        packed = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=0) as file:
            file.write(raw.getvalue())
        return packed.getvalue()


def collect(build, scratch):
    bundle = Bundle()
    launcher = build / "etude-launcher"
    bundle.copy("etude", launcher, 0o755)
    bundle.add_stripped("lib/etude", build / "etude", scratch)
    bundle.add_stripped("lib/etude-supervisor", build / "etude-supervisor", scratch)
    loaded = loaded_later(build)
    libraries = libraries_of(build / "etude") | loaded
    libraries |= libraries_of(*loaded.values())
    for name in HELPERS:
        program = shutil.which(name) or fail(f"{name} is not installed")
        bundle.copy(f"lib/helpers/{name}", launcher, 0o755)
        bundle.copy_foreign(f"lib/{name}", os.path.realpath(program), 0o755)
        libraries |= libraries_of(program)
    for name, file in libraries.items():
        bundle.copy_foreign(f"lib/{name}", file, 0o755)
    for font in FONTS:
        bundle.copy_foreign(f"share/fonts/{font}", FONT_FOLDER / font)
    bundle.copy("share/fonts.conf", ROOT / "cmake/fonts.conf")
    for file in filter(pathlib.Path.is_file, LOCALE.rglob("*")):
        bundle.copy_foreign(f"share/locale/C.utf8/{file.relative_to(LOCALE)}", file)
    if CERTIFICATES.exists():
        bundle.copy("share/ca-certificates.crt", CERTIFICATES)
        bundle.foreign.add("/usr/sbin/update-ca-certificates")
    bundle.add_licences()
    bundle.copy("LICENSE", ROOT / "LICENSE")
    bundle.copy("README.md", ROOT / "cmake/dist_readme.md")
    for example in output("git", "-C", str(ROOT), "ls-files", "-z", "examples").split("\0")[:-1]:
        bundle.copy(example, ROOT / example, 0o755 if os.access(ROOT / example, os.X_OK) else 0o644)
    return bundle


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    for name in ("etude", "etude-supervisor", "etude-launcher"):
        if not (build / name).exists():
            fail(f"{build} has no {name}: build it first")
    time = os.environ.get("SOURCE_DATE_EPOCH") or output("git", "-C", str(ROOT), "log", "-1", "--format=%ct")
    with tempfile.TemporaryDirectory(prefix="etude-dist-") as scratch:
        packed = collect(build, pathlib.Path(scratch)).archive(out.name.removesuffix(".tar.gz"), int(time))
    if len(packed) >= MOST_BYTES:
        fail(f"the archive has {len(packed)} bytes, and {MOST_BYTES} are the most")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(packed)
    digest = hashlib.sha256(packed).hexdigest()
    out.with_name(out.name + ".sha256").write_text(f"{digest}  {out.name}\n")
    print(f"{out}  {len(packed) / 1e6:.1f} MB  sha256 {digest}")


if __name__ == "__main__":
    main()
