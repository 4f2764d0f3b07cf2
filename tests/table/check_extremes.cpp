// Half precision at elements whose squares overflow or underflow, and at large whole numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "backends/cpu/cpu.hpp"
#include "backends/torch/torch.hpp"
#include "mithril/base/error.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/skip.hpp"
#include "tests/table/checks.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/placement.hpp"
#include "tests/table/row_graph.hpp"

namespace mithril::tests {
namespace {

// Squares of `large` overflow float16, and those of `small` underflow. bfloat16 has the range of
// float32, in which their squares are computed; it counts to 256 only. Ints are exact in neither.
struct Extreme {
  DType dtype;
  const char* name;
  double scale;
  bool whole;
};
constexpr Extreme extremes[] = {
    {DType::float16, "large float16", 300, false},
    {DType::float16, "small float16", 3e-5, false},
    {DType::float16, "whole float16", 3000, true},
    {DType::bfloat16, "large bfloat16", 1e6, false},
    {DType::bfloat16, "small bfloat16", 1e-15, false},
    {DType::bfloat16, "whole bfloat16", 3000, true},
};

// A few roundings of the result, relative to the largest element.
double allowed(DType dtype) { return dtype == DType::float16 ? 3e-3 : 2.4e-2; }

constexpr double float32_rounding = 1e-4;  // relative to `allowed`, which multiplies it

double smallest(DType dtype) { return dtype == DType::float16 ? 0x1p-24 : 0x1p-126; }

bool is_drawn(const TensorSpec& spec) {
  using Fill = TensorSpec::Fill;
  return spec.dtype == DType::float64 && (spec.fill == Fill::normal || spec.fill == Fill::distinct);
}

// Elements keep their signs and are not near 0.
Tensor extreme(const Tensor& drawn, const Extreme& to) {
  Tensor made = drawn.copy();
  for (double& element : made.mutable_values<double>()) {
    const double size = (1 + std::fmod(std::abs(element), 1.0)) * to.scale;
    element = std::copysign(to.whole ? std::round(size) : size, element);
  }
  return made;
}

double largest_of(const Tensor& tensor) {
  double largest = 0;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double element = std::abs(tensor.at_as_double(i));
    if (std::isfinite(element)) largest = std::max(largest, element);
  }
  return largest;
}

// `scale` is the size of the numbers whose differences the elements are.
std::string difference_at_extremes(const Tensor& got, const Tensor& exact, DType dtype,
                                   double scale) {
  if (got.dims() != exact.dims())
    return "dims " + to_string(got.dims()) + ", expected " + to_string(exact.dims());
  if (!is_floating(exact.dtype())) return {};
  const Tensor expected = exact.to(dtype);
  const double largest = std::max(scale, largest_of(expected));
  const double margin = allowed(dtype) * largest + 4 * smallest(dtype);
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const double mine = got.at_as_double(i), wanted = expected.at_as_double(i);
    if (mine == wanted || !std::isfinite(wanted) || std::abs(mine - wanted) <= margin) continue;
    return fmt::format("element {} is {}, expected {}", i, mine, exact.at_as_double(i));
  }
  return {};
}

std::string first_difference(const Graph& graph, const std::vector<Tensor>& outputs,
                             const std::vector<Tensor>& exact, DType dtype, double scale) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string apart = difference_at_extremes(outputs[i].host(), exact[i], dtype, scale);
    if (!apart.empty()) return graph.outputs()[i].name + ": " + apart;
  }
  return {};
}

std::vector<Tensor> in_dtypes_of(const Graph& graph, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> converted;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    converted.push_back(inputs[i].to(graph.value(graph.inputs()[i]).dtype));
  return converted;
}

// The default of a threshold is a number of the dtype.
bool has_own_threshold(const OpDef& op, const OpCase& row) {
  const std::vector<check::PortContent> given = contents(op, row);
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].name != "threshold") continue;
    const Datum* datum = std::get_if<Datum>(&given[i].items.front());
    if (datum && datum->is_none()) return true;
  }
  return false;
}

class ExtremesOfRow {
 public:
  ExtremesOfRow(const OpDef& op, const OpCase& row, const Extreme& extreme, Report& report)
      : op_(op), row_(row), extreme_(extreme), report_(report) {}

