# bash completion for ravel. Commands, options and the words an option takes come from `ravel --help` and
# `ravel COMMAND --help`: there is no second list to keep.

# The words of a help text that stand in the option column: "-k, --keep-going", "--isolation=auto|memory|fork".
_ravel_options() {
    "$1" "$2" --help 2>/dev/null | sed -nE 's/^  (-[[:alnum:]], )?(--[[:alnum:]-]+(=[^[:space:]]*)?).*/\2/p'
}

_ravel_commands() {
    "$1" --help 2>/dev/null | sed -nE '/^Commands:/,/^$/s/^  ([[:alnum:]+-]+)[[:space:]].*/\1/p'
}

# The values that --NAME= of COMMAND can have, if the help text or ravel itself names them.
_ravel_values() {
    local choices
    case $3 in
    --strategy | --explore) "$1" strategies 2>/dev/null | sed 's/[^[:alnum:]_-].*//' ;;
    *)
        choices=$(_ravel_options "$1" "$2" | sed -nE "s/^$3=(.*\|.*)/\1/p")
        printf '%s' "${choices//|/$'\n'}"
        ;;
    esac
}

_ravel() {
    local current words=("${COMP_WORDS[@]}") ravel=${COMP_WORDS[0]} command=${COMP_WORDS[1]:-} line option
    COMPREPLY=()
    current=${COMP_WORDS[COMP_CWORD]}
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_ravel_commands "$ravel") --help --version" -- "$current")
        return
    fi
    # The program under test and its arguments complete as they would alone.
    local index operand=0
    for ((index = 2; index < COMP_CWORD; index++)); do
        case ${words[index]} in
        -- | [!-=]*) [[ ${words[index - 1]} == = || ${words[index]} == = ]] || { operand=$index; break; } ;;
        esac
    done
    case $command in
    cc | c++)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    migrate)
        # What follows "--" is a command.
        for ((index = 2; index < COMP_CWORD; index++)); do
            if [[ ${words[index]} == -- && $(type -t _command_offset) == function ]]; then
                _command_offset $((index + 1))
                return
            fi
        done
        ;;
    run)
        if ((operand)) && [[ $(type -t _command_offset) == function ]]; then
            _command_offset "$operand"
            return
        fi
        ;;
    esac

    # bash cuts words at "=": --strategy = pct
    option=
    if [[ $current == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]} current=
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $current == --*=* ]]; then
        option=${current%%=*} current=${current#*=}
    fi
    if [[ -n $option ]]; then
        line=$(_ravel_values "$ravel" "$command" "$option")
        if [[ -n $line ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$line" -- "$current")
        else
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ravel_options "$ravel" "$command" | sed 's/=.*/=/') --help" -- "$current")
        if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
    elif [[ $command == replay || $command == show ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -X '!*.ravel' -- "$current"; compgen -d -S / -- "$current"
            [[ -n $current ]] || compgen -G '.ravel/failures/*.ravel')
    elif [[ $command == test ]] && ((operand)); then
        # The tests of the binary; those with blanks in their names are left to be typed.
        mapfile -t COMPREPLY < <(compgen -W "$("$ravel" test --list "${words[operand]}" 2>/dev/null </dev/null | grep -v '[[:space:]\\$\`\"]')" -- "$current")
    elif [[ $command == migrate ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -X '!*.c' -- "$current"; compgen -d -S / -- "$current")
    elif [[ $command == generate ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -X '!*.[ch]' -- "$current"; compgen -d -S / -- "$current")
    elif [[ $command == run || $command == test || $command == hapsets || $command == races || $command == model ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -c -- "$current"; compgen -d -S / -- "$current")
    fi
}
complete -F _ravel ravel
