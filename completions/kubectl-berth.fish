# fish completion for kubectl-berth; "kubectl berth" is completed by kubectl's own completion.
# Put it into ~/.config/fish/completions.

function __kubectl_berth_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (env _KUBECTL_BERTH_COMPLETE=1 kubectl-berth $words "$current" 2>/dev/null)
    # never an empty list: joined with one, fish drops the other side too
    set -l before ''
    if string match -qr -- '^-.*=' $current
        set before (string replace -r -- '=.*' '=' $current)
    end
    for line in $lines
        switch $line
            case ':0'
                __fish_complete_path (string replace -r -- '^-[^=]*=' '' $current)
            case ':16'
                __fish_complete_directories (string replace -r -- '^-[^=]*=' '' $current)
            case ':*'
            case '*'
                printf '%s\n' $before$line
        end
    end
end

complete -c kubectl-berth -f -a '(__kubectl_berth_complete)'
