"""Recurrent layers for `ml.from_torch` whose operators torch cannot export: on sequences of an open
length, and on packed sequences. The sizes of packed data depend on lengths, so while forward runs
for the export, the data stays padded, with the rows of all steps: [T N, I]. Recurrent layers and
`pad_packed_sequence` read the lengths; nothing else may read the data."""

from __future__ import annotations

from typing import Any

import torch
from torch import _VF
from torch.export import ExportedProgram

from .opaque import LIBRARY, REPLACED

ours = torch.ops.mithril_export
LIBRARY.define("pack(Tensor self, Tensor lengths) -> Tensor")
LIBRARY.define("unpack(Tensor self, Tensor lengths, float padding, int? total_length) -> Tensor")
LIBRARY.define(
    "recurrent(Tensor self, Tensor lengths, str kind, Tensor[] hx, Tensor[] params, "
    "bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) "
    "-> (Tensor, Tensor, Tensor)"
)
LIBRARY.define(
    "open_recurrent(Tensor self, str kind, Tensor[] hx, Tensor[] params, bool has_biases, "
    "int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) "
    "-> (Tensor, Tensor, Tensor)"
)


ALL_STEPS = -1  # a total_length: as many steps as were packed, which may be open


def pack_shape(x: Any, lengths: Any) -> Any:
    return x.new_empty([x.shape[0] * x.shape[1], *x.shape[2:]])


def unpack_shape(x: Any, lengths: Any, padding: float, total_length: Any) -> Any:
    count = lengths.shape[0]
    steps = x.shape[0] // count if total_length in (None, ALL_STEPS) else total_length
    return x.new_empty([steps, count, *x.shape[1:]])


def recurrent_shape(
    x: Any,
    lengths: Any,
    kind: str,
    hx: Any,
    params: Any,
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
) -> Any:
    width = hx[0].shape[-1] * (2 if bidirectional else 1)
    return x.new_empty([x.shape[0], width]), hx[0].new_empty(hx[0].shape), hx[-1].clone()


def open_recurrent_shape(
    x: Any,
    kind: str,
    hx: Any,
    params: Any,
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Any:
    width = hx[0].shape[-1] * (2 if bidirectional else 1)
    return x.new_empty([*x.shape[:2], width]), hx[0].new_empty(hx[0].shape), hx[-1].clone()


torch.library.register_fake("mithril_export::pack", pack_shape, lib=LIBRARY)
torch.library.register_fake("mithril_export::unpack", unpack_shape, lib=LIBRARY)
torch.library.register_fake("mithril_export::recurrent", recurrent_shape, lib=LIBRARY)
torch.library.register_fake("mithril_export::open_recurrent", open_recurrent_shape, lib=LIBRARY)


class Steps(int):
    """An int that is compared by identity."""


class Sizes:
    """Replaces the batch sizes of a packed sequence: one for each step. The first is the number of
    sequences."""

    device = torch.device("cpu")

    def __init__(self, lengths: Any, steps: Any, count: Any) -> None:
        self.lengths, self.steps, self._count = lengths, steps, count
        # `size` returns this object, and `unpack` recognises it: no total length was asked for.
        self.longest = Steps(steps) if isinstance(steps, int) else steps + 0

    def __getitem__(self, index: int) -> Any:
        if index != 0:
            raise TypeError("the batch sizes of a packed sequence depend on its lengths")
        return self._count

    def size(self, axis: int) -> Any:
        return self.longest

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise TypeError(f"{func.__name__} reads the batch sizes of a packed sequence")


def pack(input: Any, lengths: Any, batch_first: bool) -> Any:
    data = input.transpose(0, 1) if batch_first else input
    return ours.pack(data, lengths), Sizes(lengths, data.shape[0], data.shape[1])


def unpack(
    data: Any, sizes: Any, batch_first: bool, padding_value: float, total_length: Any
) -> Any:
    total = None if total_length is sizes.longest else total_length
    if isinstance(total, torch.SymInt):
        if total != sizes.steps:
            raise TypeError("total_length is open, and not the number of steps that were packed")
        total = ALL_STEPS
    padded = ours.unpack(data, sizes.lengths, float(padding_value), total)
    return padded.transpose(0, 1) if batch_first else padded, sizes.lengths


def is_open(data: Any, *args: Any) -> bool:
    """Whether the length of the sequences is open. The last argument is batch_first, unless the
    data is packed by torch."""
    is_packed = isinstance(args[0], torch.Tensor) and isinstance(args[1], torch.Tensor | tuple)
    return not is_packed and isinstance(data.shape[1 if args[-1] else 0], torch.SymInt)


def recurrent(kind: str, plain: Any) -> Any:
    """A layer of the kind: `plain` is torch's, which unrolls the steps of a known length."""

    is_lstm = kind == "lstm"

    def build(data: Any, *args: Any) -> Any:
        if isinstance(args[0], Sizes):
            sizes, hx, *rest = args
            states = list(hx) if is_lstm else [hx]
            results = ours.recurrent(data, sizes.lengths, kind, states, *rest)
        elif is_open(data, *args):
            hx, *rest = args
            results = ours.open_recurrent(data, kind, list(hx) if is_lstm else [hx], *rest)
        else:
            return plain(data, *args)
        return results if is_lstm else results[:2]

    return build


RECURRENT = {
    getattr(_VF, kind): recurrent(kind, getattr(_VF, kind))
    for kind in ("lstm", "gru", "rnn_tanh", "rnn_relu")
}
REPLACED |= {
    _VF._pack_padded_sequence: pack,
    _VF._pad_packed_sequence: unpack,
    **RECURRENT,
}
READERS = (ours.recurrent.default, ours.unpack.default)


class PackedDataError(Exception):
    """Data of a packed sequence is used as if it had no padding."""


def check_packed(program: ExportedProgram) -> None:
    for node in program.graph.nodes:
        if node.target is ours.pack.default or is_output(node):
            for user in node.users:
                if user.target not in READERS or user.args[0] is not node:
                    raise PackedDataError(f"{user.name} reads the data of a packed sequence")


def is_output(node: torch.fx.Node) -> bool:
    """Whether the node is the output of a recurrent layer, and not its last state."""
    source = node.args[0] if node.args else None
    is_item = isinstance(source, torch.fx.Node) and source.target is ours.recurrent.default
    return is_item and node.target not in READERS and node.args[1] == 0
