"""The names of the peers: a runtime, and after each + a change of its default settings.

shim lets the MKL in PyTorch use its fast kernels on processors that are not Intel's; sdpa has
PyTorch's fused attention in place of two products and a softmax; autotune searches for the fastest
kernels when it compiles. bfloat16 computes in that type: OpenVINO chooses which ops do, and Mithril
uses mixed precision. weights only holds the weights in bfloat16.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.peers.workloads import Workload

OURS = "mithril"
# The module that must be there for a runtime, and the one of this package that runs it.
RUNTIMES = {
    "eager": ("torch", "torch_peers"),
    "inductor": ("torch", "torch_peers"),
    "torchscript": ("torch", "torch_peers"),
    "onnxruntime": ("onnxruntime", "onnxruntime_peer"),
    "openvino": ("openvino", "openvino_peer"),
    "jax": ("jax", "jax_peer"),
}
USUAL = (
    "eager",
    "eager+shim",
    "eager+sdpa+shim",
    "inductor",
    "inductor+shim",
    "torchscript",
    "onnxruntime",
    "openvino",
    "jax",
)
ON_REQUEST = (
    "eager+sdpa",
    "inductor+sdpa",
    "inductor+sdpa+shim",
    "inductor+autotune",
    "inductor+autotune+shim",
    "torchscript+shim",
    "eager+bfloat16",
    "openvino+bfloat16",
    "mithril+bfloat16",
    "mithril+bfloat16+weights",
)
ONLY_INFERENCE = {"torchscript", "onnxruntime", "openvino"}


@dataclass(frozen=True)
class Variant:
    name: str

    @property
    def runtime(self) -> str:
        return self.name.split("+")[0]

    def has(self, difference: str) -> bool:
        return difference in self.name.split("+")[1:]

    def applies_to(self, workload: Workload) -> bool:
        if self.has("shim") and not workload.has_products:
            return False
        if self.has("sdpa") and not workload.has_attention:
            return False
        if self.runtime == "jax" and workload.is_architecture:
            return False
        only_inference = self.runtime in ONLY_INFERENCE or self.has("bfloat16")
        return workload.optimizer is None or not only_inference


@dataclass(frozen=True)
class Loaded:
    """A peer that has computed its first result."""

    call: Callable[[], Any]
    # The result of a call as an array, or the loss as a number.
    read: Callable[[Any], object]
    # Memory that the runtime reads without owning it.
    held: object = None
