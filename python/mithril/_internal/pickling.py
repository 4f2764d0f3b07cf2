"""Pickling and copying of models, tensors, backends and optimizers.

Pickles contain data only: a model is its JSON form, a tensor its bytes, and a compiled model its
model with the options of compile. Unpickling compiles it again.
"""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any

from .. import _core
from .._core import (
    LBFGS,
    Backend,
    CompiledModel,
    Connection,
    EditableModel,
    LossScale,
    Model,
    Optimizer,
    Plateau,
    TrainModel,
    raise_error,
)
from .kinds import SCHEDULES

State = dict[str, Any]


def state_of(instance: Any) -> Any:
    """Returns what `__reduce__` of Python has as the state: attributes and `__slots__` of derived
    classes, or what their `__getstate__` returns."""
    own: Any = getattr(type(instance), "__getstate__", None)
    if own is not getattr(object, "__getstate__", None):  # object has one since Python 3.11
        return own(instance)
    slots = {
        name: getattr(instance, name)
        for cls in type(instance).__mro__
        for name, member in vars(cls).items()
        if isinstance(member, MemberDescriptorType) and hasattr(instance, name)
    }
    return (vars(instance), slots) if slots else vars(instance)


def _reduce_model(self: Model) -> Any:
    return _restore_model, (type(self), self.to_json()), state_of(self)


def _restore_model(cls: type[Model], text: str) -> Model:
    read = Model.from_json(text)
    if issubclass(cls, (TrainModel, EditableModel)):
        return read  # a class derived by a user becomes TrainModel, a model that is edited Model
    model = cls.__new__(cls)
    Model.__init__(model, read)
    return model


def _reduce_tensor(self: _core.Tensor) -> Any:
    return _restore_tensor, (type(self), self._bytes(), self.dtype, self.shape)


def _restore_tensor(cls: Any, data: bytes, dtype: _core.dtype, shape: tuple[int, ...]) -> Any:
    return cls(_core.Tensor._from_bytes(data, dtype, shape))


def _copy_compiled(self: CompiledModel) -> CompiledModel:
    """A copy shares everything except hooks, because compiled models are immutable otherwise."""
    made = self._copy()
    vars(made).update(vars(self))
    return made


def _reduce_compiled(self: CompiledModel) -> Any:
    model, revision, backend, options = vars(self)["_source"]
    if "_bound" in vars(self):
        raise_error(
            "InputError",
            "E0820",
            "a compiled model whose parameters are bound cannot be pickled",
            help="pickle the model it was bound from and the parameters, and bind them again",
        )
    if model._revision != revision:
        raise_error(
            "InputError",
            "E0821",
            "a compiled model cannot be pickled after its model has changed",
            help="compile the model again",
        )
    return _restore_compiled, (model, backend, options)


def _restore_compiled(model: Model, backend: Backend, options: State) -> CompiledModel:
    return _core.compile(model, backend, **options)


def _reduce_optimizer(self: Optimizer) -> Any:
    options = {**self.options, "lr": self.schedule, "groups": self.groups}
    return _restore_optimizer, (type(self), options, self.state_dict(), self.threads)


def _restore_optimizer(cls: Any, options: State, state: State, threads: int) -> Optimizer:
    optimizer: Optimizer = cls(**options)
    optimizer.load_state_dict(state)
    optimizer.set_threads(threads)
    return optimizer


def _reduce_options(self: Any) -> Any:
    return _restore_options, (type(self), self.options)


def _restore_options(cls: Any, options: State) -> Any:
    return cls(**options)


def _reduce_with_state(self: Plateau | LBFGS) -> Any:
    return _restore_with_state, (type(self), self.options, self.state_dict())


def _restore_with_state(cls: Any, options: State, state: State) -> Any:
    made = cls(**options)
    made.load_state_dict(state)
    return made


def _reduce_scale(self: LossScale) -> Any:
    names = ("scale", "growth_factor", "backoff_factor", "growth_interval", "growth_tracker")
    return LossScale, tuple(getattr(self, name) for name in names)


def _refuse_connection(self: Any) -> Any:
    raise_error(
        "InputError",
        "E0822",
        f"an object of {type(self).__name__} cannot be pickled: it belongs to its model",
        help="pickle the model",
    )


REFUSED = {
    "TrainingStep": (
        "a training step",
        "pickle the parameters, step.state and step.optimizer, or write them with ml.save, and "
        "make the step again",
    ),
    "_TensorBoard": ("an open log of TensorBoard", "make TensorBoard(folder) again"),
    "HookHandle": ("the handle of a hook", "register the hook again"),
    "MemoryHookHandle": ("the handle of a hook", "register the hook again"),
    "MemoryTimeline": ("a timeline of memory", "pickle its steps and values"),
    "Profile": ("a profile", "pickle the result of to_dict()"),
    "View": ("a view of a model", "pickle its page"),
    "Solver": ("a solver", "it lives as long as the call of the constraint that is given it"),
}


def _refuse_handle(self: Any) -> Any:
    what, advice = REFUSED[type(self).__name__]
    raise_error("InputError", "E0823", f"{what} cannot be pickled or copied", help=advice)


def _reduce_backend(self: Any) -> Any:
    """Its options and the state of its random generator, without its memory and memory hooks."""
    state = {key: value for key, value in vars(self).items() if key in ("dtype", "_generator")}
    return _restore_backend, (type(self), self._options), state


def _restore_backend(cls: Any, options: State) -> Backend:
    backend = cls.__new__(cls)
    # A class that a user has derived may have other arguments.
    own = next(base for base in cls.__mro__ if base.__module__.startswith("mithril.backends."))
    own.__init__(backend, **options)
    return backend  # type: ignore[no-any-return]


OPTIONS = (*SCHEDULES, "EMA", "Initializer", "ParameterGroup", "SWA")
_REDUCED: dict[Any, Any] = {
    Model: _reduce_model,
    _core.Tensor: _reduce_tensor,
    CompiledModel: _reduce_compiled,
    Backend: _reduce_backend,
    Optimizer: _reduce_optimizer,
    LossScale: _reduce_scale,
    Plateau: _reduce_with_state,
    LBFGS: _reduce_with_state,
    **{getattr(_core, name): _reduce_options for name in OPTIONS},
    **{getattr(_core, name): _refuse_handle for name in REFUSED},
    Connection: _refuse_connection,
    _core.Call: _refuse_connection,
}


def install() -> None:
    """Registers the functions above as __reduce__ of the classes of the core."""
    for cls, reduce in _REDUCED.items():
        cls.__reduce__ = reduce
    CompiledModel.__copy__ = _copy_compiled  # type: ignore[attr-defined]
    CompiledModel.__deepcopy__ = lambda self, memo: _copy_compiled(self)  # type: ignore[attr-defined]
