# SPDX-License-Identifier: MIT OR Apache-2.0
"""How the tools of this folder end: as commands that say what went wrong."""

import os
import sys


def run(main, *troubles):
    """Runs main with the arguments, and exits: with its result; 2 after one of the exceptions
    `troubles`, which is printed; 130 if interrupted."""
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    try:
        sys.exit(main(sys.argv[1:]))
    except troubles as trouble:
        print("%s: %s" % (name, trouble), file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
