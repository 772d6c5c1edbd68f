"""Flags as kubectl's own parser (pflag) takes them, put into the words that click takes."""

from __future__ import annotations

import click

_TRUE = ("1", "t", "T", "true", "TRUE", "True")
_FALSE = ("0", "f", "F", "false", "FALSE", "False")


class KubectlCommand(click.Command):
    """A command that also takes `--switch=true`, `-A=false` and `-n=shop`; a bare switch never takes the next word."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """click's own, after the words were respelled. Raises BadParameter for a switch that is neither on nor off."""
        return super().parse_args(ctx, _Words(self, ctx).respelled(args))


class _Words:
    """The words of one command line. A switch that is off is left out, together with what turned it on before."""

    def __init__(self, command: click.Command, ctx: click.Context) -> None:
        self.ctx = ctx
        self.options: dict[str, click.Option] = {}
        for parameter in command.get_params(ctx):
            if isinstance(parameter, click.Option):
                self.options |= dict.fromkeys([*parameter.opts, *parameter.secondary_opts], parameter)
        self.done: list[tuple[str, click.Option | None]] = []

    def respelled(self, args: list[str]) -> list[str]:
        waiting = list(args)
        while waiting and waiting[0] != "--":
            word = waiting.pop(0)
            if word.startswith("--"):
                takes_next = self.long(word)
            elif word.startswith("-") and word != "-":
                takes_next = self.short(word)
            else:
                self.keep(word)
                continue
            if takes_next and waiting:
                self.keep(waiting.pop(0))
        return [*(word for word, _ in self.done), *waiting]

    def keep(self, word: str) -> None:
        self.done.append((word, None))

    def long(self, word: str) -> bool:
        """True where the next word is this one's value."""
        name, equals, value = word.partition("=")
        option = self.options.get(name)
        if option is not None and option.is_flag:
            self.switch(option, name, value if equals else None)
            return False
        self.keep(word)
        # what click does not know it complains of itself
        return option is not None and not equals

    def short(self, word: str) -> bool:
        """True where the next word is the value of this one's last letter."""
        letters = word[1:]
        while letters:
            name, letters = f"-{letters[0]}", letters[1:]
            option = self.options.get(name)
            valued = letters.startswith("=") and len(letters) > 1
            if option is None:
                self.keep(name + letters)  # click says that there is none
                return False
            if option.is_flag:
                self.switch(option, name, letters[1:] if valued else None)
                letters = "" if valued else letters
            else:
                self.keep(name)
                if letters:
                    self.keep(letters.removeprefix("=") if valued else letters)
                return not letters
        return False

    def switch(self, option: click.Option, name: str, value: str | None) -> None:
        if value is not None and option.secondary_opts:
            self.keep(f"{name}={value}")  # two names, one for each state: click refuses a value
        elif value is None or value in _TRUE:
            self.done.append((name, option))
        elif value in _FALSE:
            self.done = [each for each in self.done if each[1] is not option]
        elif not self.ctx.resilient_parsing:
            raise click.BadParameter(f"{value!r} is neither true nor false", self.ctx, option)
