#include "mithril/check/derivative.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mithril/grad/differentiate.hpp"

namespace mithril::check {
namespace {

constexpr int random_directions = 2;
constexpr int single_elements = 3;

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) sum += a.at_as_double(i) * b.at_as_double(i);
  return sum;
}

Tensor moved(const Tensor& from, const Tensor& direction, double step) {
  Tensor result = from.copy();
  const auto elements = result.mutable_values<double>();
  for (std::size_t i = 0; i < elements.size(); ++i)
    elements[i] += step * direction.values<double>()[i];
  return result;
}

Tensor element_direction(const Dims& dims, std::int64_t element) {
  Tensor result(DType::float64, dims);
  result.mutable_values<double>()[static_cast<std::size_t>(element)] = 1;
  return result;
}

bool all_finite(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors) {
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      if (!std::isfinite(tensor.at_as_double(i))) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Tensor> Derivative::Sample::all_inputs() const {
  std::vector<Tensor> all = inputs;
  all.insert(all.end(), incoming.begin(), incoming.end());
  return all;
}

Derivative::Derivative(const Graph& graph, std::vector<std::string> outputs,
                       std::vector<std::string> wanted)
    : outputs_(std::move(outputs)),
      wanted_(std::move(wanted)),
      forward_(graph),
      backward_(differentiate(graph, {.outputs = outputs_, .wanted = wanted_})) {
  verify(backward_.graph());
  for (const std::string& name : outputs_) {
    const auto at = std::find_if(graph.outputs().begin(), graph.outputs().end(),
                                 [&](const Output& o) { return o.name == name; });
    output_indices_.push_back(static_cast<std::size_t>(at - graph.outputs().begin()));
  }
  for (const std::string& name : wanted_) {
    const auto at = std::find_if(graph.inputs().begin(), graph.inputs().end(),
                                 [&](ValueId id) { return graph.value(id).name == name; });
    input_indices_.push_back(static_cast<std::size_t>(at - graph.inputs().begin()));
  }
}

Derivative::Sample Derivative::sample(std::vector<Tensor> inputs, std::uint64_t seed) const {
  Sample sample{.inputs = std::move(inputs), .incoming = {}, .gradients = {}, .finite = true};
  Random random(seed);
  const std::vector<Tensor> outputs = forward_.run(sample.inputs);
  for (const std::size_t at : output_indices_) {
    sample.incoming.push_back(random_direction(outputs[at].dims(), random));
  }
  sample.finite = all_finite(sample.inputs) && all_finite(outputs);
  const std::vector<Tensor> results = backward_.run(sample.all_inputs());
  sample.gradients.assign(results.end() - static_cast<std::ptrdiff_t>(wanted_.size()),
                          results.end());
  return sample;
}

double Derivative::weighted_sum(const Sample& at, std::size_t input, const Tensor& direction,
                                double step) const {
  std::vector<Tensor> inputs = at.inputs;
  inputs[input] = moved(inputs[input], direction, step);
  const std::vector<Tensor> results = forward_.run(inputs);
  double sum = 0;
  for (std::size_t i = 0; i < output_indices_.size(); ++i)
    sum += dot(at.incoming[i], results[output_indices_[i]]);
  return sum;
}

std::string Derivative::compare_slope(const Sample& at, std::size_t wanted,
                                      const Tensor& direction) const {
  const double expected = dot(at.gradients[wanted], direction);
  double closest = HUGE_VAL, closest_slope = 0;
  for (const double step : {1e-3, 1e-4, 1e-5}) {
    auto sum = [&](double steps) {
      return weighted_sum(at, input_indices_[wanted], direction, steps * step);
    };
    const double slope = (8 * (sum(1) - sum(-1)) - (sum(2) - sum(-2))) / (12 * step);
    const double apart = std::abs(slope - expected) / std::max(1.0, std::abs(slope));
    if (apart <= 1e-6) return {};
    if (apart < closest) {
      closest = apart;
      closest_slope = slope;
    }
  }
  return fmt::format("the slope along {} is {}, the gradient says {}: off by {:.3g}",
                     to_string(direction), closest_slope, expected, closest);
}

std::string Derivative::difference(const Sample& sample, std::size_t wanted,
                                   std::uint64_t seed) const {
  const Tensor& input = sample.inputs[input_indices_[wanted]];
  const Tensor& gradient = sample.gradients[wanted];
  if (gradient.dtype() != input.dtype() || gradient.dims() != input.dims()) {
    return fmt::format("the gradient is {}, its input {}", to_string(gradient), to_string(input));
  }
  if (input.size() == 0) return {};
  Random random(seed);
  std::vector<Tensor> directions;
  for (int i = 0; i < random_directions; ++i)
    directions.push_back(random_direction(input.dims(), random));
  for (int i = 0; i < single_elements; ++i) {
    const auto element =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(input.size()));
    directions.push_back(element_direction(input.dims(), element));
  }
  for (const Tensor& direction : directions) {
    if (std::string complaint = compare_slope(sample, wanted, direction); !complaint.empty())
      return complaint;
  }
  return {};
}

}  // namespace mithril::check
