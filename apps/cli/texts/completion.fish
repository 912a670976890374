# Completion of etude for fish, made by `etude completion fish`.

function __etude_studies
    set -l words (commandline -opc)
    $words[1] ls --all 2>/dev/null | tail -n +2 | cut -d ' ' -f 1
end

function __etude_gates
    set -l words (commandline -opc)
    $words[1] gates 2>/dev/null | sed -n 's/^\([^ ]*-g[0-9]*\) .*/\1/p'
end

# First the study, then its runs.
function __etude_runs
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    if string match -q -- '*-r*' $current
        $words[1] runs (string replace -r -- '-r[0-9]*$' '' $current) 2>/dev/null | tail -n +2 | cut -d ' ' -f 1
    else
        __etude_studies | sed 's/$/-r/'
    end
end

# The verb, and the number of its arguments before the cursor.
function __etude_place
    set -l verb
    set -l option
    set -l place 0
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test -n "$option"
            set option
            continue
        end
        switch "$verb:$word"
@STEPS@
            case '*:-*'
            case '*'
                set place (math $place + 1)
        end
    end
    echo "$verb:$place"
end

function __etude_at
    test (__etude_place) = "$argv[1]"
end

function __etude_in
    string match -q -- "$argv[1]:*" (__etude_place)
end

@OPTIONS@
@ARGUMENTS@
