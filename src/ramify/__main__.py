# SPDX-License-Identifier: BSD-3-Clause
"""``python -m ramify`` is the command ``ramify``."""

from ramify.cli import main

if __name__ == "__main__":
    main(prog_name="ramify")
