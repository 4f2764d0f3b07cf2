// Ops of users: their values and gradients are formulas or functions of Python.
#include <pybind11/stl.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "convert.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/check/check_op.hpp"
#include "mithril/check/evaluate_formula.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/op/user_function.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril::python {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The meaning of one op: a formula or a function.
struct Definition {
  std::vector<std::string> inputs;
  Formula formula = {Formula::Kind::unsupported};
  std::shared_ptr<const PythonFunction> function = {};
  Pairs gradients = {};       // a port and the op of its gradient
  std::string gradient = {};  // the op of the gradients of all float inputs
  std::vector<std::string> differentiated = {};
};

// Records have plain functions, which find their definition here by the record: an op that was
// replaced keeps its own. Never destroyed, because ops live as long as the process.
struct Definitions {
  std::mutex mutex;
  std::map<const OpDef*, Definition> by_op;
};

Definitions& definitions() {
  static auto* all = new Definitions();
  return *all;
}

const Definition& definition(const OpDef& op) {
  Definitions& all = definitions();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.by_op.find(&op); found != all.by_op.end())
    return found->second;                  // a map keeps its addresses
  return all.by_op.at(&find_op(op.name));  // check_op copies a record
}

void define(const OpDef& op, Definition definition) {
  Definitions& all = definitions();
  const std::lock_guard lock(all.mutex);
  all.by_op.insert_or_assign(&op, std::move(definition));
}

// "squash_grad", or "squash_grad_2" if an op that was replaced has that name.
std::string free_name(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; try_find_op(name); ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

void check_formula(const Formula& formula, const std::vector<std::string>& ports) {
  const auto& [kind, text, number, children] = formula;
  const bool is_port = kind == Formula::Kind::port || kind == Formula::Kind::is_none;
  if (is_port && std::find(ports.begin(), ports.end(), text) == ports.end()) {
    unknown_member(ErrorKind::name, "E0604", "the formula", "port", text, "", ports);
  }
  for (const Formula& child : children) check_formula(child, ports);
  const bool calls = kind == Formula::Kind::call && text != "T";
  if (!calls && kind != Formula::Kind::binary) return;
  Formula alone = formula;
  for (Formula& child : alone.children) child = {.kind = Formula::Kind::number, .number = 0.5};
  try {
    static_cast<void>(check::evaluate(alone, [](const std::string&) { return 0.5; }));
  } catch (const InternalError&) {
    raise({.kind = ErrorKind::value,
           .code = "E0443",
           .message = "add_op: formulas of floats do not have '" + text + "' with " +
                      std::to_string(children.size()) + " arguments"});
  }
}

void evaluate_formula(EvalContext& c) {
  const Definition& op = definition(c.op());
  c.typed([&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      std::map<std::string, Elements<T>, std::less<>> elements;
      for (const std::string& port : op.inputs) elements.emplace(port, c.read<T>(port));
      auto y = c.write<T>();
      const int64_t count = element_count(c.out().dims());
      int64_t i = 0;
      const check::PortNumber number = [&](const std::string& port) -> double {
        const Elements<T>& of = elements.at(port);
        return of[of.size() == 1 ? 0 : i];
      };
      for (; i < count; ++i) y[i] = static_cast<T>(*check::evaluate(op.formula, number));
    }
  });
}

// The op of a node whose gradient is made.
const OpDef& op_of(const GradContext& g) {
  const Expression out = g.out();
  for (const Node& node : out.graph->nodes()) {
    if (std::find(node.outputs.begin(), node.outputs.end(), out.id) != node.outputs.end())
      return *node.op;
  }
  MITHRIL_CHECK(false, "the output of a node has a maker");
}

std::vector<Operand> operands_of_gradient(const GradContext& g, const Definition& op) {
  std::vector<Operand> operands;
  for (const std::string& port : op.inputs) operands.push_back(g.operand(port));
  for (int i = 0; i < g.output_count(); ++i) operands.push_back(g.out_grad(i));
  return operands;
}

void differentiate_formula(GradContext& g) {
  const Definition& op = definition(op_of(g));
  for (const auto& [port, gradient] : op.gradients) {
    if (g.needs(port)) flow_summed(g, port, call(gradient, operands_of_gradient(g, op)));
  }
}

[[noreturn]] void refuse_result(const std::string& op, const std::string& fault) {
  raise({.kind = ErrorKind::value,
         .code = "E0444",
         .message = op + ": the function returned " + fault});
}

