# The environment of an image, as Apptainer makes it: /.singularity.d/env/*.sh, one after the other. Writes "etude:shell",
# and when they have run "etude:environment" and the variables, each ended by NUL.
exec 3>&1 1>&2
printf 'etude:shell\0' >&3
for etude_script in /.singularity.d/env/*.sh; do
  if [ -f "$etude_script" ]; then . "$etude_script"; fi
done
printf 'etude:environment\0' >&3
if command -v cat >/dev/null; then exec cat /proc/self/environ >&3; fi
printf 'PATH=%s\0' "$PATH" >&3
