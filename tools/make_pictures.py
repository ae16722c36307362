# SPDX-License-Identifier: BSD-3-Clause
"""Draw the pictures of docs/criteria and docs/methods.

They are SVG files of less than 40 kB without background. The same data give the same
files, but another release of matplotlib may not: the pages are checked against the
registries, and of pictures only that they are there.
"""

import sys

import criterion_pictures
import method_pictures
from drawing import IMAGES, save

import ramify

MAX_BYTES = 40_000


def main() -> int:
    """Draw all, or those that are named."""
    kinds = ("criteria", "uplift", "measures", "expressions", "regression")
    drawn = {
        "criteria": (
            criterion_pictures.picture,
            [name for kind in kinds for name in ramify.criteria.names(kind)],
        ),
        "methods": (method_pictures.picture, ramify.methods.names()),
    }
    wanted, too_large = set(sys.argv[1:]), []
    for folder, (draw, names) in drawn.items():
        for name in names:
            path = IMAGES / folder / f"{name}.svg"
            if not wanted or name in wanted:
                save(draw(name), path)
                if path.stat().st_size > MAX_BYTES:
                    too_large.append(str(path))
        for path in (IMAGES / folder).glob("*.svg"):
            if path.stem not in names:
                path.unlink()
    for path in too_large:
        print(f"{path} is larger than {MAX_BYTES} bytes", file=sys.stderr)
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main())