// The arrays that the function of the op returns, one for each of the outputs.
std::vector<Tensor> call_function(const OpDef& op, const py::tuple& arguments,
                                  const std::vector<Dims>& outputs) {
  const py::object result = (*definition(op).function)(*arguments);
  const bool is_tuple = py::isinstance<py::tuple>(result);
  const size_t count = is_tuple ? py::len(result) : 1;
  if (count != outputs.size()) {
    refuse_result(op.name,
                  std::to_string(count) + " arrays, expected " + std::to_string(outputs.size()));
  }
  std::vector<Tensor> results;
  for (size_t i = 0; i < count; ++i) {
    results.push_back(tensor_of(is_tuple ? result.cast<py::tuple>()[i] : result));
    const Dims& dims = results.back().dims();
    if (dims != outputs[i])
      refuse_result(op.name, "dims " + to_string(dims) + ", expected " + to_string(outputs[i]));
  }
  return results;
}

// Evaluates a function of the user on NumPy arrays.
void evaluate_function(EvalContext& c) {
  const Definition& op = definition(c.op());
  const InterpreterLocked lock;
  py::tuple arguments(op.inputs.size());
  // Copies, because a function may keep its arguments or write to them.
  for (size_t i = 0; i < op.inputs.size(); ++i) arguments[i] = array_of(c.in(op.inputs[i]).copy());
  std::vector<Dims> dims;
  for (int i = 0; i < c.output_count(); ++i) dims.push_back(c.out(i).dims());
  const std::vector<Tensor> results = call_function(c.op(), arguments, dims);
  for (int i = 0; i < c.output_count(); ++i) {
    visit_computed_dtype(c.out(i).dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (!std::is_same_v<T, float16> && !std::is_same_v<T, bfloat16>) {
        const Tensor converted = results[static_cast<size_t>(i)].to(c.out(i).dtype());
        const T* from = converted.template data<T>();
        std::copy(from, from + converted.size(), c.write<T>(i));
      }
    });
  }
}

// The function of the user on tensors of torch, for the torch backend.
UserFunction function_of_tensors(const OpDef& op) {
  return [&op](std::span<const Tensor> inputs, const std::vector<Dims>& outputs) {
    const InterpreterLocked lock;
    py::tuple arguments(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) arguments[i] = array_of(inputs[i]);
    return call_function(op, arguments, outputs);
  };
}

void differentiate_function(GradContext& g) {
  const Definition& op = definition(op_of(g));
  const std::vector<Expression> gradients = call_all(op.gradient, operands_of_gradient(g, op));
  for (size_t i = 0; i < op.differentiated.size(); ++i) {
    if (g.needs(op.differentiated[i])) flow_summed(g, op.differentiated[i], gradients[i]);
  }
}

// A name, a shape pattern and a type.
using Port = std::tuple<std::string, std::string, std::string>;

std::vector<PortDef> ports_of(const std::vector<Port>& ports) {
  std::vector<PortDef> made;
  for (const auto& [name, shape, type] : ports) made.push_back({name, shape, type});
  return made;
}

std::vector<std::string> names_of(const std::vector<PortDef>& ports) {
  std::vector<std::string> names;
  for (const PortDef& port : ports) names.push_back(port.name);
  return names;
}

OpDef record_of(const std::string& name, const std::string& doc, const std::vector<Port>& inputs,
                const std::vector<Port>& outputs) {
  return {.name = name, .doc = doc, .inputs = ports_of(inputs), .outputs = ports_of(outputs)};
}

// The inputs and then the gradients of the outputs.
OpDef gradient_record(const OpDef& op, const std::string& name) {
  OpDef record = {.name = name, .doc = "The gradient of " + op.name + ".", .internal = true};
  record.inputs = op.inputs;
  for (const PortDef& output : op.outputs) {
    const std::string port = op.outputs.size() == 1 ? "grad" : output.name + "_grad";
    record.inputs.push_back({port, output.shape, "float"});
  }
  record.not_differentiable = "the gradient of a user's op has no gradient";
  return record;
}

