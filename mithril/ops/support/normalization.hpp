// Shared by layer_norm, batch_norm and their gradients: groups of elements, each normalised by its
// own mean and reciprocal standard deviation (rstd).
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "mithril/op/eval_context.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/spelling.hpp"

namespace mithril {

// The group of an element, and the index of its weight and bias, from its row-major index.
struct NormGroups {
  int64_t count, size;  // of groups; of the elements in one
  int64_t step;         // contiguous elements of one group
  int64_t parameters, parameter_step;

  static NormGroups rows(const Dims& dims) {  // of the last axis
    const int64_t size = dims.back();
    return {product(dims, 0, dims.size() - 1), size, size, size, 1};
  }
  static NormGroups channels(const Dims& dims) {  // of all but the second axis
    const int64_t inner = product(dims, 2, dims.size());
    return {dims[1], dims[0] * inner, inner, dims[1], inner};
  }
  size_t group(int64_t i) const { return static_cast<size_t>(i / step % count); }
  int64_t parameter(int64_t i) const { return i / parameter_step % parameters; }
};

struct Moments {
  std::vector<double> mean, squares;  // of each group; the squares of distances, summed
};

inline Moments moments(const NormGroups& groups, const Elements<double>& x) {
  const auto count = static_cast<size_t>(groups.count), size = static_cast<size_t>(groups.size);
  Moments m{std::vector<double>(count), std::vector<double>(count)};
  for (int64_t i = 0; i < x.size(); ++i) m.mean[groups.group(i)] += x[i];
  for (double& mean : m.mean) mean /= static_cast<double>(size);
  for (int64_t i = 0; i < x.size(); ++i) {
    const double distance = x[i] - m.mean[groups.group(i)];
    m.squares[groups.group(i)] += distance * distance;
  }
  return m;
}

// 1 / sqrt(variance + eps)
inline std::vector<double> reciprocal_deviations(const EvalContext& c, const NormGroups& groups,
                                                 const Moments& m) {
  std::vector<double> rstd;
  for (const double squares : m.squares)
    rstd.push_back(1 / std::sqrt(squares / static_cast<double>(groups.size) + c.real("eps")));
  return rstd;
}

// Ones if the port is omitted.
inline std::vector<double> norm_weight(const EvalContext& c, const NormGroups& groups) {
  if (!c.has("weight")) return std::vector<double>(static_cast<size_t>(groups.parameters), 1.0);
  const auto weight = c.read<double>("weight");
  return {weight.begin(), weight.end()};
}

// The first output: (input - mean) * rstd * weight + bias.
inline void write_normalised(EvalContext& c, const NormGroups& groups,
                             const std::vector<double>& mean, const std::vector<double>& rstd) {
  const auto x = c.read<double>("input");
  const std::vector<double> weight = norm_weight(c, groups);
  std::vector<double> bias(weight.size());
  if (c.has("bias")) {
    const auto given = c.read<double>("bias");
    bias.assign(given.begin(), given.end());
  }
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (int64_t i = 0; i < x.size(); ++i) {
      const size_t group = groups.group(i);
      const auto parameter = static_cast<size_t>(groups.parameter(i));
      y[i] =
          static_cast<T>((x[i] - mean[group]) * rstd[group] * weight[parameter] + bias[parameter]);
    }
  });
}

template <typename Numbers>
void write_numbers(EvalContext& c, int output, const Numbers& numbers) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto to = c.write<T>(output);
    for (const double number : numbers) *to++ = static_cast<T>(number);
  });
}

// The gradients of input, weight and bias; `fixed`: mean and rstd do not depend on the input.
inline void eval_norm_grad(EvalContext& c, const NormGroups& groups, bool fixed) {
  const auto dy = c.read<double>("grad"), x = c.read<double>("input");
  const auto mean = c.read<double>("mean"), rstd = c.read<double>("rstd");
  const std::vector<double> weight = norm_weight(c, groups);
  std::vector<double> dweight(weight.size()), dbias(weight.size());
  std::vector<double> sums(static_cast<size_t>(groups.count)), products(sums.size());
  auto place = [&](int64_t i) { return static_cast<int64_t>(groups.group(i)); };
  auto unit = [&](int64_t i) { return (x[i] - mean[place(i)]) * rstd[place(i)]; };
  for (int64_t i = 0; i < x.size(); ++i) {
    const auto parameter = static_cast<size_t>(groups.parameter(i));
    dweight[parameter] += dy[i] * unit(i);
    dbias[parameter] += dy[i];
    sums[groups.group(i)] += dy[i] * weight[parameter];
    products[groups.group(i)] += dy[i] * weight[parameter] * unit(i);
  }
  const auto size = static_cast<double>(groups.size);
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto dx = c.write<T>();
    for (int64_t i = 0; i < x.size(); ++i) {
      const size_t group = groups.group(i);
      const double shared = fixed ? 0 : (sums[group] + products[group] * unit(i)) / size;
      const double slope = dy[i] * weight[static_cast<size_t>(groups.parameter(i))];
      dx[i] = static_cast<T>((slope - shared) * rstd[place(i)]);
    }
  });
  write_numbers(c, 1, dweight);
  write_numbers(c, 2, dbias);
}

