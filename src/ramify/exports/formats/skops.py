# SPDX-License-Identifier: BSD-3-Clause
"""A model as skops stores it: types by name, to be trusted one by one, no pickle."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from importlib.metadata import version as version_of
from typing import Any

from ramify.exports.base import Answers, Artefact, ExportRefused, Format
from ramify.exports.certificates.rows import source_for
from ramify.exports.walk import Walk

__all__ = ["FORMAT"]


def write(model: Any, options: Mapping[str, Any]) -> Artefact:
    """Dump a model."""
    import skops.io

    data = skops.io.dumps(model)
    types = skops.io.get_untrusted_types(data=data)
    odd = [each for each in types if not _is_ours(each)]
    if odd:
        raise ExportRefused(
            f"format='skops' would need trust in {', '.join(odd[:3])}; use a criterion "
            "by name, or ramify.save"
        )
    return Artefact(data, notes=(f"trusted={types!r}",))


def _is_ours(name: str) -> bool:
    return name.split(".")[0] in ("ramify", "numpy", "sklearn", "collections")


class _Skops:
    """Loads the file and predicts with it."""

    name, is_own = "skops", False

    def version(self) -> str | None:
        if importlib.util.find_spec("skops") is None:
            return None
        return version_of("skops")

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        import skops.io

        from ramify.exports.certificates.certificate import truth

        data = artefact.content
        types = skops.io.get_untrusted_types(data=data)
        odd = [each for each in types if not _is_ours(each)]
        if odd:
            raise ValueError(f"the file would need trust in {', '.join(odd[:3])}")
        model = skops.io.loads(data, trusted=types)
        return truth(model, walk, source_for(walk, matrix))


FORMAT = Format(
    name="skops",
    suffix=".skops",
    write=write,
    about="the estimator itself, without pickle",
    packages=("skops",),
    runtimes=(_Skops(),),
    from_model=True,
)
