// Windows that move over the last axes of a tensor: convolutions and pooling.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/solver.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/window_axis.hpp"

namespace mithril {

// The padding before and after one of `axes` axes: from an int, a number per axis, or a pair per
// axis; for a single axis also from its pair.
inline std::pair<Dim, Dim> padding_of(const Datum& padding, size_t axis, size_t axes) {
  const Datum own = axes == 1 ? padding : per_axis(padding, axis);
  return {per_axis(own, 0).dim(), per_axis(own, 1).dim()};
}

// In expand: an op over one axis is one over two, the first of which the window leaves
// alone.

inline Datum beside(int first, const Datum& own) { return Tuple{first, own}; }

// The padding of one axis next to an axis without padding; as pairs only if both sides differ.
inline Datum beside_no_padding(const Datum& padding) {
  const auto [before, after] = padding_of(padding, 0, 1);
  if (same(before, after)) return Tuple{0, before};
  return Tuple{Tuple{0, 0}, Tuple{before, after}};
}

// Rejects values that are neither an int of at least `least` nor a pair of them, nested at most
// `depth` times.
inline void check_window(Solver& s, const std::string& port, const Datum& datum, int64_t least,
                         size_t depth) {
  if (datum.kind() == kind::tuple && depth > 0 && datum.tuple().size() == 2) {
    for (const Datum& item : datum.tuple()) check_window(s, port, item, least, depth - 1);
    return;
  }
  if (datum.kind() != kind::int_value) {
    s.reject("'" + port + "' does not say how the window moves",
             depth > 0 ? "an int or a pair" : "an int", to_string(datum));
  }
  const Dim number = resolve(datum.dim());
  if (number.is_constant() && number.constant() < least) {
    s.reject("'" + port + "' is too small", "at least " + std::to_string(least), to_string(datum));
  }
}

struct WindowPorts {
  const Datum *stride, *padding, *dilation;
};

// The ports stride, padding and dilation of a window over `axes` axes, checked; none while one is
// not known. A stride of None is the kernel size, if the op allows it.
inline std::optional<WindowPorts> window_ports(Solver& s, size_t axes,
                                               const Datum* kernel = nullptr) {
  WindowPorts ports{s.value("stride"), s.value("padding"), s.value("dilation")};
  if (!ports.stride || !ports.padding || !ports.dilation) return std::nullopt;
  if (kernel && ports.stride->is_none()) ports.stride = kernel;
  check_window(s, "stride", *ports.stride, 1, axes - 1);
  check_window(s, "padding", *ports.padding, 0, axes);
  check_window(s, "dilation", *ports.dilation, 1, axes - 1);
  return ports;
}

// States (in + before + after - dilation * (kernel - 1) - 1) // stride + 1 for the dim `out`;
// rejects a window that is larger than what it moves over, once that is known. False: not known
// yet.
inline bool solve_window(Solver& s, const WindowPorts& ports, size_t axis, size_t axes,
                         std::string_view in, const Dim& kernel, std::string_view out) {
  const auto [before, after] = padding_of(*ports.padding, axis, axes);
  const Dim padded = s.dim(in) + before + after;
  const Dim span = per_axis(*ports.dilation, axis).dim() * (kernel - 1) + 1;
  int64_t room = 0;
  const bool known = s.number(padded - span, room);
  if (known && room < 0) {
    s.reject("the window is larger than the padded input", "at most " + to_string(resolve(padded)),
             to_string(resolve(span)), ErrorKind::shape);
  }
  s.set(out, floor_divide(padded - span, per_axis(*ports.stride, axis).dim()) + 1);
  return known;
}

// Axis `axis` of the last two, for tensors of these dims before and after the window. Checks
// conditions that `solve` could not, because they depend on the sizes of tensors.
inline WindowAxis window_axis(const EvalContext& c, size_t axis, const Dims& from, const Dims& to,
                              int64_t kernel, const Datum& stride) {
  const WindowAxis window{.input = from[from.size() - 2 + axis],
                          .kernel = kernel,
                          .output = to[to.size() - 2 + axis],
                          .stride = per_axis(stride, axis).integer(),
                          .before = Datum(padding_of(c.value("padding"), axis, 2).first).integer(),
                          .dilation = per_axis(c.value("dilation"), axis).integer()};
  if (window.stride < 1 || window.dilation < 1 || window.before < 0) {
    raise({.kind = ErrorKind::value,
           .code = "E0402",
           .message = c.op_name() + ": the window cannot move so",
           .facts = {{"stride", std::to_string(window.stride)},
                     {"padding", std::to_string(window.before)},
                     {"dilation", std::to_string(window.dilation)}},
           .help = "give a stride and a dilation of at least 1 and a padding of at least 0"});
  }
  return window;
}

// All products of one plane: calls body(tap, from, to, count) for runs of contiguous outputs;
// output to + i reads the input at from + i * columns.stride.
template <typename Body>
void each_run(const WindowAxis& rows, const WindowAxis& columns, Body body) {
  for (int64_t p = 0; p < rows.kernel; ++p) {
    for (int64_t q = 0; q < columns.kernel; ++q) {
      const int64_t begin = columns.begin(q), count = columns.end(q) - begin;
      for (int64_t i = rows.begin(p); count > 0 && i < rows.end(p); ++i) {
        body(p * columns.kernel + q, rows.at(i, p) * columns.input + columns.at(begin, q),
             i * columns.output + begin, count);
      }
    }
  }
}

}  // namespace mithril
