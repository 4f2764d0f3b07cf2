// to_tensor: numbers that are values as a tensor.
#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Dims of a tuple of tuples of numbers; the kinds of the numbers.
std::vector<Dim> read_dims(Solver& s, const Datum& datum, Kinds& kinds) {
  if (datum.kind() != kind::tuple) {
    if (!(datum.kind() & kind::number))
      s.reject("a tensor is made of numbers", "numbers, or tuples of them", to_string(datum));
    kinds |= datum.kind();
    return {};
  }
  const Tuple& items = datum.tuple();
  std::vector<Dim> inner;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::vector<Dim> dims = read_dims(s, items[i], kinds);
    if (i > 0 && to_string(dims) != to_string(inner)) {
      s.reject("the rows of a tensor differ in shape", to_string(inner), to_string(dims),
               ErrorKind::shape);
    }
    inner = dims;
  }
  inner.insert(inner.begin(), static_cast<int64_t>(items.size()));
  return inner;
}

Kinds tensor_for(Kinds number) {
  if (number == kind::float_value) return kind::float_tensor;
  return number == kind::int_value ? kind::int_tensor : kind::bool_tensor;
}

bool solve_to_tensor(Solver& s) {
  const Datum* input = s.value("input");
  if (const Kinds number = input ? 0 : s.kind("input") & kind::number) {
    s.set_shape("output", {});  // a number that may be known only when the graph runs
    solve_dtype(s, tensor_for(number));
  }
  if (!input) return false;
  Kinds kinds = 0;
  s.set_shape("output", read_dims(s, *input, kinds));
  if (kinds & kind::float_value || kinds == 0) return solve_dtype(s, kind::float_tensor);
  return solve_dtype(s, kinds & kind::int_value ? kind::int_tensor : kind::bool_tensor);
}

template <typename T>
void write_numbers(const Datum& datum, OutputPointer<T>& at) {
  if (datum.kind() != kind::tuple) {
    *at++ = number_as<T>(datum);
    return;
  }
  for (const Datum& item : datum.tuple()) write_numbers(item, at);
}

}  // namespace

OpDef define_to_tensor() {
  return {
      .name = "to_tensor",
      .doc =
          "Converts a number or nested tuples of numbers to a tensor. dtype=None gives floats if "
          "there is a float or no number at all, otherwise ints if there is an int, otherwise "
          "bools.",
      .inputs = {value("input", "bool|int|float|tuple"), value("dtype", "dtype|none", Datum())},
      .outputs = {{"output", "*o", "any"}},
      .solve = solve_to_tensor,
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              auto at = c.write<T>();
              write_numbers(c.value("input"), at);
            });
          },
      .not_differentiable = "it has no tensor among its inputs",
      .dtype_from = "dtype",
      .spell = {{"jax", "jnp.asarray({input}, {output.dtype})"},
                {"onnx", "numbers(input)"},
                {"torch", "unsupported: a constant of the backend"}},
  };
}

}  // namespace mithril
