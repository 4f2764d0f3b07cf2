#include "mithril/optim/sgd.hpp"

#include <functional>

namespace mithril {
namespace {

std::vector<std::string> slots(const SGDOptions& options) {
  if (options.momentum == 0) return {};
  return {"momentum_buffer"};
}

}  // namespace

SGD::SGD(SGDOptions options)
    : Optimizer(options.lr, slots(options), options.groups), options_(options) {
  check(options);
}

void SGD::check(const SGDOptions& options) {
  require(options.momentum >= 0, "momentum", options.momentum, "at least 0");
  require(options.weight_decay >= 0, "weight_decay", options.weight_decay, "at least 0");
  if (!options.nesterov) return;
  require(options.momentum > 0, "momentum", options.momentum, "more than 0 with nesterov");
  require(options.dampening == 0, "dampening", options.dampening, "0 with nesterov");
}

OptimizerOptions SGD::options() const {
  return {{"lr", lr()},
          {"momentum", options_.momentum},
          {"dampening", options_.dampening},
          {"weight_decay", options_.weight_decay},
          {"nesterov", options_.nesterov}};
}

void SGD::set_options(const OptimizerOptions& options) {
  const SGDOptions next{.momentum = option(options, "momentum").real(),
                        .dampening = option(options, "dampening").real(),
                        .weight_decay = option(options, "weight_decay").real(),
                        .nesterov = option(options, "nesterov").flag()};
  check(next);
  set_slot_names(slots(next));
  options_ = next;
}

std::vector<double> SGD::numbers(std::int64_t steps, const StepRates& rates) const {
  if (options_.dampening == 0) return {rates.lr};
  return {rates.lr, steps == 1 ? 1 : 1 - options_.dampening};
}

void SGD::add_to_graph(GraphMove& move) const {
  Expression direction = move.gradient;
  if (move.weight_decay != 0) direction = direction + move.param * move.weight_decay;
  if (options_.momentum != 0) {
    Expression& buffer = move.slots[0];
    const Expression fresh = options_.dampening == 0 ? direction : direction * move.numbers[1];
    buffer = buffer * options_.momentum + fresh;
    direction = options_.nesterov ? direction + buffer * options_.momentum : buffer;
  }
  move.param = move.param - direction * move.numbers[0];
}

void SGD::update(Tensor& param, const Tensor& gradient, ParameterMemory& memory,
                 const std::vector<double>&, const StepRates& rates) {
  visit_parameter(param, [&](auto element, auto number) {
    using Element = decltype(element);
    using T = decltype(number);
    const T rate = static_cast<T>(rates.lr), momentum = static_cast<T>(options_.momentum);
    const T decay = static_cast<T>(rates.weight_decay);
    const T fresh = memory.steps == 1 ? T(1) : static_cast<T>(1 - options_.dampening);
    const Element* from = gradient.data<Element>();
    Element* to = param.mutable_data<Element>();
    T* buffer = memory.slots.empty() ? nullptr : memory.slots[0].mutable_data<T>();
    const bool nesterov = options_.nesterov;
    const auto work = [=](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const T value = static_cast<T>(to[i]);
        T direction = static_cast<T>(from[i]) + decay * value;
        if (buffer) {
          buffer[i] = momentum * buffer[i] + fresh * direction;
          direction = nesterov ? direction + momentum * buffer[i] : buffer[i];
        }
        to[i] = static_cast<Element>(value - rate * direction);
      }
    };
    in_ranges(param.size(), std::cref(work));
  });
}

}  // namespace mithril
