# bash completion for kubectl-berth; "kubectl berth" is completed by kubectl's own completion.
# Source it from ~/.bashrc, or put it as kubectl-berth into ~/.local/share/bash-completion/completions.

_kubectl_berth() {
    local line=${COMP_LINE:0:COMP_POINT} current before candidate directive=0
    local found=()
    COMPREPLY=()

    while IFS= read -r candidate; do
        case $candidate in
            :[0-9]*) directive=${candidate#:} ;;
            *) found+=("${candidate%%$'\t'*}") ;;
        esac
    done < <(_KUBECTL_BERTH_COMPLETE=line _KUBECTL_BERTH_LINE=$line kubectl-berth 2>/dev/null)

    current=${line##*[[:space:]]}
    case $current in -*=*) current=${current#*=} ;; esac
    if ((directive == 0 || directive & 16)); then
        compopt -o filenames 2>/dev/null
        local kind=-f
        ((directive & 16)) && kind=-d
        while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen "$kind" -- "$current")
        return
    fi
    ((directive & 2)) && compopt -o nospace 2>/dev/null

    # readline replaces only what stands behind the last = or :
    before=${current%"${current##*[=:]}"}
    for candidate in "${found[@]}"; do
        case $candidate in "$before"*) COMPREPLY+=("${candidate#"$before"}") ;; esac
    done
}

complete -F _kubectl_berth kubectl-berth