  void run() {
    const RowGraph precise = build(op_, row_);
    const RowGraph built = build(op_, row_, Knowledge::numbers, extreme_.dtype);
    std::vector<Tensor> inputs = generate(precise.tensors, 1);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (is_drawn(precise.tensors[i])) inputs[i] = extreme(inputs[i], extreme_);
      if (precise.tensors[i].dtype == DType::float64)
        inputs[i] = inputs[i].to(extreme_.dtype).to(DType::float64);
    }
    // float32 rounds differences of its inputs, too.
    double largest = 0;
    for (const Tensor& input : inputs) largest = std::max(largest, largest_of(input));
    compare("", precise.graph, built.graph, inputs, float32_rounding * largest);
    differentiate_both(precise, built, inputs);
  }

 private:
  void differentiate_both(const RowGraph& precise, const RowGraph& built,
                          std::vector<Tensor> inputs) {
    if (!op_.grad && !op_.expand) return;
    const std::vector<std::string> of = float_outputs(precise.graph);
    const std::vector<std::string> wanted = float_inputs(precise, row_.hold);
    if (of.empty() || wanted.empty()) return;
    const auto outputs = exact(precise.graph, inputs);
    if (!outputs || leaves_range(*outputs)) return;  // a gradient may read the output
    Random random(1);
    double scale = 0;  // a gradient may read the output, which is rounded: softmax
    for (const Tensor& output : *outputs) {
      if (output.dtype() != DType::float64) continue;
      const Tensor incoming = check::random_direction(output.dims(), random);
      scale = std::max(scale, std::min(1.0, largest_of(output)) * largest_of(incoming));
      inputs.push_back(incoming.to(extreme_.dtype).to(DType::float64));
    }
    for (const Tensor& input : inputs)
      scale = std::max(scale, float32_rounding * largest_of(input));
    const DifferentiateOptions options{.outputs = of, .wanted = wanted};
    compare("gradient ", differentiate(precise.graph, options), differentiate(built.graph, options),
            inputs, scale);
  }

  bool leaves_range(const std::vector<Tensor>& outputs) const {
    return std::any_of(outputs.begin(), outputs.end(), [&](const Tensor& output) {
      if (!is_floating(output.dtype())) return false;
      const Tensor held = output.to(extreme_.dtype);
      for (std::int64_t i = 0; i < held.size(); ++i) {
        if (!std::isfinite(held.at_as_double(i))) return true;
      }
      return largest_of(held) == 0 && largest_of(output) != 0;
    });
  }

  static std::optional<std::vector<Tensor>> exact(const Graph& graph,
                                                  const std::vector<Tensor>& inputs) {
    try {
      return interpret(graph, inputs);
    } catch (const Error&) {
      return std::nullopt;  // the op refuses the elements
    }
  }

  void compare(const std::string& what, const Graph& precise, const Graph& built,
               const std::vector<Tensor>& inputs, double scale) {
    const auto expected = exact(precise, inputs);
    if (!expected) return;
    const std::vector<Tensor> given = in_dtypes_of(built, inputs);
    const auto count = [&](const std::string& backend, const auto& outputs) {
      report_.count(
          Check::precision, what + "at " + extreme_.name + " elements on " + backend,
          [&] { return first_difference(built, outputs(), *expected, extreme_.dtype, scale); });
    };
    count("the reference", [&] { return interpret(built, given); });
    const Graph optimised = run_passes(built);
    count("cpu", [&] { return cpu()->load(optimised, {})->run(given); });
    if (has_torch()) count("torch", [&] { return torch()->load(optimised, {})->run(given); });
  }

  const OpDef& op_;
  const OpCase& row_;
  const Extreme& extreme_;
  Report& report_;
};

}  // namespace

void check_extremes(const OpDef& op, const OpCase& row, Report& report) {
  if (!row.error.empty() || !row.only_float64.empty() || makes_values(op, row)) return;
  if (has_own_threshold(op, row)) return;
  const std::vector<TensorSpec> tensors = build(op, row).tensors;
  if (!std::any_of(tensors.begin(), tensors.end(), is_drawn)) return;
  report.enter(fmt::format("{}, {}", op.name, row.name));
  for (const Extreme& extreme : extremes) {
    report.attempt(Check::precision, std::string("at ") + extreme.name + " elements",
                   [&] { ExtremesOfRow(op, row, extreme, report).run(); });
  }
}

}  // namespace mithril::tests
