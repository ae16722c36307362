# SPDX-License-Identifier: BSD-3-Clause
"""The trials of `features`, with the decision tree of Spark's MLlib.

Run by `features --spark PYTHON`, in a Python that has pyspark and finds Java; two
executors of this machine, on 127.0.0.1.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
N, FEATURES = 30_000, [f"x{j}" for j in range(10)]


def frame():
    """Make the rows that others get in `features`."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, 10)), columns=FEATURES)
    score = X["x0"] * X["x1"] + X["x2"] + rng.normal(size=N)
    y = (score > 0).astype(float) + (score > 1).astype(float)
    return X.assign(y=y)


def session(master):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master)
    for name, value in (
        ("spark.ui.enabled", "false"),
        ("spark.driver.bindAddress", "127.0.0.1"),
        ("spark.driver.host", "127.0.0.1"),
        ("spark.log.level", "OFF"),
    ):
        builder = builder.config(name, value)
    return builder.getOrCreate()


def fitted(data, columns=FEATURES, **how):
    """Fit one tree; give it as text without its name."""
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import VectorAssembler

    put = VectorAssembler(inputCols=columns, outputCol="all columns", **how)
    tree = DecisionTreeClassifier(
        featuresCol="all columns", labelCol="y", maxDepth=6, maxBins=256, seed=0
    )
    return tree.fit(put.transform(data)).toDebugString.partition("\n")[2]


def trial(what, spark, folder):
    """Return whether one thing works."""
    whole = frame()
    path = f"{folder}/rows.parquet"
    whole.to_parquet(path)
    rows = spark.read.parquet(path)
    if what == "plain":
        return bool(fitted(rows))
    if what == "empty":
        few = whole[:20].to_numpy().tolist()
        empty = spark.sparkContext.parallelize(few, 40)
        return bool(fitted(spark.createDataFrame(empty, list(whole.columns))))
    if what == "class":
        return bool(fitted(rows.repartitionByRange(3, "y")))
    if what == "cuts":
        return fitted(rows.coalesce(1)) == fitted(rows.repartition(5))
    if what == "gaps":
        gaps = whole.assign(x0=whole["x0"].where(whole["x0"] > 0))
        return bool(fitted(spark.createDataFrame(gaps), handleInvalid="keep"))
    if what == "categories":
        return categories(spark)
    return killed(what, rows)


def categories(spark):
    """Let categories come in two orders; compare the trees."""
    from pyspark.ml.feature import StringIndexer

    values = ["a", "b", "c", "a", "c", "a"] * 500
    pairs = [
        (value, float(value == "a"), float(i % 11)) for i, value in enumerate(values)
    ]
    found = []
    for own in (pairs, pairs[::-1]):
        data = spark.createDataFrame(own, ["c", "y", "n"])
        index = StringIndexer(inputCol="c", outputCol="code").fit(data)
        found.append(fitted(index.transform(data), ["code", "n"]))
    return found[0] == found[1]


def killed(what, rows):
    """Kill an executor while a tree grows."""
    many = rows.repartition(8)
    first = fitted(many)
    executors = own_executors()
    if not executors:
        raise RuntimeError("there is no executor to kill")

    def kill():
        time.sleep(1.0)
        os.kill(executors[-1], signal.SIGKILL)

    threading.Thread(target=kill).start()
    second = fitted(many)
    return bool(second) if what == "kill" else first == second


def own_executors():
    """List the executors among the processes that this one started."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    ours, found = {os.getpid()}, []
    for line in sorted(
        listed.stdout.splitlines(), key=lambda line: int(line.split()[0])
    ):
        pid, parent, words = line.split(maxsplit=2)
        if int(parent) in ours:
            ours.add(int(pid))
            if "CoarseGrainedExecutorBackend" in words:
                found.append(int(pid))
    return found


def main():
    from importlib.metadata import version

    print(json.dumps(["version", version("pyspark")]), flush=True)
    spark = session("local-cluster[2,1,1024]")
    with tempfile.TemporaryDirectory() as folder:
        for what in sys.argv[1:]:
            if what == "local":
                answer = "has no other"
            else:
                try:
                    answer = "yes" if trial(what, spark, folder) else "no"
                except Exception as error:
                    answer = f"no: `{type(error).__name__}`"
            print(json.dumps([what, answer]), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
