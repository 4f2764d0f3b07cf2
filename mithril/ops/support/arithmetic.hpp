// Ops whose operands are tensors or numbers that are values: tensors are computed when the graph
// runs, numbers are folded while composing. Ints are Dims and stay symbolic.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>

#include "mithril/op/solver.hpp"

namespace mithril {

// The kinds of a result that may be a tensor or a value.
constexpr Kinds bool_kinds = kind::bool_tensor | kind::bool_value;
constexpr Kinds float_kinds = kind::float_tensor | kind::float_value;
constexpr Kinds number_kinds = kind::int_tensor | kind::int_value | float_kinds;
constexpr Kinds operand_kinds = bool_kinds | number_kinds;

inline bool is_float(const Datum& datum) { return datum.kind() == kind::float_value; }
inline bool is_bool(const Datum& datum) { return datum.kind() == kind::bool_value; }

// An int or a bool as a dim.
inline Dim dim_of(const Datum& datum) { return is_bool(datum) ? Dim(datum.flag()) : datum.dim(); }

// Any number as a float. None for an int that is not known yet; the op waits for it.
inline std::optional<double> real_of(Solver& s, const Datum& datum) {
  if (is_float(datum)) return datum.real();
  int64_t number = 0;
  if (!s.number(dim_of(datum), number)) return std::nullopt;
  return static_cast<double>(number);
}

// A float if one of them is, by on_reals(double, double); a bool if both are; otherwise an int, by
// on_dims(Dim, Dim), known or not.
template <typename OnDims, typename OnReals>
std::optional<Datum> fold_numbers(Solver& s, const Datum& a, const Datum& b, OnDims on_dims,
                                  OnReals on_reals) {
  if (is_float(a) || is_float(b)) {
    const auto x = real_of(s, a), y = real_of(s, b);
    if (!x || !y) return std::nullopt;
    return Datum(static_cast<double>(on_reals(*x, *y)));
  }
  const Dim result = on_dims(dim_of(a), dim_of(b));
  if (is_bool(a) && is_bool(b)) return Datum(!resolve(result).is_constant(0));
  return Datum(result);
}

struct OperandForms {
  bool decided = true;   // each is known to be a tensor or a value
  bool tensors = false;  // one is known to be a tensor
};

// Reads the `ports`. Values have no dims, which is stated here.
template <size_t n>
OperandForms operand_forms(Solver& s, const std::array<const char*, n>& ports) {
  OperandForms forms;
  for (const char* port : ports) {
    const Kinds form = s.form(port);
    if (form == kind::value) s.set_shape(port, {});
    if (form == kind::tensor) forms.tensors = true;
    if (form == 0) forms.decided = false;
  }
  return forms;
}

// Solves an op whose `ports` are of type "operand". "output" is one of the kinds `result`, a value
// only where all operands are. Then it is fold(datum, ...), which may answer nothing for "not yet",
// having awaited what it needs.
template <size_t n, typename Fold>
bool solve_operands(Solver& s, const std::array<const char*, n>& ports, Kinds result, Fold fold) {
  s.narrow("output", result);
  const OperandForms forms = operand_forms(s, ports);
  if (forms.tensors) s.narrow("output", kind::tensor);
  if (forms.tensors || !forms.decided) return forms.decided;
  s.narrow("output", kind::value);
  std::array<const Datum*, n> data;
  for (size_t i = 0; i < n; ++i) {
    data[i] = s.value(ports[i]);
    if (!data[i]) return false;
  }
  const std::optional<Datum> folded =
      std::apply([&](const auto*... datum) { return std::optional<Datum>(fold(*datum...)); }, data);
  if (folded) s.set_value("output", *folded);
  return folded.has_value();
}

// Solves an op of two bools.
template <typename Combine>
bool solve_logic(Solver& s, Combine combine) {
  return solve_operands<2>(s, {"left", "right"}, bool_kinds, [&](auto& left, auto& right) {
    return Datum(combine(left.flag(), right.flag()));
  });
}

}  // namespace mithril
