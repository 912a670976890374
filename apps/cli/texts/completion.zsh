#compdef etude
# Completion of etude for zsh, made by `etude completion zsh`.

_etude_studies() {
  compadd -- ${(f)"$($words[1] ls --all 2>/dev/null | tail -n +2 | cut -d ' ' -f 1)"}
}

_etude_gates() {
  compadd -- ${(f)"$($words[1] gates 2>/dev/null | sed -n 's/^\([^ ]*-g[0-9]*\) .*/\1/p')"}
}

# First the study, then its runs.
_etude_runs() {
  if [[ $PREFIX == *-r* ]]; then
    compadd -- ${(f)"$($words[1] runs ${PREFIX%-r*} 2>/dev/null | tail -n +2 | cut -d ' ' -f 1)"}
  else
    compadd -S '' -- ${(f)"$($words[1] ls --all 2>/dev/null | tail -n +2 | cut -d ' ' -f 1 | sed 's/$/-r/')"}
  fi
}

_etude() {
  local word verb option place=0 i
  local -a found
  for ((i = 2; i < CURRENT; ++i)); do
    word=${words[i]}
    if [[ $word == -- ]]; then
      _files
      return
    fi
    if [[ -n $option ]]; then
      option=
      continue
    fi
    case "$verb:$word" in
@STEPS@
      (*:-*) ;;
      (*) ((++place)) ;;
    esac
  done
  if [[ -z $option && $PREFIX == --*=* ]]; then
    option=${PREFIX%%=*}
    compset -P '*='
  fi
  if [[ -n $option ]]; then
    case "$verb:$option" in
@VALUES@
      (*) _files ;;
    esac
  elif [[ $PREFIX == -* ]]; then
    case $verb in
@OPTIONS@
    esac
    _describe -o option found
  else
    case "$verb:$place" in
@ARGUMENTS@
      (*) _files ;;
    esac
  fi
}

if [[ $funcstack[1] == _etude ]]; then
  _etude "$@"
else
  compdef _etude etude
fi
