"""Packed sequences and sizes that depend on elements, and their refusals, in `ml.from_torch`."""

from typing import Any

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from from_torch_cases import Of, OfTwo  # noqa: E402
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

X, LENGTHS = torch.randn(2, 4, 3), torch.tensor([2, 4])


class Padded(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.GRU(3, 5, batch_first=True)

    def forward(self, x: Any, lengths: Any) -> Any:
        packed = pack_padded_sequence(x, lengths, True, enforce_sorted=False)
        return pad_packed_sequence(self.layer(packed)[0], True)[0]


class Averaged(Padded):
    def forward(self, x: Any, lengths: Any) -> Any:
        packed = pack_padded_sequence(x, lengths, True, enforce_sorted=False)
        return self.layer(packed)[0].data.mean()


def run(module: Any, lengths: Any) -> Any:
    model, params = ml.from_torch(module, (X, LENGTHS))
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float32))
    given = {key: value.detach().numpy() for key, value in params.items()}
    outputs = compiled.evaluate(given, {"x": X.numpy(), "lengths": lengths.numpy()})
    return outputs["output"]


def test_the_data_of_a_packed_sequence_has_no_other_readers() -> None:
    with pytest.raises(ml.ValueError, match="E0414") as caught:
        ml.from_torch(Averaged(), (X, LENGTHS))
    assert "mean reads the data of a packed sequence" in str(caught.value)
    assert "packed data stays padded in Mithril" in str(caught.value)


def test_lengths_in_another_order() -> None:
    module = Padded()
    lengths = torch.tensor([4, 1])
    expected = module(X, lengths).detach()
    assert torch.allclose(torch.as_tensor(run(module, lengths)), expected, atol=1e-6)


@pytest.mark.parametrize("longest", [3, 5])
def test_the_longest_sequence_fills_the_steps(longest: int) -> None:
    with pytest.raises(ml.ValueError, match="out of range for size 1"):
        run(Padded(), torch.tensor([1, longest]))


def test_a_computed_number_of_repeats_needs_the_size() -> None:
    module = OfTwo(lambda x, y: x.repeat_interleave(y, 0))
    with pytest.raises(ml.ValueError, match="output_size=n"):
        ml.from_torch(module, (X, LENGTHS))


def test_bincount_needs_the_number_of_bins() -> None:
    with pytest.raises(ml.ValueError, match=r"write torch.bincount\(x, minlength=n\)"):
        ml.from_torch(Of(torch.bincount), (LENGTHS,))


def test_ctc_loss_takes_rows_of_targets() -> None:
    module = OfTwo(
        lambda x, y: torch.nn.functional.ctc_loss(x.log_softmax(-1), y, (2, 2, 2, 2), (1, 0, 1, 0))
    )
    with pytest.raises(ml.ValueError, match="write them as rows"):
        ml.from_torch(module, (X, torch.tensor([1, 2])))