// The channels of all indices of the new axis beside each other, [N, size * C, *s]: each keeps its
// own statistics. For ops whose tensors are [C] or [N, C, *s].
inline void batch_channels(BatchContext& c) {
  std::vector<Operand> operands = c.operands();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].expression()) continue;
    const std::string_view port = c.port_of(i);
    std::vector<Dim> dims = c.dims(port);
    const size_t channels = dims.size() == 1 ? 0 : 1;
    dims[channels] = product({c.size(), dims[channels]});
    const Expression x = moved_from_front(c.batched(port), channels);
    operands[i] = call("reshape", {x, Datum::dims(dims)});
  }
  const std::vector<Expression> results = call_all(c.op().name, std::move(operands));
  for (size_t i = 0; i < results.size(); ++i) {
    const int index = static_cast<int>(i);
    std::vector<Dim> dims = c.out_dims(index);
    const size_t channels = dims.size() == 1 ? 0 : 1;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(channels), c.size());
    const Expression x = call("reshape", {results[i], Datum::dims(dims)});
    c.become(moved_to_front(x, channels), index);
  }
}

// Moves the axis of weight and bias to the end, so that they broadcast. Applying it twice is the
// identity.
using NormLayout = Expression (*)(const Expression&);
inline Expression last_axis(const Expression& e) { return e; }
inline Expression second_axis(const Expression& e) { return call("swapaxes", {e, 1, -1}); }

// Ints are normalised as floats.
inline Expression float_input(const GradContext& g) {
  const Expression x = g.in("input");
  return is_floating(x.dtype()) ? x : call("cast", {x, Datum(g.out().dtype())});
}

inline Expression group_sizes(const Expression& elements, const Expression& mean) {
  return sum_to(fill_like(elements, 1.0), mean);
}

// The gradient of the input through its mean and its rstd.
inline Expression flow_of_statistics(const Expression& input, const Expression& mean,
                                     const Expression& rstd, const Expression& dmean,
                                     const Expression& drstd, NormLayout layout) {
  const Expression x = layout(input), size = group_sizes(x, mean);
  const Expression slope = drstd * rstd * rstd * rstd / size;
  return layout(expand_like(dmean / size, x) - (x - mean) * slope);
}

// The gradient of the gradient that eval_norm_grad computes: of
//   input_grad = rstd * (a - mean(a) - unit * mean(a * unit)), a = grad * weight,
//   weight_grad = sum(grad * unit), bias_grad = sum(grad), unit = (input - mean) * rstd,
// in which mean and rstd are inputs like the others.
inline void differentiate_norm_grad(GradContext& g, bool fixed, NormLayout layout) {
  const Expression dy = layout(g.in("grad")), distance = layout(g.in("input")) - g.in("mean");
  const Expression rstd = g.in("rstd"), unit = distance * rstd, size = group_sizes(dy, rstd);
  const Expression change = layout(g.out_grad(0)), scaled = change * rstd;
  auto average = [&](const Expression& e) { return sum_to(e, rstd) / size; };
  const Expression a = g.has("weight") ? dy * g.in("weight") : dy;
  const Expression common = average(scaled * unit);
  Expression by_a = scaled, by_unit = dy * g.out_grad(1), by_rstd = change * a;
  if (!fixed) {
    by_a = scaled - average(scaled) - unit * common;
    by_unit = by_unit - scaled * average(a * unit) - a * common;
    by_rstd = change * (a - average(a) - unit * average(a * unit));
  }
  const Expression by_dy = g.has("weight") ? by_a * g.in("weight") : by_a;
  if (g.needs("grad")) flow_summed(g, "grad", layout(by_dy + unit * g.out_grad(1) + g.out_grad(2)));
  if (g.needs("input")) flow_summed(g, "input", layout(by_unit * rstd));
  if (g.needs("mean")) flow_summed(g, "mean", -(by_unit * rstd));
  if (g.needs("rstd")) flow_summed(g, "rstd", by_rstd + by_unit * distance);
  if (g.needs("weight")) flow_summed(g, "weight", by_a * dy);
}

}  // namespace mithril
