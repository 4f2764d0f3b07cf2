"""Every layer of torch.nn, inside of another module; skipped where torch is missing."""

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from from_torch_agreement import assert_same  # noqa: E402
from from_torch_cases import Case  # noqa: E402
from from_torch_layers import LAYERS, REFUSED, kinds  # noqa: E402

nn = torch.nn


class Outer(nn.Module):
    """A module with the layer two levels below."""

    def __init__(self, layer: "nn.Module") -> None:
        super().__init__()
        self.blocks = nn.ModuleList([nn.ModuleDict({"layer": layer})])

    def forward(self, a, b=None, c=None, d=None):
        given = [value for value in (a, b, c, d) if value is not None]
        return self.blocks[0]["layer"](*given)


def test_every_layer_has_a_case() -> None:
    known = {name.partition(",")[0].split(" ")[0] for name in LAYERS.keys() | REFUSED.keys()}
    assert known == set(kinds())


@pytest.mark.parametrize("name", sorted(LAYERS.keys() - REFUSED.keys()))
@pytest.mark.sampled(13)
def test_layers_are_the_same(name: str) -> None:
    case = LAYERS[name]
    assert_same(Case(lambda: Outer(case.module()), case.inputs, case.train, case.tolerance))


@pytest.mark.parametrize("name", sorted(REFUSED))
@pytest.mark.sampled(3)
def test_layers_are_refused(name: str) -> None:
    case = LAYERS[name]
    with pytest.raises(ml.ValueError) as caught:
        ml.from_torch(Outer(case.module().double()).train(case.train), case.inputs)
    assert REFUSED[name] in str(caught.value)
