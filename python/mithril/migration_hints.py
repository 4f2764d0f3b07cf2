"""Names of other libraries, and their replacements here."""

from typing import Any, NoReturn

from . import _core

MODULE = {
    "NumpyBackend": "CpuBackend, whose arrays are NumPy's",
    "CBackend": "CpuBackend",
    "GGMLBackend": "CpuBackend",
    "JaxBackend": "CpuBackend or TorchBackend",
    "MlxBackend": "CpuBackend or TorchBackend",
    "TBD": "leaving the argument out",
    "Dense": "Linear(dimension)",
    "Sequential": "model = Model(), and model += part for each part",
    "Module": "Model",
    "nn": "the names of this module: Linear, Relu, Conv2d",
    "optim": "SGD, Adam or AdamW",
    "Input": "IOKey(name, shape=...)",
    "Parameter": "IOKey(name, differentiable=True)",
    "LSTM": "LSTMCell for one step; ManyToOne or OneToMany for sequences",
    "GRU": "GRUCell for one step; ManyToOne or OneToMany for sequences",
    "RNN": "RNNCell for one step; ManyToOne or OneToMany for sequences",
    "MSELoss": "SquaredError, as a loss of TrainModel",
    "L1Loss": "AbsoluteError, as a loss of TrainModel",
    "BCELoss": 'BinaryCrossEntropy(input_type="probs"), as a loss of TrainModel',
    "BCEWithLogitsLoss": "BinaryCrossEntropy, as a loss of TrainModel",
    "CrossEntropyLoss": "CrossEntropy, as a loss of TrainModel",
    "NLLLoss": 'CrossEntropy(input_type="log_probs"), as a loss of TrainModel',
    "KLDivLoss": "KLDivergence, as a loss of TrainModel",
    "MultiheadAttention": "MultiHeadAttention",
    "TransformerEncoderLayer": "TransformerBlock",
    "AdaptiveAvgPool2d": "AdaptiveAvgPool2D",
    "ConvTranspose2D": "ConvTranspose2d",
    "Datum": 'IOKey(value="text"), for a string that is a value and not the name of a key',
    "tensor": "Tensor",
    "from_numpy": "the array itself: evaluate takes NumPy arrays",
    "save": "numpy.savez(path, **params), or pickle",
    "load": "numpy.load(path), or pickle",
    "no_grad": "compile(..., inference=True)",
    "jit": "compile",
    "grad": "compiled.evaluate(params, data, output_gradients=...)",
}
TRAINING = (
    "for_inference(params, state) or infer(params, data, state) to infer; "
    "what compile(model, backend) gives trains"
)
COMPILED = {
    "evaluate_all": "evaluate(params, data, output_gradients=...), which gives both",
    "evaluate_gradients": "evaluate(params, data, output_gradients=...), which gives outputs and "
    "gradients",
    "train": TRAINING,
    "eval": TRAINING,
    "state_dict": "the parameters themselves: get_parameters() gives a dict that can be saved, "
    "load_state_dict(saved) takes one",
    "parameters": "get_parameters(), or parameter_keys for their names",
    "named_parameters": "get_parameters(), a dict by name",
    "forward": "evaluate(params, data)",
    "backward": "evaluate(params, data, output_gradients=...), which returns outputs and gradients",
    "predict": "evaluate(params, data)",
    "fit": "ml.fit(TrainingStep(compiled, optimizer), data, epochs=10)",
    "zero_grad": "nothing: evaluate returns the gradients and does not accumulate them",
    "to": "compile for another backend: TorchBackend(device=...)",
    "cuda": 'compile for TorchBackend(device="cuda")',
    "register_forward_hook": "register_hook(path, fn)",
}


def refuse(owner: str, name: str, known: dict[str, str], there: list[str]) -> NoReturn:
    """Raises AttributeError E0624 with the replacement, or with the nearest names."""
    same = [each for each in there if each.lower() == name.lower()]
    hint = f"use {known[name]}" if name in known else _core.did_you_mean(name, same or there)
    _core.no_attribute(f"{owner} has no attribute {name!r}", hint)


def of_compiled(compiled: _core.CompiledModel, name: str) -> Any:
    public = [each for each in dir(type(compiled)) if not each.startswith("_")]
    refuse("a compiled model", name, COMPILED, public)


_core.CompiledModel.__getattr__ = of_compiled  # type: ignore[attr-defined]
