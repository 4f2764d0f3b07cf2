#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "mithril/base/error.hpp"
#include "mithril/check/checks.hpp"
#include "mithril/check/compare.hpp"
#include "mithril/check/evaluate_formula.hpp"
#include "mithril/check/generate.hpp"
#include "mithril/check/row_graph.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/tensor/convert.hpp"

namespace mithril::check {
namespace {

// The numbers that the ports of a row hold, by the index of an output element.
class Ports {
 public:
  Ports(const OpDef& op, const OpCase& row, const RowGraph& built,
        const std::vector<Tensor>& inputs, const Dims& out)
      : keeps_elements_(op.keeps_elements), out_(out) {
    const std::vector<PortContent> given = contents(op, row);
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i].list) continue;
      if (const Datum* datum = std::get_if<Datum>(&given[i].items.front()))
        values_.emplace_back(op.inputs[i].name, *datum);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
      tensors_.emplace_back(built.ports[i], inputs[i]);
    const auto has = [&](DType dtype) {
      return std::any_of(tensors_.begin(), tensors_.end(),
                         [&](const auto& tensor) { return tensor.second.dtype() == dtype; });
    };
    is_float32_ = has(DType::float32) && !has(DType::float64);
  }

  bool has_floats() const {
    return std::any_of(tensors_.begin(), tensors_.end(),
                       [](const auto& tensor) { return is_floating(tensor.second.dtype()); }) ||
           std::any_of(values_.begin(), values_.end(),
                       [](const auto& value) { return value.second.kind() == kind::float_value; });
  }

  bool is_none(const std::string& port) const {
    return std::any_of(values_.begin(), values_.end(), [&](const auto& value) {
      return value.first == port && value.second.is_none();
    });
  }

  template <typename T>
  T at(const std::string& port, std::int64_t element) const {
    for (const auto& [name, tensor] : tensors_) {
      if (name == port) return number<T>(tensor, place(tensor.dims(), element));
    }
    for (const auto& [name, datum] : values_) {
      if (name != port) continue;
      if (datum.kind() == kind::bool_value) return static_cast<T>(datum.flag());
      if (datum.kind() == kind::int_value) return static_cast<T>(datum.integer());
      if (datum.kind() == kind::float_value)
        return static_cast<T>(is_float32_ ? static_cast<float>(datum.real()) : datum.real());
    }
    throw InternalError("the formula reads the port '" + port + "', which holds no number here");
  }

 private:
  template <typename T>
  static T number(const Tensor& tensor, std::int64_t at) {
    return visit_dtype(tensor.dtype(),
                       [&](auto zero) { return convert<T>(tensor.data<decltype(zero)>()[at]); });
  }

  // The index of the input element that is broadcast to the output element.
  std::int64_t place(const Dims& dims, std::int64_t element) const {
    if (keeps_elements_) return element;
    std::int64_t at = 0, stride = 1;
    for (std::size_t back = 1; back <= out_.size(); ++back) {
      const std::int64_t size = out_[out_.size() - back], index = element % size;
      element /= size;
      if (back > dims.size()) continue;
      if (dims[dims.size() - back] != 1) at += index * stride;
      stride *= dims[dims.size() - back];
    }
    return at;
  }

  const bool keeps_elements_;
  bool is_float32_ = false;  // a float value beside float32 tensors is rounded, as ops do
  const Dims out_;
  std::vector<std::pair<std::string, Datum>> values_;
  std::vector<std::pair<std::string, Tensor>> tensors_;
};

// eval computes in the dtype of the output, or in float32 for half precision.
double tolerance_of(DType dtype) {
  if (dtype == DType::float16) return 6e-3;
  if (dtype == DType::bfloat16) return 5e-2;
  return dtype == DType::float32 ? 2e-5 : 1e-10;
}

// Nullopt if the formula is unsupported for these values.
std::optional<Tensor> computed(const Formula& formula, const Ports& ports, const Tensor& like) {
  const bool reals = ports.has_floats() || is_floating(like.dtype());
  Tensor result(DType::float64, like.dims());
  Tensor whole(DType::int64, like.dims());
  const PortIsNone is_none = [&](const std::string& port) { return ports.is_none(port); };
  for (std::int64_t i = 0; i < like.size(); ++i) {
    if (reals) {
      const auto number = evaluate(
          formula, [&](const std::string& port) { return ports.at<double>(port, i); }, is_none);
      if (!number) return std::nullopt;
      result.mutable_data<double>()[i] = *number;
    } else {
      const auto number = evaluate_integer(
          formula, [&](const std::string& port) { return ports.at<std::int64_t>(port, i); },
          is_none);
      if (!number) return std::nullopt;
      whole.mutable_data<std::int64_t>()[i] = *number;
    }
  }
  return (reals ? result : whole).to(like.dtype());
}

}  // namespace

void check_formula(const OpDef& op, const OpCase& row, Report& report, std::uint64_t seed) {
  const Spelling* spelling = op.spelling("c");
  if (!op.eval || op.outputs.size() != 1 || !spelling || spelling->text.starts_with("unsupported"))
    return;
  report.attempt(Check::formula, "the formula", [&] {
    const Formula formula = parse_formula(spelling->text);
    const RowGraph built = build(op, row);
    if (built.tensors.empty()) return;  // a constant: every backend uses eval
    const std::vector<Tensor> inputs = generate(built.tensors, seed);
    // The graph of an op that compares shifts uint64 first, so that the formula reads int64.
    const auto is_uint64 = [](const Tensor& input) { return input.dtype() == DType::uint64; };
    if (op.integers == IntegerUse::order && std::any_of(inputs.begin(), inputs.end(), is_uint64))
      return;
    const Tensor expected = interpret(built.graph, inputs).front();
    const std::optional<Tensor> got =
        computed(formula, Ports(op, row, built, inputs, expected.dims()), expected);
    if (!got) return;
    report.count(Check::formula, fmt::format("the C formula against eval, seed {}", seed),
                 [&] { return difference(*got, expected, tolerance_of(expected.dtype())); });
  });
}

}  // namespace mithril::check
