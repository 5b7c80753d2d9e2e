# Reports prompts, command lines and exit codes to the terminal that started this bash. Two lines stand before these when it
# runs: `__ah_mark`, the beginning of every mark with the nonce in it, and `__ah_login`. Nothing here is exported.
#
# From bash 4.4 on: PROMPT_COMMAND says that a command has ended and that a prompt begins, and keeps PS0, PS1 and PS2 wrapped.
# Enter reads the line before it is accepted (the history loses lines, and how they were typed), and PS0 puts out what was
# read, when bash has parsed it and is about to run it. Older ones have a DEBUG trap and the history instead.
: >|"${BASH_SOURCE[0]}"

__ah_nil=          # empty: `${__ah_nil:(expression):0}` computes in a prompt and shows nothing
__ah_text=         # what was typed since the prompt
__ah_lines=()      # element 1: the mark of the first command since the prompt, ready to be put out
__ah_typed=0       # whether Enter handed a line to `__ah_text` since the prompt
__ah_more=0        # whether PS2 was shown since Enter
__ah_reading=0     # whether bash reads a command line (and not `read -e` some answer)
__ah_ran=0         # commands since the prompt: more than one where several lines were pasted
__ah_prompted=0    # whether the hook before the user's own has run for this prompt
__ah_from=0 __ah_to=0 __ah_base=0 # LINENO before and behind the command, and at the prompt
__ah_number=       # of the next history entry, at the prompt
__ah_next='\!'
__ah_pwd= __ah_place= __ah_out= __ah_status=0 __ah_trap=
__ah_ps0=unknown __ah_ps1=unknown __ah_ps2=unknown # as they were wrapped
__ah_open= __ah_close= __ah_again=

