"""The examples of every layer and its references: a file for each source file of mithril/models.

Each file has `EXAMPLES`, by the name of the layer. Where PyTorch has the layer, `references(torch)`
yields the cases that tools/make_torch_references evaluates with it.
"""

import pkgutil
from importlib import import_module

from layer_cases.case import Example

SOURCES = [
    import_module(f"{__name__}.{module.name}")
    for module in pkgutil.iter_modules(__path__)
    if module.name != "case"
]
LIBRARY: dict[str, list[Example]] = {
    name: examples for source in SOURCES for name, examples in source.EXAMPLES.items()
}
