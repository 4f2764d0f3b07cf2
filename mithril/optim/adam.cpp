#include "mithril/optim/adam.hpp"

#include <cmath>
#include <functional>

namespace mithril {

Adam::Adam(AdamOptions options, bool decoupled)
    : Optimizer(options.lr, {"exp_avg", "exp_avg_sq"}, options.groups),
      options_(options),
      decoupled_(decoupled) {
  check(options);
}

void Adam::check(const AdamOptions& options) {
  const auto [first, second] = options.betas;
  require(first >= 0 && first < 1, "betas.first", first, "at least 0 and below 1");
  require(second >= 0 && second < 1, "betas.second", second, "at least 0 and below 1");
  require(options.eps >= 0, "eps", options.eps, "at least 0");
  require(options.weight_decay >= 0, "weight_decay", options.weight_decay, "at least 0");
}

OptimizerOptions Adam::options() const {
  return {{"lr", lr()},
          {"betas", Datum(Tuple{options_.betas.first, options_.betas.second})},
          {"eps", options_.eps},
          {"weight_decay", options_.weight_decay}};
}

void Adam::set_options(const OptimizerOptions& options) {
  const Tuple& betas = option(options, "betas").tuple();
  const AdamOptions next{.betas = {betas[0].real(), betas[1].real()},
                         .eps = option(options, "eps").real(),
                         .weight_decay = option(options, "weight_decay").real()};
  check(next);
  options_ = next;
}

std::vector<double> Adam::numbers(std::int64_t steps, const StepRates& rates) const {
  const auto taken = static_cast<double>(steps);
  const double correction1 = 1 - std::pow(options_.betas.first, taken);
  const double correction2 = 1 - std::pow(options_.betas.second, taken);
  std::vector<double> numbers{rates.lr / correction1, 1 / std::sqrt(correction2)};
  if (decoupled_) numbers.push_back(1 - rates.lr * rates.weight_decay);
  return numbers;
}

void Adam::add_to_graph(GraphMove& move) const {
  const auto [first, second] = options_.betas;
  Expression &param = move.param, &mean = move.slots[0], &square = move.slots[1];
  Expression direction = move.gradient;
  if (move.weight_decay != 0) {
    if (decoupled_)
      param = param * move.numbers[2];
    else
      direction = direction + param * move.weight_decay;
  }
  mean = mean + (direction - mean) * (1 - first);
  // Names fix the order of the nodes: compilers evaluate the operands of + in different orders.
  const Expression kept = square * second;
  square = kept + direction * (1 - second) * direction;
  const Expression step = mean * move.numbers[0];
  param = param - step / (call("sqrt", {square}) * move.numbers[1] + options_.eps);
}

void Adam::update(Tensor& param, const Tensor& gradient, ParameterMemory& memory,
                  const std::vector<double>& changing, const StepRates& rates) {
  const double beta1 = options_.betas.first, beta2 = options_.betas.second;
  visit_parameter(param, [&](auto element, auto number) {
    using Element = decltype(element);
    using T = decltype(number);
    const T shrink = static_cast<T>(decoupled_ ? changing[2] : 1);
    const T decay = static_cast<T>(decoupled_ ? 0 : rates.weight_decay);
    const T weight1 = static_cast<T>(1 - beta1), keep2 = static_cast<T>(beta2);
    const T weight2 = static_cast<T>(1 - beta2), eps = static_cast<T>(options_.eps);
    const T rate = static_cast<T>(changing[0]), scale = static_cast<T>(changing[1]);
    const Element* from = gradient.data<Element>();
    Element* to = param.mutable_data<Element>();
    T* mean = memory.slots[0].mutable_data<T>();
    T* square = memory.slots[1].mutable_data<T>();
    const auto work = [=](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const T value = shrink * static_cast<T>(to[i]);
        const T direction = static_cast<T>(from[i]) + decay * value;
        mean[i] += weight1 * (direction - mean[i]);
        square[i] = keep2 * square[i] + weight2 * direction * direction;
        to[i] = static_cast<Element>(value - rate * mean[i] / (std::sqrt(square[i]) * scale + eps));
      }
    };
    in_ranges(param.size(), std::cref(work));
  });
}

}  // namespace mithril
