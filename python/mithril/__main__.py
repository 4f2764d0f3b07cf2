"""The command `mithril`, also `python -m mithril`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import mithril

from . import package_command, serve_command, verify_command

# Each has DESCRIPTION and add_arguments(parser).
COMMANDS = {"package": package_command, "serve": serve_command, "verify": verify_command}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit status: 1 for an error of Mithril, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="mithril", description="Mithril's command line.")
    parser.add_argument("--version", action="version", version=mithril.__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        module.add_arguments(commands.add_parser(name, help=module.DESCRIPTION))
    given = parser.parse_args(arguments)
    try:
        given.run(given)
    except mithril.Error as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
