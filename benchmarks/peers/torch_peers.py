"""PyTorch: eager, compiled by Inductor, and as TorchScript."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import torch

from benchmarks.peers.torch_workloads import Problem, problem, training_step
from benchmarks.peers.variants import Loaded, Variant
from benchmarks.peers.workloads import WORKLOADS

VERSION = torch.__version__
modes = ExitStack()  # entered until the process ends


def compiled(variant: Variant) -> Callable[..., object] | None:
    if variant.runtime != "inductor":
        return None
    mode = "max-autotune" if variant.has("autotune") else None
    return lambda function: torch.compile(function, mode=mode)


def scripted(asked: Problem) -> torch.jit.ScriptModule:
    traced = torch.jit.trace(asked.module, tuple(asked.inputs))
    optimized = torch.jit.optimize_for_inference(torch.jit.freeze(traced))
    for _ in range(2):  # it specialises on earlier inputs
        optimized(*asked.inputs)
    return optimized


def inference(variant: Variant, asked: Problem) -> Loaded:
    # Inductor freezes weights under the first of them alone.
    mode = torch.no_grad() if variant.runtime == "inductor" else torch.inference_mode()
    modes.enter_context(mode)
    function: Callable[..., object] = asked.module
    inputs = asked.inputs
    if variant.has("bfloat16"):
        asked.module.bfloat16()
        inputs = [x.bfloat16() if x.is_floating_point() else x for x in inputs]
    if variant.runtime == "torchscript":
        function = scripted(asked)
    if (compile_with := compiled(variant)) is not None:
        import torch._inductor.config as inductor  # noqa: PLC0415  (slow, and only for this)

        inductor.freezing = True
        function = compile_with(asked.module)  # type: ignore[assignment]
    return Loaded(lambda: function(*inputs), lambda result: result.float().numpy())


def load(name: str, variant: Variant, threads: int, folder: Path) -> Callable[[], Loaded]:
    """The function that loads the peer; the weights are already in memory."""
    torch.set_num_threads(threads)
    asked = problem(name, fused_attention=variant.has("sdpa"))

    def loaded() -> Loaded:
        if WORKLOADS[name].optimizer is None:
            return inference(variant, asked)
        step = training_step(name, asked, compiled(variant))
        return Loaded(step, lambda loss: loss.item())

    return loaded
