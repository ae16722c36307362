# SPDX-License-Identifier: BSD-3-Clause
"""Random cases, each made from one number, and what must hold of them.

A target is a function of a random generator that makes one case and returns what it
saw, as a list of words ("fitted", "refused", "same after load"). It raises a
`BrokenPromiseError` if something that we promise does not hold, and it may not raise
anything else: bad input is a `ValueError` or `TypeError`, which a target expects where
it is allowed.
A case runs in a child process, so that one that crashes or hangs is a result, too.

    cd tests
    python -m fuzz --minutes 30             # all targets in turn
    python -m fuzz --target model_files --cases 1000
    python -m fuzz --target estimators --only 4711   # this case, in this process
"""

from fuzz.promise import BrokenPromiseError
from fuzz.runner import Report, run

__all__ = ["BrokenPromiseError", "Report", "run"]
