"""The command `mithril`, also `python -m mithril`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import mithril

from .cli import bench, package, serve, verify
from .cli.model_file import StatedError
from .cli.near_files import near_files
from .cli.output import show
from .cli.signals import CommandSignals

# Each has DESCRIPTION and add_arguments(parser).
COMMANDS = {"bench": bench, "package": package, "serve": serve, "verify": verify}

# The exit status of an error, as docs/cli.md has it.
WRONG_USAGE, BAD_FILE, MISSING = 2, 3, 4
STATUS = {
    "E0209": WRONG_USAGE,  # open sizes, which --shape states
    "E0430": WRONG_USAGE,  # --memory-limit
    "E0438": WRONG_USAGE,
    "E0439": WRONG_USAGE,
    "E0876": WRONG_USAGE,
    "E1013": MISSING,  # torch
    "E1014": MISSING,
    "E1036": MISSING,  # jax
    "E1102": MISSING,  # memory
    "E1222": WRONG_USAGE,  # --mask
    "E1236": MISSING,  # a free port
    "E1237": WRONG_USAGE,  # --port
    "E1312": WRONG_USAGE,  # --constant
    "E1313": WRONG_USAGE,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit status.

    It is 1 if a check fails, 2 for wrong usage, 4 if a library is missing, and 3 for another error
    of Mithril. SIGINT and SIGTERM end a command without a traceback, with the status 0 if it
    serves, and else with 128 plus the number of the signal.
    """
    signals = CommandSignals()
    serves = False
    try:
        try:
            given = _parser().parse_args(arguments)
            serves = given.serves
            with signals:
                given.run(given)
        except KeyboardInterrupt:
            pass
        except StatedError as error:
            print(error, file=sys.stderr)
            return WRONG_USAGE
        except mithril.Error as error:  # which may be what a callback made of KeyboardInterrupt
            if not signals.number:
                print(error, file=sys.stderr)
                near = near_files(error.path) if error.code == "E0830" and error.path else ""
                if near:
                    print(f"  help: {near}", file=sys.stderr)
                return STATUS.get(error.code, BAD_FILE)
        return 128 + signals.number if signals.number and not serves else 0
    finally:
        signals.release()


class _Parser(argparse.ArgumentParser):
    """Writes its help as commands write their results: argparse ignores a full disk."""

    def print_help(self, file: Any = None) -> None:
        show(self.format_help().rstrip("\n"))


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        show(mithril.__version__)
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="mithril", description="Mithril's command line.")
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version")
    parser.set_defaults(serves=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        module.add_arguments(commands.add_parser(name, help=module.DESCRIPTION))
    return parser


if __name__ == "__main__":
    sys.exit(main())
