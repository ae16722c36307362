# SPDX-License-Identifier: BSD-3-Clause
"""Workers that log their tasks, and end or sleep in the middle of one, once."""

import os
import signal
import time

from distributed import WorkerPlugin, get_worker

from ramify.distributed.dask import tasks

NAMES = (
    *("look_at", "sketch", "bin_rows", "count", "count_all", "gather_rows", "grow"),
    *("boost", "renew"),
)


class Killer(WorkerPlugin):
    """Kills the first process that runs a task of that name, in a pass if given."""

    name = "killer"

    def __init__(self, folder, victim=None, number=None, times=1):
        self.folder, self.victim, self.number = str(folder), victim, number
        self.times = times

    def setup(self, worker):
        for name in NAMES:
            original = getattr(tasks, name)
            original = getattr(original, "original", original)
            setattr(tasks, name, self.watched(name, original))

    def teardown(self, worker):
        for name in NAMES:
            setattr(tasks, name, getattr(tasks, name).original)

    def watched(self, name, work):
        def run(*given):
            key = get_worker().get_current_task()
            with open(f"{self.folder}/log", "a") as log:
                log.write(f"{name} {os.getpid()} {key}\n")
            if name == self.victim and self.is_now(given) and self.is_first():
                with open(f"{self.folder}/killed", "a") as log:
                    log.write(f"{name} {os.getpid()} {key}\n")
                self.strike()
            return work(*given)

        run.original = work
        return run

    def strike(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def is_now(self, given):
        if self.number is None or self.victim != "boost":
            return self.number is None or given[1].number == self.number
        request, _ = given[1]
        return request.round == self.number and len(request.trees) > 0

    def is_first(self):
        for i in range(self.times):
            try:
                flag = os.open(f"{self.folder}/flag{i}", os.O_CREAT | os.O_EXCL)
            except FileExistsError:
                continue
            os.close(flag)
            return True
        return False


class Sleeper(Killer):
    """Sleeps in a task instead, until it may go on."""

    def strike(self):
        until = time.monotonic() + 600  # or it hangs
        while time.monotonic() < until and not os.path.exists(f"{self.folder}/go"):
            time.sleep(0.05)


def lines(path):
    return [line.split() for line in path.read_text().splitlines()]