# Whether $1 has more than 48 KiB.
__ah_is_long() {
  local LC_ALL=C
  ((${#1} > 49152))
}

# Sets `__ah_out`: $1 with every byte as `\xHH` that is not printable ASCII, or is `;` or `\`. Of what is long only the beginning:
# a mark that has 256 KiB would not be taken out of the output.
__ah_encode() {
  local text=$1
  if __ah_is_long "$text"; then text=${text:0:12288}; fi
  local LC_ALL=C
  local byte number hex backslash='\x5c' semicolon='\x3b'
  __ah_out=${text//\\/"$backslash"}
  __ah_out=${__ah_out//;/"$semicolon"}
  while [[ $__ah_out =~ [^\ -~] ]]; do
    byte=${BASH_REMATCH[0]}
    printf -v number '%d' "'$byte"
    printf -v hex '\\x%02x' "$((number & 255))"
    __ah_out=${__ah_out//"$byte"/"$hex"}
  done
}

# Before the user's PROMPT_COMMAND: the command has ended.
__ah_first() {
  { __ah_status=${1-$?} && local - && set +aeuvx; } 2>/dev/null
  local mark=
  if ((__ah_ran)); then mark="${__ah_mark}D;$__ah_status"$'\e\\'; fi
  if [[ $PWD != "$__ah_pwd" ]]; then
    __ah_encode "$PWD"
    __ah_pwd=$PWD
    __ah_place="${__ah_mark}P;$__ah_out"$'\e\\'
  fi
  printf '%s' "$mark$__ah_place"
  __ah_ran=0 __ah_prompted=1 __ah_reading=0
}

# As above where PROMPT_COMMAND is one string: what follows in it still sees the status.
__ah_first_of_string() {
  __ah_first
  case $- in *e*) return 0 ;; *) return "$__ah_status" ;; esac
}

# Behind the user's PROMPT_COMMAND: a prompt begins.
__ah_last() {
  { local - status=$? && set +aeuvx; } 2>/dev/null
  if ((!__ah_prompted)); then __ah_first "$status"; fi
  __ah_wrap_prompts
  if ((__ah_modern)); then __ah_number=${__ah_next@P}; fi
  __ah_prompted=0 __ah_typed=0 __ah_more=0 __ah_reading=1 __ah_text= __ah_lines=()
  printf '%sA\e\\' "$__ah_mark"
  # Being behind its own last hook, this function looks to bash-preexec like the next command: say that it is not.
  if [[ ${bash_preexec_imported-}${__bp_imported-} ]]; then __bp_preexec_interactive_mode=on; fi
}

# Prompts refer to marks by name: exported ones would show the nonce to programs, and nested shells would use it.
__ah_wrap_prompts() {
  local own
  if [[ ${PS1-} != "$__ah_ps1" ]]; then
    own=${PS1-}
    own=${own//"$__ah_open"/}
    own=${own//"$__ah_close"/}
    __ah_ps1=$own$__ah_close PS1=$own$__ah_close
  fi
  if [[ ${PS2-} != "$__ah_ps2" ]]; then
    own=${PS2-}
    own=${own//"$__ah_again"/}
    own=${own//"$__ah_close"/}
    __ah_ps2=$__ah_again$own$__ah_close PS2=$__ah_again$own$__ah_close
  fi
  if ((__ah_modern)) && [[ ${PS0-} != "$__ah_ps0" ]]; then
    own=${PS0-}
    own=${own//"$__ah_run"/}
    __ah_ps0=$__ah_run$own PS0=$__ah_run$own
  fi
}

# Enter, before readline accepts the line. Called with `$_`, which is thereby still the same afterwards.
__ah_accept() {
  { local - status=$? && set +aeuvx; } 2>/dev/null
  case "${PROMPT_COMMAND[*]-}" in
    *__ah_first*__ah_last*) if ((!__ah_reading)); then return; fi ;;
    # Somebody has assigned it anew: the command before this one has not been reported as ended yet.
    *) __ah_hook_prompt ;;
  esac
  if ((__ah_ran)); then
    printf '%sD;%s\e\\' "$__ah_mark" "$status"
    __ah_ran=0
  fi
  if ((__ah_more)); then __ah_text+=$'\n'$READLINE_LINE; else __ah_text=$READLINE_LINE; fi
  __ah_more=0 __ah_typed=1 __ah_lines=()
  if [[ $__ah_text != *$'\n'* ]]; then
    __ah_encode "$__ah_text"
    __ah_lines[1]="${__ah_mark}C;$__ah_out"$'\e\\'
  fi
}

# In the subshell of PS0, where the line is not ready: several lines, or one that Enter did not see. $1: the last status.
__ah_slow() {
  { local - && set +aeuvx; } 2>/dev/null
  if ((__ah_ran > 1)); then printf '%sD;%s\e\\' "$__ah_mark" "$1"; fi
  local rest=$__ah_text lines=() text= IFS=$'\n'
  if ((__ah_typed)); then
    while [[ $rest == *$'\n'* ]]; do
      lines+=("${rest%%$'\n'*}")
      rest=${rest#*$'\n'}
    done
    lines+=("$rest")
    text="${lines[*]:__ah_from-__ah_base:__ah_to-__ah_from}"
  fi
  if [[ ! $text ]]; then
    __ah_history "$__ah_number"
    text=$__ah_out
  fi
  __ah_encode "$text"
  printf '%sC;%s\e\\' "$__ah_mark" "$__ah_out"
}

# Sets `__ah_out` to the newest history entry, empty when its number is below $1.
__ah_history() {
  __ah_out=$(HISTTIMEFORMAT= builtin history 1)
  if [[ $__ah_out =~ ^[[:space:]]*([0-9]+)[*[:space:]][[:space:]] ]] && ((BASH_REMATCH[1] >= ${1:-0})); then
    __ah_out=${__ah_out:${#BASH_REMATCH[0]}}
  else
    __ah_out=
  fi
}

# What a DEBUG trap begins with where PS0 cannot be used.
__ah_debug() {
  local status=$?
  if ((__ah_reading)) && [[ ! ${COMP_LINE-}${READLINE_LINE-} && $1 != __ah_* ]]; then
    __ah_reading=0 __ah_ran=1
    __ah_history "$((__ah_number + 1))"
    if [[ $__ah_out ]]; then __ah_number=$((__ah_number + 1)); else __ah_out=$1; fi
    __ah_encode "$__ah_out"
    printf '%sC;%s\e\\' "$__ah_mark" "$__ah_out"
  fi
  return "$status"
}

# Makes of `__ah_trap`, as `trap -p DEBUG` said it, the trap that is to be set: the user's own, which does not hear of what runs
# here, and which sees `$?` and `$_` as without this.
__ah_make_trap() {
  local own=
  # With functrace, the trap has run in the subshell that asked for it, and may have put something out before.
  if [[ $__ah_trap == *"trap -- '"*"' DEBUG" ]]; then
    own=${__ah_trap#*"trap -- "}
    eval "own=${own% DEBUG}"
  fi
  if ((!__ah_modern)); then
    __ah_trap="__ah_debug \"\$BASH_COMMAND\" \"\$_\""$'\n'$own
  elif [[ $own ]]; then
    __ah_trap="case \"\${FUNCNAME-}\$BASH_COMMAND\" in __ah_*) ;; *)"$'\n'$own$'\n'";; esac"
  fi
}

__ah_hook_prompt() {
  local version=$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1])) own="${PROMPT_COMMAND-}"
  # An array keeps `$?` and PIPESTATUS for each element. What bash-preexec leaves for the first prompt looks for itself in a string.
  if ((version >= 501)) && [[ $own != *__bp_install* ]]; then
    local each kept=()
    for each in ${PROMPT_COMMAND[@]+"${PROMPT_COMMAND[@]}"}; do
      if [[ $each != __ah_* ]]; then kept+=("$each"); fi
    done
    PROMPT_COMMAND=(__ah_first ${kept[@]+"${kept[@]}"} __ah_last)
  elif ((version >= 501)); then
    PROMPT_COMMAND[0]=__ah_first_of_string$'\n'$own
    PROMPT_COMMAND+=(__ah_last '[[ $__ah_later ]] && eval "$__ah_later"')
    __ah_later='__ah_trap=$(trap -p DEBUG); __ah_make_trap; trap -- "$__ah_trap" DEBUG; __ah_later='
  else
    PROMPT_COMMAND=__ah_first_of_string$'\n'$own$'\n'__ah_last
  fi
}

# Enter, in every keymap where it means what it means by default. The first `bind` sets readline up, which takes its time: not
# to be done in the subshell, and again.
__ah_bind() {
  local keymap key keys maps macro='"\C-x\C-_\C-a\C-x\C-_\C-b"'
  for keymap in emacs vi-insert vi-command; do
    builtin bind -m "$keymap" -x '"\C-x\C-_\C-a": __ah_accept "$_"'
    builtin bind -m "$keymap" '"\C-x\C-_\C-b": accept-line'
  done
  maps=$(for keymap in emacs vi-insert vi-command; do
    echo "$keymap "
    builtin bind -m "$keymap" -q accept-line
  done)
  for keymap in emacs vi-insert vi-command; do
    keys=${maps#*"$keymap "$'\n'}
    keys=${keys%%$'\n'*}
    for key in '"\C-m"' '"\C-j"'; do
      if [[ $keys == *"$key"* ]]; then builtin bind -m "$keymap" "$key: $macro"; fi
    done
  done
} 2>/dev/null

__ah_setup() {
  { local - && set +aeuvx; } 2>/dev/null
  local version=$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1])) begin=$'\e]633;' finish=$'\e\\'
  __ah_modern=0
  if ((version >= 404)) && shopt -q promptvars; then __ah_modern=1; fi
  __ah_a="${__ah_mark}A$finish" __ah_b="${__ah_mark}B$finish"
  __ah_close='\[${__ah_b-}\]'
  __ah_again='\[${__ah_a-}\]'
  if ((__ah_modern)); then
    __ah_close='\[${__ah_b:+${__ah_nil:(__ah_typed?0:(__ah_reading=1,__ah_base=__ah_to=LINENO),0):0}$__ah_b}\]'
    __ah_again='\[${__ah_a:+${__ah_nil:(__ah_more=1,0):0}$__ah_a}\]'
    __ah_run='${__ah_mark:+${__ah_nil:(__ah_ran+=1,__ah_reading=0,__ah_from=__ah_to,__ah_to=LINENO,0):0}${__ah_lines[__ah_ran]:-$(__ah_slow "$?")}}'
    __ah_bind
  else
    __ah_number=$(HISTTIMEFORMAT= builtin history 1)
    [[ $__ah_number =~ ^[[:space:]]*([0-9]+) ]] && __ah_number=${BASH_REMATCH[1]}
  fi
  __ah_make_trap
  __ah_hook_prompt
  printf '%sR%s' "$__ah_mark" "$finish"
  unset -f __ah_setup __ah_bind
}

# What bash itself would have read.
if ((__ah_login)); then
  if [[ -r /etc/profile ]]; then . /etc/profile; fi
  if [[ -r ~/.bash_profile ]]; then . ~/.bash_profile
  elif [[ -r ~/.bash_login ]]; then . ~/.bash_login
  elif [[ -r ~/.profile ]]; then . ~/.profile
  fi
elif [[ -r ~/.bashrc ]]; then
  . ~/.bashrc
fi
# In a function, bash neither shows nor keeps the trap of the shell.
__ah_trap=$(trap -p DEBUG)
trap - DEBUG
__ah_setup
if [[ $__ah_trap ]]; then trap -- "$__ah_trap" DEBUG; fi
