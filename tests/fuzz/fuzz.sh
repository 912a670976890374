#!/usr/bin/env bash
# fuzz.sh BUILD: every fuzz target of BUILD for FUZZ_SECONDS each (600), from the tests' own data and from what earlier
# runs kept in BUILD/corpus. What it finds lies in BUILD/findings, and the exit status says whether there is any.
set -euo pipefail
build=$(realpath "$1") && cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-600} failed=0
mkdir -p "$build/findings" "$build/zips" "$build/images"
PYTHONPATH=tests/e2e/support /usr/bin/python3 -c 'import small_image, sys
open(sys.argv[1], "wb").write(small_image.sif(b"hsqs" + bytes(100)))' "$build/images/image.sif"
/usr/bin/python3 - "$build/zips" <<'ZIPS'
import pathlib, sys, zipfile
for kind, how in (("stored", zipfile.ZIP_STORED), ("packed", zipfile.ZIP_DEFLATED)):
    with zipfile.ZipFile(pathlib.Path(sys.argv[1]) / kind, "w", how) as out:
        for name in ("ara/PAPER.md", "ara/logic/claims.md", "../up", "/top", "a/../../b"):
            out.writestr(name, "# x\n" * 9)
        link = zipfile.ZipInfo("ara/link")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        out.writestr(link, "../../up")
ZIPS

# The files that a target begins with; large ones would only make it slow.
seeds() {
  case $1 in
    artifacts) find tests/artifacts/corpus tests/artifacts/clean -type f -size -20k ;;
    image) find "$build/images" -type f ;;
    models) find tests/models -type f \( -name '*.json' -o -name '*.sse' -o -name '*.txt' \) -size -20k ;;
    prose) find tests/artifacts/corpus -name '*.md' -size -4k ;;
    zip) find "$build/zips" -type f ;;
    studyfile) find tests/cases/studyfile examples -type f -name '*.yaml' -size -20k ;;
  esac
}

for target in "$build"/fuzz_*; do
  [ -x "$target" ] || continue
  name=${target##*/fuzz_} corpus=$build/corpus/${target##*/fuzz_}
  mkdir -p "$corpus"
  # The first byte chooses what is read, where there is a choice.
  seeds "$name" | while IFS= read -r file; do
    for first in 0 1 2 3 4; do
      { [ "$name" = artifacts ] && printf "\\x0$first"; cat "$file"; } > "$corpus/seed-$first-$(sha256sum < "$file" | cut -c1-16)"
      [ "$name" = artifacts ] || break
    done
  done
  if "$target" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -max_len=200000 -len_control=0 \
      -print_final_stats=1 -artifact_prefix="$build/findings/$name-" "$corpus" > "$build/findings/$name.log" 2>&1; then
    said="nothing found"
  else
    said="found something: $build/findings/$name.log" failed=1
  fi
  echo "fuzz_$name: $(sed -n 's/.*number_of_executed_units: *//p' "$build/findings/$name.log") executions in $seconds s, $said"
done
exit $failed
