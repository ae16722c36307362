# SPDX-License-Identifier: BSD-3-Clause
"""Old names work and warn, for as long as they were promised to."""

import importlib
import warnings

import pytest

import ramify

MODULES = ("ramify.criteria", "ramify.dask")
OLD = [
    (module, old, *entry)
    for module in MODULES
    for old, entry in importlib.import_module(module)._RENAMED.items()
]


def version(text):
    return tuple(map(int, text.split(".")[:2]))


@pytest.mark.parametrize(("module", "old", "new", "goes_in"), OLD)
def test_an_old_name_warns_and_is_the_new_one(module, old, new, goes_in):
    home = importlib.import_module(module)
    words = rf"{module}\.{old} is now {module}\.{new}; .* goes in {goes_in}"
    with pytest.warns(FutureWarning, match=words) as caught:
        found = getattr(home, old)
    assert found is getattr(home, new)
    assert caught[0].filename == __file__
    assert old not in home.__all__


@pytest.mark.parametrize("entry", OLD)
def test_no_old_name_outlives_its_version(entry):
    assert version(ramify.__version__) < version(entry[-1])


@pytest.mark.parametrize("module", MODULES)
def test_other_names_are_errors_as_ever(module):
    home = importlib.import_module(module)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(AttributeError, match="no attribute 'mpa'"):
            home.mpa  # noqa: B018
