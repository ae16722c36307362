# SPDX-License-Identifier: BSD-3-Clause
"""What mkdocstrings must be told of our docstrings, as an extension of its reader."""

from typing import Any

import griffe


class ReferencePages(griffe.Extension):
    """Corrects what the reader makes of attributes and of shared descriptions."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Hide plain attributes, which the docstring of their class lists.

        Else they show the docstring of the type of their value.
        """
        if "property" not in attr.labels and "cached" not in attr.labels:
            attr.docstring = None

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Give each of several parameters with one description its own default.

        Else all of them show the type and default of the first.
        """
        for one in described(pkg):
            own = parameters_of(one)
            for section in one.docstring.parsed:
                if section.kind is not griffe.DocstringSectionKind.parameters:
                    continue
                for told in section.value:
                    parameter = own.get(told.name)
                    if parameter is None:
                        continue
                    told.value = parameter.default
                    if any(
                        told.annotation is other.annotation for other in own.values()
                    ):
                        told.annotation = parameter.annotation


def parameters_of(one: Any) -> dict[str, griffe.Parameter]:
    """Return the parameters of a function or of a constructor by their names."""
    try:
        return {parameter.name: parameter for parameter in one.parameters}
    except griffe.AliasResolutionError:  # a constructor of another package
        return {}


def described(module: griffe.Module) -> list[Any]:
    """Return the functions and classes below a module that have docstrings."""
    found: list[Any] = []
    for member in module.members.values():
        if member.is_alias:
            continue
        if member.is_module or member.is_class:
            found += described(member)
        if (member.is_class or member.is_function) and member.docstring:
            found.append(member)
    return found
