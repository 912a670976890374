# Completion of etude for bash, made by `etude completion bash`.

_etude_studies() {
  "$1" ls --all 2>/dev/null | tail -n +2 | cut -d ' ' -f 1
}

_etude_gates() {
  "$1" gates 2>/dev/null | sed -n 's/^\([^ ]*-g[0-9]*\) .*/\1/p'
}

# First the study, then its runs.
_etude_runs() {
  case $2 in
    *-r*) "$1" runs "${2%-r*}" 2>/dev/null | tail -n +2 | cut -d ' ' -f 1 ;;
    *) _etude_studies "$1" | sed 's/$/-r/' ;;
  esac
}

_etude() {
  local word verb= option= place=0 i cur=${COMP_WORDS[COMP_CWORD]}
  local -a words=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    [[ $word == = ]] && continue
    [[ $word == -- ]] && return
    if [[ $option ]]; then
      option=
      continue
    fi
    case "$verb:$word" in
@STEPS@
      *:-*) ;;
      *) ((++place)) ;;
    esac
  done
  [[ $cur == = ]] && cur=
  if [[ $option ]]; then
    case "$verb:$option" in
@VALUES@
    esac
  elif [[ $cur == -* ]]; then
    case $verb in
@OPTIONS@
    esac
  else
    case "$verb:$place" in
@ARGUMENTS@
    esac
  fi
  # Without a word of these, bash completes names of files.
  COMPREPLY=($(compgen -W "${words[*]}" -- "$cur"))
}

complete -o bashdefault -o default -F _etude etude
