"""The command `mithril`, also `python -m mithril`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import mithril

from .cli import package, serve, verify
from .cli.signals import CommandSignals

# Each has DESCRIPTION and add_arguments(parser).
COMMANDS = {"package": package, "serve": serve, "verify": verify}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit status: 1 for an error of Mithril, 2 for wrong usage.

    SIGINT and SIGTERM end a command without a traceback, with the status 0 if it serves, and else
    with 128 plus the number of the signal.
    """
    signals = CommandSignals()
    try:
        given = _parser().parse_args(arguments)
        try:
            with signals:
                given.run(given)
        except KeyboardInterrupt:
            pass
        except mithril.Error as error:  # which may be what a callback made of KeyboardInterrupt
            if not signals.number:
                print(error, file=sys.stderr)
                return 1
        return 128 + signals.number if signals.number and not given.serves else 0
    finally:
        signals.release()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mithril", description="Mithril's command line.")
    parser.add_argument("--version", action="version", version=mithril.__version__)
    parser.set_defaults(serves=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        module.add_arguments(commands.add_parser(name, help=module.DESCRIPTION))
    return parser


if __name__ == "__main__":
    sys.exit(main())
