// Loops and choices as parts.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/compile/loop_steps.hpp"
#include "mithril/models/cond.hpp"
#include "mithril/models/scan.hpp"
#include "mithril/models/while.hpp"

namespace mithril::python {
namespace {

// The pairs of the dict: a carry, and the output that is its next value.
std::vector<std::pair<std::string, std::string>> carries_of(const py::dict& carry) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [key, next] : carry)
    pairs.emplace_back(text_of(key, "the name of an input"),
                       text_of(next, "the name of an output"));
  return pairs;
}

Model make_loop(const Model& body, const py::dict& carry, std::vector<std::string> sequences,
                std::vector<std::string> outputs, int64_t axis, bool reverse, py::handle length,
                const std::string& lengths) {
  ScanOptions options{.carry = carries_of(carry),
                      .sequences = std::move(sequences),
                      .outputs = std::move(outputs),
                      .axis = axis,
                      .reverse = reverse};
  options.lengths = lengths;
  if (!length.is_none()) options.length = binding_of(length);
  return Scan(body, options);
}

Model make_choice(py::handle condition, const Model& then, const Model& otherwise) {
  if (py::isinstance<Model>(condition))
    return Cond(py::cast<const Model&>(condition), then, otherwise);
  return Cond(text_of(condition, "the name of an input, or a model"), then, otherwise);
}

Model make_while(const Model& condition, const Model& body, const py::dict& carry,
                 std::optional<int64_t> max_steps) {
  return While(condition, body, {.carry = carries_of(carry), .max_steps = max_steps});
}

void bind_choice(py::module_& module) {
  module.def(
      "Cond", make_choice, py::arg("condition"), py::arg("then"), py::arg("otherwise"),
      R"(Returns a model that runs one of two models: `then` if the condition is true, or `otherwise`.

The models become parts, and only the chosen one runs. Inputs of the same name are one input.
Parameters stay those of their part. The outputs are those of both models. The gradient computes
the chosen branch again. The model that does not run keeps its state.

Args:
    condition: the name of an input, a bool of shape []: a new one, or one that the models read. Or
        a model with one output, such a bool, which becomes a part, too, and shares the inputs.
    then: a model that is not yet a part.
    otherwise: another one, whose outputs have the same names, shapes and dtypes.

Returns:
    A new Model.

Raises:
    ConnectionError: If the models have different outputs, or the model of the condition has several
        outputs.
    ShapeError: If outputs have different shapes, or the condition is not a scalar.
    TypeError: If outputs have different types, or the condition is not a bool.

Example:
    x = ml.IOKey("x")
    model = ml.Cond("is_large", ml.Model.create(y=x.exp()), ml.Model.create(y=x * 2))
    print(model.input_keys)  # ['is_large', 'x']

See docs/loops.md.)");
}

void bind_while(py::module_& module) {
  module.def("While", make_while, py::arg("condition"), py::arg("body"), py::kw_only(),
             py::arg("carry") = py::dict(), py::arg("max_steps") = py::none(),
             R"(Returns a model that runs another one in a loop, while a condition is true.

Both models become parts. The loop has their ports: a carry is the value before the first step; the
condition and all steps read the other inputs and the parameters. Its outputs are "<carry>_last",
each carry after the last step. A state of the body or the condition is a state of the loop: each
step reads what the step before has returned.

Args:
    condition: a model that is not yet a part, with one output, a bool of shape []: whether another
        step runs.
    body: a model that is not yet a part: one step.
    carry: the inputs of the body that one step passes to the next, each with the output that is its
        next value, of the same shape and dtype. The condition reads them by their names.
    max_steps: maximum number of steps. A loop without it has no gradient.

Returns:
    A new Model.

Raises:
    NameError: If the body lacks a name.
    ShapeError: If a step changes the shape of a carry, or the condition is not a scalar.
    TypeError: If a step changes the type of a carry, or the condition is not a bool.
    ValueError: If there is no carry, or `max_steps` is negative.
    ConnectionError: If the condition has several outputs.

Example:
    x, a = ml.IOKey("x"), ml.IOKey("a")
    far = ml.Model.create(far=(x * x - a).abs() > 1e-6)
    step = ml.Model.create(x_next=0.5 * (x + a / x))
    root = ml.While(far, step, carry={"x": "x_next"})
    print(root.output_keys)  # ['x_last']

See docs/loops.md.)");
}

}  // namespace

void bind_loops(py::module_& module) {
  bind_choice(module);
  bind_while(module);
  module.def("Scan", make_loop, py::arg("body"), py::kw_only(), py::arg("carry") = py::dict(),
             py::arg("sequences") = std::vector<std::string>(),
             py::arg("outputs") = std::vector<std::string>(), py::arg("axis") = 0,
             py::arg("reverse") = false, py::arg("length") = py::none(), py::arg("lengths") = "",
             R"(Returns a model that runs another one in a loop, once for each element of sequences.

The body becomes a part. The loop has its ports: a sequence has one more axis, the steps; a carry is
the value before the first step; all steps read the other inputs and the parameters. Its outputs are
the stacked `outputs`, with the axis of the steps, and "<carry>_last", each carry after the last
step. The number of steps may be unknown, and differ from call to call. Without steps the last
carries are the first ones. A state of the body is a state of the loop: each step reads what the one
before has left.

Args:
    body: a model that is not yet a part: one step.
    carry: the inputs that one step passes to the next, each with the output that is its next value,
        of the same shape and dtype.
    sequences: the inputs that read one element in each step.
    outputs: the outputs whose values of all steps are stacked.
    axis: the axis of the steps in sequences and outputs.
    reverse: whether the last element comes first. Stacks keep the order of the sequences.
    length: the number of steps: an int, or an IOKey, a new input that holds one. Needed without
        sequences.
    lengths: the name of a new input [N] of ints: how many elements of its sequences each sample
        has. Beyond them a sample keeps its carries, and its stacked values are 0. Samples are along
        the first axis of carries and of the values to stack.

Returns:
    A new Model.

Raises:
    NameError: If the body lacks a name.
    ShapeError: If a step changes the shape of a carry, or sequences have different lengths.
    TypeError: If a step changes the type of a carry.
    ValueError: If there are neither sequences nor a length, or an input is named twice.

Example:
    step = ml.Model()
    step |= ml.Linear(4)(input="x", output="a")
    step |= ml.Add()(left="a", right="h", output="sum")
    step |= ml.Tanh()(input="sum", output="h_next")
    model = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"], outputs=["h_next"])
    print(model.input_keys)  # x: [T, ..., 3], h: [..., 4]
    print(model.output_keys)  # ['h_next', 'h_last']

See docs/loops.md.)");
  module.def(
      "loop_steps", [] { return py::tuple(py::cast(loop_steps())); },
      R"(Returns the step that makes a value, in a hook on a value of a loop's body.

A tuple with a number for each loop around the value, the outermost first. A step is the index of
the elements that it reads, also where the loop or its gradient begins with the last one. A `While`
counts from 0. The tuple is empty elsewhere. See docs/loops.md.

Example:
    step = ml.Model()
    step |= ml.Linear(4)(input="h", output="h_next")
    loop = ml.Scan(step, carry={"h": "h_next"}, length=3)
    compiled = ml.compile(loop, ml.CpuBackend(), shapes={"h": [2, 4]})
    compiled.register_hook("model.linear.output", lambda value: print(ml.loop_steps()))
    compiled.evaluate(compiled.get_parameters(), {"h": np.zeros((2, 4))})  # (0,), (1,), (2,)
)");
}

}  // namespace mithril::python
