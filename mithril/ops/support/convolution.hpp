// Convolutions: ports, shapes, and the one sum that the op and both its gradients are.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/op_work.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/window.hpp"

namespace mithril {

// The tensors, then how the window moves: of two axes with `kinds` "int|tuple".
inline std::vector<PortDef> convolution_inputs(std::vector<PortDef> tensors,
                                               const std::string& kinds) {
  tensors.push_back(value("stride", kinds, Datum(1)));
  tensors.push_back(value("padding", "int|tuple", Datum(0)));
  tensors.push_back(value("dilation", kinds, Datum(1)));
  tensors.push_back(value("groups", "int", Datum(1)));
  return tensors;
}

// Of a gradient of conv2d with the ports grad, input and weight: as many as conv2d does.
inline std::optional<int64_t> operations_of_convolution_grad(const OpTensors& tensors) {
  const int64_t channels = axis_from_end(tensors.inputs[2], 3);
  if (channels == 0) return 0;
  const int64_t read = counted_elements(*tensors.inputs[0]);
  return count_product(count_product(2, read), counted_elements(*tensors.inputs[2]) / channels);
}

[[noreturn]] inline void reject_channels(Solver& s, std::string message, std::string expected,
                                         int64_t got) {
  s.reject(std::move(message), std::move(expected), std::to_string(got), ErrorKind::shape);
}

// Rejects input channels that do not match the weight in this number of groups.
inline void check_channels(Solver& s, int64_t groups) {
  const Dim input = resolve(s.dim("Ci")), taken = resolve(s.dim("Cg"));
  if (!input.is_constant()) return;
  if (input.constant() % groups != 0) {
    reject_channels(s, "the groups do not divide the channels of the input",
                    "a multiple of " + std::to_string(groups), input.constant());
  }
  if (!taken.is_constant() || taken.constant() == input.constant() / groups) return;
  const std::string each = groups == 1 ? "" : " in each of " + std::to_string(groups) + " groups";
  reject_channels(s, "the input has not the channels that the weight takes",
                  to_string(taken) + each, input.constant());
}

// Ci == Cg * groups, and the groups divide Co; these are dims of the patterns.
inline bool solve_channels(Solver& s) {
  const Datum* groups_port = s.value("groups");
  int64_t groups = 0, input = 0, output = 0;
  if (!groups_port || !s.number(groups_port->dim(), groups)) return false;
  if (groups < 1) s.reject("'groups' is too small", "at least 1", std::to_string(groups));
  check_channels(s, groups);
  if (groups == 1) {
    s.same(s.dim("Ci"), s.dim("Cg"));
    return true;
  }
  const bool known = s.number(s.dim("Ci"), input);
  if (known) s.set("Cg", Dim(input / groups));
  if (!known) s.set("Ci", s.dim("Cg") * groups);
  if (!s.number(s.dim("Co"), output)) return false;
  if (output % groups != 0) {
    reject_channels(s, "the groups do not divide the channels of the output",
                    "a multiple of " + std::to_string(groups), output);
  }
  return known;
}

inline bool solve_convolution2d(Solver& s) {
  const bool channels = solve_channels(s);
  const auto ports = window_ports(s, 2);
  if (!ports) return false;
  const bool rows = solve_window(s, *ports, 0, 2, "H", s.dim("Kh"), "Ho");
  const bool columns = solve_window(s, *ports, 1, 2, "W", s.dim("Kw"), "Wo");
  return channels && rows && columns;
}

// Dims of the input, the weight and the output of a convolution over two axes.
struct ConvolutionDims {
  const Dims &input, &weight, &output;
};

// Calls body(x, w, y, count, step) so that y[i] += x[i * step] * w for i below count sums up to the
// convolution: x, w and y are indices into the input, the weight and the output.
template <typename Body>
void each_product(const EvalContext& c, const ConvolutionDims& dims, Body body) {
  const Dims &in = dims.input, &weight = dims.weight, &out = dims.output;
  const WindowAxis rows = window_axis(c, 0, in, out, weight[2], c.value("stride"));
  const WindowAxis columns = window_axis(c, 1, in, out, weight[3], c.value("stride"));
  const int64_t outputs_per_group = weight[0] / c.integer("groups");
  for (int64_t n = 0; n < out[0]; ++n) {
    for (int64_t o = 0; o < out[1]; ++o) {
      for (int64_t g = 0; g < weight[1]; ++g) {
        const int64_t channel = o / outputs_per_group * weight[1] + g;
        const int64_t x = (n * in[1] + channel) * in[2] * in[3];
        const int64_t w = (o * weight[1] + g) * weight[2] * weight[3];
        const int64_t y = (n * out[1] + o) * out[2] * out[3];
        each_run(rows, columns, [&](int64_t tap, int64_t from, int64_t to, int64_t count) {
          body(x + from, w + tap, y + to, count, columns.stride);
        });
      }
    }
  }
}

// A call of one of the family with the same window.
inline Expression convolve(const GradContext& g, const char* op, std::vector<Operand> tensors) {
  for (const char* port : {"stride", "padding", "dilation", "groups"})
    tensors.emplace_back(g.value(port));
  return call(op, std::move(tensors));
}

}  // namespace mithril
