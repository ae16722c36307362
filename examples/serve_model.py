# SPDX-License-Identifier: BSD-3-Clause
"""Serve a model over HTTP, twice: from the compiled C header, and from the ONNX file.

Rows come as JSON to /c and /onnx; both must answer as `predict_proba` does.
"""

import ctypes
import importlib.util
import json
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import Request, urlopen

import numpy as np

import ramify
from ramify.datasets import load

data = load("breast_cancer")
forest = ramify.RandomForestClassifier(20, max_depth=6, random_state=0)
forest.fit(data.X, data.y)
n_classes = len(forest.classes_)


def from_c(model):
    """Compile the exported header into a library; return a function of one row."""
    made = ramify.export(model, "c", "model.h", certify=data.X)
    print(f"C:    {made.certificate.n_replayed} rows replayed, exact")
    Path("model.c").write_text(
        '#include "model.h"\n'
        "int ask(const double *x, double *p) { return model_predict(x, p, NULL); }\n"
    )
    command = ["cc", "-O2", "-std=c99", "-shared", "-fPIC", "model.c", "-lm"]
    subprocess.run([*command, "-o", "model.so"], check=True)
    library = ctypes.CDLL(str(Path("model.so").resolve()))

    def ask(row):
        shares = (ctypes.c_double * n_classes)()
        library.ask((ctypes.c_double * len(row))(*row), shares)
        return list(shares)

    return ask


def from_onnx(model):
    """Load the exported graph; return a function of one row."""
    import onnxruntime

    made = ramify.export(model, "onnx", "model.onnx", certify=data.X)
    print(f"ONNX: {made.certificate.n_replayed} rows replayed, exact")
    session = onnxruntime.InferenceSession("model.onnx")

    def ask(row):
        return session.run(["probabilities"], {"X": np.array([row])})[0][0].tolist()

    return ask


services = {}
if shutil.which("cc"):
    services["/c"] = from_c(forest)
if all(map(importlib.util.find_spec, ("onnx", "onnxruntime"))):
    services["/onnx"] = from_onnx(forest)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):  # the name that http.server looks for
        ask = services.get(self.path)
        if ask is None:
            self.send_error(404)
            return
        row = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        # JSON has no NaN: null is a missing value.
        said = ask([float("nan") if x is None else float(x) for x in row])
        body = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


rows = np.array(data.X[:40], dtype=np.float64)
rows[::5, 3] = np.nan  # requests may have missing values
expected = forest.predict_proba(rows)
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
try:
    for path in services:
        url = f"http://127.0.0.1:{server.server_port}{path}"
        for row, answer in zip(rows, expected, strict=True):
            sent = json.dumps([None if x != x else x for x in row.tolist()])
            with urlopen(Request(url, sent.encode())) as reply:
                assert json.loads(reply.read()) == answer.tolist()
        print(f"{path}: {len(rows)} requests answered as by predict_proba, to the bit")
finally:
    server.shutdown()
    server.server_close()
if len(services) < 2:
    print("a C compiler, onnx and onnxruntime are needed for both services")