void add_formula(const std::string& name, const std::string& doc, const std::vector<Port>& inputs,
                 const std::vector<Port>& outputs, const std::string& formula,
                 const Pairs& gradients, bool replace) {
  OpDef record = record_of(name, doc, inputs, outputs);
  const auto finish = [](OpDef& op, const std::string& text) {
    Definition made = {.inputs = names_of(op.inputs), .formula = parse_formula(text)};
    check_formula(made.formula, made.inputs);
    op.eval = evaluate_formula;
    op.spell = {{"c", text}};
    return made;
  };
  Definition meaning = finish(record, formula);
  std::vector<std::pair<OpDef, Definition>> others;
  for (const auto& [port, text] : gradients) {
    if (std::find(meaning.inputs.begin(), meaning.inputs.end(), port) == meaning.inputs.end())
      unknown_member(ErrorKind::name, "E0604", "the op", "port", port, "", meaning.inputs);
    OpDef gradient = gradient_record(record, free_name(name + "_grad_" + port));
    gradient.outputs = {{"output", record.outputs[0].shape, "float"}};
    Definition of_gradient = finish(gradient, text);
    meaning.gradients.emplace_back(port, gradient.name);
    others.emplace_back(std::move(gradient), std::move(of_gradient));
  }
  if (gradients.empty()) {
    record.not_differentiable = "it was added without a gradient";
  } else {
    record.grad = differentiate_formula;
  }
  define(add_op(std::move(record), {}, replace), std::move(meaning));
  for (auto& [gradient, of_gradient] : others)
    define(add_op(std::move(gradient)), std::move(of_gradient));
}

void add_function(const std::string& name, const std::string& doc, const std::vector<Port>& inputs,
                  const std::vector<Port>& outputs, const py::function& function,
                  const std::optional<py::function>& gradient, bool replace) {
  OpDef record = record_of(name, doc, inputs, outputs);
  Definition meaning = {.inputs = names_of(record.inputs), .function = shared_function(function)};
  record.eval = evaluate_function;
  const auto add = [](OpDef added, Definition made, bool replaces) {
    const OpDef& op = add_op(std::move(added), {}, replaces);
    define(op, std::move(made));
    set_user_function(op, function_of_tensors(op));
  };
  if (!gradient) {
    record.not_differentiable = "it was added without a gradient";
    add(std::move(record), std::move(meaning), replace);
    return;
  }
  OpDef other = gradient_record(record, free_name(name + "_grad"));
  for (const PortDef& port : record.inputs) {
    if (port.type != "float") continue;
    meaning.differentiated.push_back(port.name);
    other.outputs.push_back({"of_" + port.name, port.shape, "float"});
  }
  other.eval = evaluate_function;
  Definition of_gradient = {.inputs = names_of(other.inputs),
                            .function = shared_function(*gradient)};
  meaning.gradient = other.name;
  record.grad = differentiate_function;
  add(std::move(record), std::move(meaning), replace);
  add(std::move(other), std::move(of_gradient), false);
}

// Sizes, of which random elements are drawn, or an array with the elements.
check::TensorSpec spec_of(const PortDef& port, py::handle given,
                          const std::vector<double>& away_from) {
  const bool ints = port.type == "int", bools = port.type == "bool";
  if (py::isinstance<py::tuple>(given)) {
    const Dims dims = given.cast<Dims>();
    constexpr std::int64_t largest_int = 10;
    return ints    ? check::integers(dims, 0, largest_int)
           : bools ? check::booleans(dims)
                   : check::normal(dims).away_from(away_from);
  }
  const Tensor tensor = tensor_of(given, port.name).host();
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.at_as_double(i));
  const DType dtype = is_integer(tensor.dtype())    ? DType::int64
                      : is_floating(tensor.dtype()) ? DType::float64
                                                    : DType::boolean;
  return check::tensor(tensor.dims(), std::move(values)).as(dtype);
}

void check_user_op(const std::string& name, const std::vector<py::dict>& rows,
                   const std::vector<std::string>& hold, const std::vector<double>& away_from,
                   double tolerance) {
  const OpDef& op = find_op(name);
  std::vector<check::OpCase> cases;
  for (const py::dict& row : rows) {
    check::OpCase& made = cases.emplace_back();
    made.name = "row " + std::to_string(cases.size());
    made.hold = hold;
    made.tolerance = tolerance;
    const auto take = [&](const std::vector<PortDef>& ports, check::PortContents& contents) {
      for (const PortDef& port : ports) {
        if (row.contains(port.name))
          contents.emplace_back(port.name, spec_of(port, row[py::str(port.name)], away_from));
      }
    };
    take(op.inputs, made.inputs);
    take(op.outputs, made.expect);
  }
  check_op(op, cases);
}

}  // namespace

void bind_user_ops(py::module_& module) {
  module.def("_add_formula", add_formula, "Adds an op that a formula of one element defines.");
  module.def("_add_function", add_function, "Adds an op that a function of arrays defines.");
  module.def("_check_op", check_user_op, "Checks an op that a user added.");
}

}  // namespace mithril::python
