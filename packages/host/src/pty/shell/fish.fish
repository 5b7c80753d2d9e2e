# Reports prompts, command lines and exit codes to the terminal that started this fish, which runs it when the user's files
# have been read. A line stands before these: `__ah_mark`, the beginning of every mark with the nonce in it. Not exported.
true >(status filename)
set -g __ah_end \e\\
set -g __ah_ran 0

# Every byte that is no letter or digit (or one of `/._~-`) as `\xHH`. Of more than 48 KiB of them only the beginning: a mark that
# has 256 KiB would not be taken out of the output.
function __ah_encode
    set -l text (string escape --style=url -- $argv[1])
    if test (string length -- "$text") -gt 147456
        set text (string escape --style=url -- (string sub --length 12288 -- $argv[1] | string collect))
    end
    string replace --all % '\\x' -- $text
end

function __ah_executed --on-event fish_preexec
    set -g __ah_ran 1
    printf %s $__ah_mark 'C;' (__ah_encode "$argv[1]") $__ah_end
end

function __ah_finished --on-event fish_postexec
    set -l exit_code $status
    if test $__ah_ran = 1
        set -g __ah_ran 0
        printf %s $__ah_mark "D;$exit_code" $__ah_end
    end
end

# The prompt function may have been replaced since: the end of the prompt is marked by one around it.
function __ah_prompt --on-event fish_prompt
    if not string match --quiet '*__ah_user_prompt*' -- (functions fish_prompt)
        functions --erase __ah_user_prompt
        functions --copy fish_prompt __ah_user_prompt
        __ah_wrap
    end
    if test "$PWD" != "$__ah_pwd"
        set -g __ah_pwd $PWD
        set -g __ah_place $__ah_mark'P;'(__ah_encode "$PWD")$__ah_end
    end
    printf %s $__ah_place $__ah_mark A $__ah_end
end

function __ah_wrap
    function fish_prompt
        # Line ends behind a prompt mean nothing, but they would in front of the mark.
        set -l own (__ah_user_prompt | string collect)
        printf %s "$own" $__ah_mark B $__ah_end
    end
end

printf %s $__ah_mark R $__ah_end
