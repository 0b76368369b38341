# fish completion for berth. Made by `berth completion fish`.
function __berth_complete
    set -l tokens (commandline -opc)
    set -e tokens[1]
    set -l current (commandline -ct)
    test -n "$current"; or set current ''
    # A word with an open quote stays as it is.
    set -l plain (string unescape -- "$current" 2>/dev/null)
    test -n "$plain"; or set plain $current
    set -l lines (command berth __complete fish $tokens "$plain" 2>/dev/null)
    set -l first (string split -m 1 \t -- $lines[1])
    set -e lines[1]
    switch "$first[1]"
        case words paths
            for line in $lines
                printf '%s\n' $line
            end
        case files
            set -l start (string length -- "$first[2]")
            for file in (__fish_complete_path (string sub -s (math $start + 1) -- "$current"))
                printf '%s\n' "$first[2]$file"
            end
        case commands
            __fish_complete_command
    end
end
complete -c berth -f -k -a '(__berth_complete)'
