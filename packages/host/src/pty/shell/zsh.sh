# Reports prompts, command lines and exit codes to the terminal that started this zsh. It is run in the place of the user's
# `.zshenv`; the lines that stand before these set `__ah_mark`, the beginning of every mark with the nonce in it, `__ah_file`,
# which is this file, and put ZDOTDIR back to what the user has. Nothing here is exported.
if zmodload -F zsh/files b:zf_rm 2>/dev/null; then
  zf_rm -f -- "$__ah_file"
  zmodload -u zsh/files
else
  command rm -f -- "$__ah_file"
fi
unset __ah_file

if [[ -o interactive ]]; then
  typeset -gi __ah_ran=0
  typeset -g __ah_pwd= __ah_place= __ah_typed=

  # Sets REPLY: $1 with every byte as `\xHH` that is not printable ASCII, or is `;` or `\`. Of more than 48 KiB only the beginning:
  # a mark that has 256 KiB would not be taken out of the output.
  __ah_encode() {
    emulate -L zsh -o extended_glob
    local MATCH text=$1
    local beginning=${text[1,12288]}
    integer MBEGIN MEND
    setopt no_multibyte
    if ((${#text} > 49152)); then text=$beginning; fi
    # Byte by byte: in one long string each replacement would move all that follows.
    local -a bytes=("${(@s::)text}")
    REPLY=${(j::)bytes//(#m)[^ -:<-\[\]-~]/\\x${(l:2::0:)$(([##16]#MATCH))}}
  }

  # The user's DEBUG and ZERR traps, and `set -x`, are not for what runs here.
  # Before the user's own hooks: the command has ended.
  __ah_first() {
    { local mark= __ah_status=$?; emulate -L zsh; unsetopt xtrace; trap - DEBUG ZERR } 2>/dev/null
    local REPLY
    if ((__ah_ran)); then mark="${__ah_mark}D;$__ah_status"$'\e\\'; fi
    if [[ $PWD != "$__ah_pwd" ]]; then
      __ah_encode "$PWD"
      __ah_pwd=$PWD
      __ah_place="${__ah_mark}P;$REPLY"$'\e\\'
    fi
    __ah_ran=0
    print -rn -- "$mark$__ah_place"
  }

  # Behind them: a prompt begins. Hooks that others have put around these meanwhile get their places for the next time.
  __ah_last() {
    { emulate -L zsh; unsetopt xtrace; trap - DEBUG ZERR } 2>/dev/null
    print -rn -- "${__ah_mark}A"$'\e\\'
    if [[ $precmd_functions[1] != __ah_first || $precmd_functions[-1] != __ah_last ]]; then
      precmd_functions=(__ah_first ${precmd_functions:#__ah_*} __ah_last)
    fi
  }

  # The prompt is on the screen, whatever draws it; also that of a further line, but not that of `vared`.
  __ah_line_init() {
    { emulate -L zsh; unsetopt xtrace; trap - DEBUG ZERR } 2>/dev/null
    if [[ $CONTEXT == (start|cont) ]]; then print -rn -- "${__ah_mark}B"$'\e\\'; fi
  }

  # Enter.
  __ah_line_finish() {
    { emulate -L zsh; unsetopt xtrace; trap - DEBUG ZERR } 2>/dev/null
    __ah_typed=$PREBUFFER$BUFFER
  }

  # $1 is the line as the history has it, which may be with fewer blanks than were typed; empty without a history; then $3, as
  # it was parsed.
  __ah_preexec() {
    { emulate -L zsh -o extended_glob; unsetopt xtrace; trap - DEBUG ZERR } 2>/dev/null
    local REPLY line=${1:-$3}
    if [[ $__ah_typed != "$line" && ${__ah_typed//[[:space:]]##/} == ${line//[[:space:]]##/} ]]; then line=$__ah_typed; fi
    __ah_typed= __ah_ran=1
    __ah_encode "$line"
    print -rn -- "${__ah_mark}C;$REPLY"$'\e\\'
  }

  # At the first prompt, when all files of the user have been read.
  __ah_setup() {
    { emulate -L zsh; unsetopt xtrace; trap - DEBUG ZERR } 2>/dev/null
    precmd_functions=(${precmd_functions:#__ah_*})
    preexec_functions=(__ah_preexec ${preexec_functions:#__ah_*})
    if autoload -Uz +X add-zle-hook-widget 2>/dev/null; then
      add-zle-hook-widget line-init __ah_line_init
      add-zle-hook-widget line-finish __ah_line_finish
    fi
    print -rn -- "${__ah_mark}R"$'\e\\'
    unfunction __ah_setup
    __ah_first
    __ah_last
  }
  precmd_functions=(__ah_setup)
fi

if [[ -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then
  source "${ZDOTDIR:-$HOME}/.zshenv"
fi
