# Runs lines that prepare an environment. Writes records to the original standard output, each part ended by NUL:
# "etude:before" or "etude:after" with the variables; "etude:failed" with the status and the command (`-` if none began);
# "etude:no-module".
# $1: the lines. $2: "modules" if they may use the command `module`, which this then looks for. $3: "lenient" if a failing
# command ends nothing.
exec 3>&1 1>&2
etude_lines=$1 etude_lenient=$3 etude_now=
etude_mark() { printf 'etude:%s\0' "$1" >&3; /usr/bin/env -0 >&3; }
etude_failed() { printf 'etude:failed\0%s\0%s\0' "$1" "$2" >&3; exit 0; }
if [ "$2" = modules ] && ! type module >/dev/null 2>&1; then
  for etude_init in "${MODULESHOME:-/usr/share/modules}/init/bash" "${LMOD_PKG:-/usr/share/lmod/lmod}/init/bash" \
      /etc/profile.d/modules.sh /etc/profile.d/z00_lmod.sh /etc/profile.d/lmod.sh /usr/share/modules/init/bash; do
    if [ -r "$etude_init" ]; then . "$etude_init"; fi
    if type module >/dev/null 2>&1; then break; fi
  done
  if ! type module >/dev/null 2>&1; then printf 'etude:no-module\0' >&3; fi
fi
set --
etude_mark before
if [ "$etude_lenient" = lenient ]; then
  eval "$etude_lines" || true
else
  # A function that fails is told by its call, not by the command in it (bash shows `return` as one outside).
  trap 'case ${#FUNCNAME[@]}$BASH_COMMAND in
    (0etude_*|0eval\ \"\$etude_lines\"|0trap\ *|0return*) ;;
    (0*) etude_now=$BASH_COMMAND ;;
  esac' DEBUG
  trap 'etude_failed $? "${etude_now:--}"' ERR
  eval "$etude_lines"
  trap - ERR DEBUG
fi
etude_mark after
