"""What shells need to complete the command line, written from its parser: the options of each
command, their choices, where a file is to be named, and behind ``file.py:`` the names in it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True)
class Option:
    """An option: its ``names``, the values that it may have, whether it takes one, and the first
    line of its help.
    """

    names: tuple[str, ...]
    choices: tuple[str, ...]
    takes_value: bool
    help: str

    @property
    def long(self) -> str:
        """The name that is offered."""
        return max(self.names, key=len)


@dataclass(frozen=True)
class Command:
    """A command; ``choices``: what its operand may be, where that is no file."""

    name: str
    help: str
    options: tuple[Option, ...]
    choices: tuple[str, ...]


def commands_of(parser: argparse.ArgumentParser) -> list[Command]:
    """The commands of a parser that has nothing else."""
    (sub,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    helps = {action.dest: action.help or "" for action in sub._choices_actions}
    return [Command(name, helps[name], tuple(_options(each)), _operands(each)) for name, each in sub.choices.items()]


def _options(parser: argparse.ArgumentParser) -> Iterator[Option]:
    for action in parser._actions:
        if action.option_strings:
            yield Option(tuple(action.option_strings), _choices(action), action.nargs != 0, action.help or "")


def _operands(parser: argparse.ArgumentParser) -> tuple[str, ...]:
    return tuple([choice for action in parser._actions if not action.option_strings for choice in _choices(action)])


def _choices(action: argparse.Action) -> tuple[str, ...]:
    return tuple(map(str, action.choices or ()))


_NAMES = r"sed -nE -e 's/^(async +)?(def|class) +([A-Za-z_][A-Za-z0-9_]*).*/\3/p' -e 's/^([A-Za-z_][A-Za-z0-9_]*) *(:[^=]*)?=[^=].*/\1/p'"
"""Prints the names that a file of Python defines or assigns to outside functions and classes."""


@dataclass(frozen=True)
class Dialect:
    """How a shell with a ``case`` statement writes the script: the lines ``before`` and ``after``,
    those that complete names behind ``file.py:``, whether the command itself is being written, the
    command, the word before and the beginning of this one, an offer of words, and one of files.
    """

    before: tuple[str, ...]
    names: tuple[str, ...]
    first: str
    command: str
    previous: str
    current: str
    words: str
    files: str
    after: str

    def offer(self, words: tuple[str, ...]) -> str:
        return self.words.format(" ".join(words))


_BASH = Dialect(
    before=("_npexport() {", "  local current=\"${COMP_WORDS[COMP_CWORD]}\" IFS=$' \\t\\n'"),
    names=(  # a colon ends a word, unless the user has changed that
        '  local file="${COMP_WORDS[COMP_CWORD-1]}" begun="${current#:}" before=""',
        '  case "$current" in',
        '    *.py:*) file="${current%:*}" begun="${current##*:}" before="$file:" ;;',
        "    :) ;;",
        '    *) if [ "$file" = : ]; then file="${COMP_WORDS[COMP_CWORD-2]}"; else file=; fi ;;',
        "  esac",
        '  if [ -f "$file" ]; then',
        f'    COMPREPLY=($(compgen -P "$before" -W "$({_NAMES} "$file")" -- "$begun")); return',
        "  fi",
    ),
    first='[ "$COMP_CWORD" -eq 1 ]',
    command="${COMP_WORDS[1]}",
    previous="${COMP_WORDS[COMP_CWORD-1]}",
    current="$current",
    words='COMPREPLY=($(compgen -W "{}" -- "$current"))',
    files="local IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$current\"))",
    after="complete -o filenames -F _npexport npexport",
)
_ZSH = Dialect(
    before=("#compdef npexport", "_npexport() {"),
    names=(
        "  if [[ $PREFIX == *.py:* && -f ${PREFIX%:*} ]]; then",
        f'    local file=${{PREFIX%:*}}; local -a names=(${{(f)"$({_NAMES} $file)"}}); compadd -- $file:${{^names}}; return',
        "  fi",
    ),
    first="(( CURRENT == 2 ))",
    command="$words[2]",
    previous="$words[CURRENT-1]",
    current="$PREFIX",
    words="compadd -- {}",
    files="_files",
    after='if [ "$funcstack[1]" = "_npexport" ]; then _npexport "$@"; else compdef _npexport npexport; fi',
)


def _branches(shell: Dialect, commands: list[Command]) -> Iterator[str]:
    """The branches over the command and the word before: values of options."""
    for command in commands:
        for option in [option for option in command.options if option.takes_value]:
            words = "|".join(f'"{command.name} {name}"' for name in option.names)
            yield f"    {words}) {shell.offer(option.choices) if option.choices else shell.files}; return ;;"


def _script(shell: Dialect, commands: list[Command]) -> str:
    lines = [
        *shell.before,
        f"  if {shell.first}; then {shell.offer(tuple(command.name for command in commands))}; return; fi",
        *shell.names,
        f'  case "{shell.command} {shell.previous}" in',
        *_branches(shell, commands),
        "  esac",
        f'  case "{shell.command} {shell.current}" in',
        *[f'    "{each.name} -"*) {shell.offer(tuple(option.long for option in each.options))} ;;' for each in commands],
        *[f'    "{each.name} "*) {shell.offer(each.choices)} ;;' for each in commands if each.choices],
        f"    *) {shell.files} ;;",
        "  esac",
        "}",
        shell.after,
    ]
    return "\n".join(lines) + "\n"


_FISH_NAMES = rf"""function __npexport_names
    set -l file (string replace -r ':[^:]*$' '' -- (commandline -ct))
    string match -q -- '*.py:*' (commandline -ct); and test -f $file; and {_NAMES} $file | string replace -r '^' "$file:"
end
complete -c npexport -n 'string match -q -- "*.py:*" (commandline -ct)' -f -a '(__npexport_names)'"""


def _fish(commands: list[Command]) -> str:
    lines = [_FISH_NAMES, "complete -c npexport -n __fish_use_subcommand -f"]
    for command in commands:
        lines.append(f"complete -c npexport -n __fish_use_subcommand -a {command.name} -d {_quoted(command.help)}")
        here = f"complete -c npexport -n '__fish_seen_subcommand_from {command.name}'"
        if command.choices:
            lines.append(f"{here} -f -a {_quoted(' '.join(command.choices))}")
        for option in command.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            value = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else " -r" if option.takes_value else ""
            lines.append(f"{here} {names}{value} -d {_quoted(option.help)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    inner = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{inner}'"


SHELLS: dict[str, Callable[[list[Command]], str]] = {"bash": partial(_script, _BASH), "zsh": partial(_script, _ZSH), "fish": _fish}
"""What writes the script of each shell."""
