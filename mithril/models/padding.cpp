#include "mithril/models/padding.hpp"

namespace mithril {
namespace {

std::vector<int64_t> per_axis(const CheckedArguments& arguments, const char* name, size_t axes) {
  std::vector<int64_t> numbers = arguments.ints(name);
  if (numbers.size() == 1) numbers.resize(axes, numbers[0]);
  if (numbers.size() != axes)
    arguments.reject(name, "an int or a tuple of " + std::to_string(axes));
  return numbers;
}

// A pair for each axis; of one axis the pair itself.
template <typename Result, typename List>
Result of_pairs(std::vector<Result> pairs) {
  return pairs.size() == 1 ? pairs.front() : Result(List(pairs.begin(), pairs.end()));
}

Datum same_padding(const CheckedArguments& arguments, size_t axes) {
  const std::vector<int64_t> kernel = per_axis(arguments, "kernel_size", axes),
                             dilation = per_axis(arguments, "dilation", axes);
  std::vector<Datum> pairs;
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t total = dilation[axis] * (kernel[axis] - 1);
    pairs.push_back(Datum::ints({total / 2, total - total / 2}));
  }
  return of_pairs<Datum, Tuple>(std::move(pairs));
}

Binding same_padding(const CheckedArguments& arguments, size_t axes, const Connection& weight) {
  const std::vector<int64_t> dilation = per_axis(arguments, "dilation", axes);
  std::vector<Binding> pairs;
  for (size_t axis = 0; axis < axes; ++axis) {
    const Connection kernel = weight.shape()[static_cast<int64_t>(axis) + 2];
    const Connection total = (kernel - 1) * dilation[axis];
    const Connection before = floor_divide(total, 2);
    pairs.emplace_back(std::vector<Binding>{before, total - before});
  }
  return of_pairs<Binding, std::vector<Binding>>(std::move(pairs));
}

}  // namespace

ArgumentDef padding_argument(std::string doc) {
  return {
      "padding", "int|tuple|str", 0, std::move(doc) + "; \"same\" or \"valid\"", {"same", "valid"}};
}

Binding padding_binding(const CheckedArguments& arguments, size_t axes, const Connection* weight) {
  const Datum& padding = arguments["padding"];
  if (padding.kind() != kind::string) return IOKey{.name = "padding", .value = padding};
  const std::string& word = padding.text();  // the JSON form of the Python library has capitals
  if (word == "valid" || word == "VALID") return IOKey{.name = "padding", .value = Datum(0)};
  if (word != "same" && word != "SAME")
    arguments.reject("padding", "an int, a tuple, \"same\" or \"valid\"");
  if (!arguments.has("kernel_size")) return same_padding(arguments, axes, *weight);
  return IOKey{.name = "padding", .value = same_padding(arguments, axes)};
}

}  // namespace mithril
