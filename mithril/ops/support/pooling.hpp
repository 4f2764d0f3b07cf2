// Pooling: ports, shapes, and which element is the largest of each window.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mithril/graph/grad_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/window.hpp"

namespace mithril {

// The tensors, then the window over two axes, with `kinds` "int|tuple". A stride of None is the
// kernel size.
inline std::vector<PortDef> pooling_inputs(std::vector<PortDef> tensors, const std::string& kinds) {
  tensors.push_back(value("kernel_size", kinds));
  tensors.push_back(value("stride", kinds + "|none", Datum()));
  tensors.push_back(value("padding", "int|tuple", Datum(0)));
  tensors.push_back(value("dilation", kinds, Datum(1)));
  return tensors;
}

// The window's ports, checked; none while one is not known.
inline std::optional<WindowPorts> pooling_ports(Solver& s, size_t axes) {
  const Datum* kernel = s.value("kernel_size");
  if (!kernel) return std::nullopt;
  check_window(s, "kernel_size", *kernel, 1, axes - 1);
  return window_ports(s, axes, kernel);
}

inline bool solve_pool1d(Solver& s) {
  const auto ports = pooling_ports(s, 1);
  return ports && solve_window(s, *ports, 0, 1, "W", s.value("kernel_size")->dim(), "Wo");
}

inline bool solve_pool2d(Solver& s) {
  const auto ports = pooling_ports(s, 2);
  if (!ports) return false;
  const Datum& kernel = *s.value("kernel_size");
  const bool rows = solve_window(s, *ports, 0, 2, "H", per_axis(kernel, 0).dim(), "Ho");
  const bool columns = solve_window(s, *ports, 1, 2, "W", per_axis(kernel, 1).dim(), "Wo");
  return rows && columns;
}

// No window of a maximum may lie in the padding: as in PyTorch, padding is at most half of the
// window.
inline void check_padding(Solver& s, size_t axes) {
  const auto ports = pooling_ports(s, axes);
  for (size_t axis = 0; ports && axis < axes; ++axis) {
    const Dim taps = per_axis(*s.value("kernel_size"), axis).dim() - 1;
    const Dim half = resolve(floor_divide(per_axis(*ports->dilation, axis).dim() * taps + 1, 2));
    const auto [before, after] = padding_of(*ports->padding, axis, axes);
    for (const Dim& side : {resolve(before), resolve(after)}) {
      if (!half.is_constant() || !side.is_constant() || side.constant() <= half.constant())
        continue;
      s.reject("'padding' is more than half of the window", "at most " + to_string(half),
               to_string(side));
    }
  }
}

struct PoolWindow {
  WindowAxis rows, columns;
  int64_t planes;

  int64_t inputs() const { return rows.input * columns.input; }     // of one plane
  int64_t outputs() const { return rows.output * columns.output; }  // of one plane
  int64_t taps() const { return rows.kernel * columns.kernel; }
};

// The window of an op whose tensors have these dims before and after pooling.
inline PoolWindow pool_window(const EvalContext& c, const Dims& from, const Dims& to) {
  const Datum& kernel = c.value("kernel_size");
  const Datum& stride = c.value("stride").is_none() ? kernel : c.value("stride");
  auto axis = [&](size_t i) {
    return window_axis(c, i, from, to, per_axis(kernel, i).integer(), stride);
  };
  return {axis(0), axis(1), product(from, 0, from.size() - 2)};
}

// Calls body(from, to) for every element of a window and the output that it counts for.
template <typename Body>
void each_pooled(const PoolWindow& window, Body body) {
  for (int64_t plane = 0; plane < window.planes; ++plane) {
    const int64_t inputs = plane * window.inputs(), outputs = plane * window.outputs();
    each_run(window.rows, window.columns, [&](int64_t, int64_t from, int64_t to, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        body(inputs + from + i * window.columns.stride, outputs + to + i);
    });
  }
}

// For each output the index of the first largest element of its window, or of the last NaN, as in
// PyTorch; -1 if the window holds only padding.
template <typename T>
std::vector<int64_t> largest_of(const PoolWindow& window, const Elements<T>& x) {
  std::vector<int64_t> best(static_cast<size_t>(window.planes * window.outputs()), -1);
  each_pooled(window, [&](int64_t from, int64_t to) {
    int64_t& at = best[static_cast<size_t>(to)];
    if (at < 0 || x[from] > x[at] || std::isnan(static_cast<double>(x[from]))) at = from;
  });
  return best;
}

// A call of one of the family with the same window.
inline Expression pool(const GradContext& g, const char* op, std::vector<Operand> tensors) {
  for (const char* port : {"kernel_size", "stride", "padding", "dilation"})
    tensors.emplace_back(g.value(port));
  return call(op, std::move(tensors));
}

// Pooling over one axis is pooling over two with windows of one row.
inline void expand_pool1d(ExpandContext& e, const char* op) {
  const Datum& stride = e.value("stride").is_none() ? e.value("kernel_size") : e.value("stride");
  const Expression row = call("expand_dims", {e.in("input"), -2});
  const Expression pooled =
      call(op, {row, beside(1, e.value("kernel_size")), beside(1, stride),
                beside_no_padding(e.value("padding")), beside(1, e.value("dilation"))});
  e.become(call("squeeze", {pooled, -2}));
}

}  // namespace mithril
