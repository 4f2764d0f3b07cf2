#include "mithril/compile/training_step.hpp"

#include <algorithm>
#include <cstring>

#include "mithril/base/text.hpp"
#include "mithril/compile/evaluating.hpp"
#include "mithril/compile/training_graph.hpp"

namespace mithril {
namespace {

// The memory that a tensor stands in.
struct Extent {
  const std::byte *begin, *end;
  const std::string* key;

  explicit Extent(const Tensor& tensor, const std::string* of = nullptr)
      : begin(static_cast<const std::byte*>(tensor.raw_data())),
        end(begin + tensor.bytes()),
        key(of) {}
  bool meets(const Extent& other) const { return begin < other.end && other.begin < end; }
};

class Extents {
 public:
  void add(const Tensor& tensor, const std::string& key) {
    if (tensor.bytes() > 0) all_.emplace_back(tensor, &key);
  }

  void check_apart() {
    std::sort(all_.begin(), all_.end(),
              [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
    const auto met = std::adjacent_find(
        all_.begin(), all_.end(), [](const Extent& a, const Extent& b) { return a.meets(b); });
    if (met == all_.end()) return;
    raise({.kind = ErrorKind::input,
           .code = "E0812",
           .message = quoted(*met->key) + " and " + quoted(*std::next(met)->key) +
                      " share elements: each would be moved where it stands",
           .help = "give copies of them, or make them one parameter of the model"});
  }

  bool meet(const Tensor& tensor) const {
    const Extent extent(tensor);
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Extent& other) { return other.meets(extent); });
  }

 private:
  std::vector<Extent> all_;
};

}  // namespace

struct TrainingStep::Impl {
  std::shared_ptr<CompiledModel::Parts> parts;  // kept by whoever uses the model
  Optimizer& optimizer;
  TrainingProgram program;
  std::vector<Tensor> incoming;  // gradients, at outputs

  TensorMap run(TensorMap& params, const TensorMap& data, const State& state, State* next);
  void check_parameters(const TensorMap& params, std::vector<Tensor>& inputs) const;
  void take_memory(std::vector<Tensor>& inputs) const;
  void move(std::vector<Tensor>& inputs, std::vector<Tensor>& made) const;
};

TrainingStep::TrainingStep(const CompiledModel& model, Optimizer& optimizer,
                           const OutputGradients& gradients) {
  std::shared_ptr<CompiledModel::Parts> parts = model.parts_;
  if (&in_use(*parts) != parts.get()) parts = parts->without_hooks;
  const std::vector<size_t> of = requested(*parts, gradients);
  TrainingProgram program = parts->training(of, optimizer);
  std::vector<Tensor> incoming;
  for (size_t i = 0; i < of.size(); ++i) {
    incoming.push_back(incoming_gradient(*parts, program.signature, gradients, of, i));
  }
  impl_ = std::make_unique<Impl>(
      Impl{std::move(parts), optimizer, std::move(program), std::move(incoming)});
}

TrainingStep::~TrainingStep() = default;
TrainingStep::TrainingStep(TrainingStep&&) noexcept = default;

TensorMap TrainingStep::operator()(TensorMap& params, const TensorMap& data) {
  return impl_->run(params, data, impl_->parts->initial, nullptr);
}

std::pair<TensorMap, State> TrainingStep::operator()(TensorMap& params, const TensorMap& data,
                                                     const State& state) {
  State next;
  TensorMap outputs = impl_->run(params, data, state, &next);
  return {std::move(outputs), std::move(next)};
}

TensorMap TrainingStep::Impl::run(TensorMap& params, const TensorMap& data, const State& state,
                                  State* next) {
  std::vector<Tensor> inputs(program.signature.size());
  take_inputs(*parts, program.signature, params, data, state, inputs);
  std::copy(incoming.begin(), incoming.end(),
            inputs.begin() + static_cast<std::ptrdiff_t>(parts->inputs.size()));
  check_parameters(params, inputs);
  take_memory(inputs);
  if (parts->safe_shapes) program.signature.check_dims(inputs);
  std::vector<Tensor> made = program.executable->run(inputs);
  move(inputs, made);
  for (const NamedIndex& key : parts->parameters) {
    ++optimizer.memory_of(key.name, inputs[key.index]).steps;
  }
  if (next) *next = next_state(*parts, made);
  return named(parts->outputs, made);
}

// That each may be written to, and nothing else is by that.
void TrainingStep::Impl::check_parameters(const TensorMap& params,
                                          std::vector<Tensor>& inputs) const {
  Extents extents;
  std::vector<bool> is_parameter(parts->inputs.size());
  for (size_t i = 0; i < parts->parameters.size(); ++i) {
    const auto& [key, at] = parts->parameters[i];
    const DType given = params.find(key, i)->dtype(), needed = program.signature.dtype(at);
    if (given != needed) {
      raise({.kind = ErrorKind::type,
             .code = "E0382",
             .message = "the gradient of " + quoted(key) + " has another dtype",
             .facts = {{key, std::string(name(given))}, {"gradient", std::string(name(needed))}}});
    }
    if (inputs[at].read_only() || inputs[at].foreign()) {
      raise({.kind = ErrorKind::input,
             .code = "E0813",
             .message = quoted(key) + " cannot be moved: its elements may not be written to",
             .help = "give a copy of it; tensors of torch are moved by the optimizers of torch"});
    }
    extents.add(inputs[at], key);
    is_parameter[at] = true;
  }
  extents.check_apart();
  for (size_t i = 0; i < parts->inputs.size(); ++i) {
    if (!is_parameter[i] && extents.meet(inputs[i])) inputs[i] = inputs[i].copy();
  }
}

void TrainingStep::Impl::take_memory(std::vector<Tensor>& inputs) const {
  size_t next = parts->inputs.size() + incoming.size();
  std::vector<Tensor> numbers;
  std::int64_t steps = -1;
  for (const auto& [key, at] : parts->parameters) {
    const Tensor& param = inputs[at];
    const Optimizer::Memory& memory = optimizer.memory_of(key, param);
    if (memory.steps != steps || numbers.empty() || numbers.front().dtype() != param.dtype()) {
      steps = memory.steps;
      numbers.clear();
      for (const double number : optimizer.numbers(steps + 1)) {
        numbers.push_back(Tensor::full(param.dtype(), {}, number));
      }
    }
    for (const Tensor& number : numbers) inputs[next++] = number;
    for (const Tensor& slot : memory.slots) inputs[next++] = slot;
  }
}

// What was not made in its place is copied there, once all of it is at hand.
void TrainingStep::Impl::move(std::vector<Tensor>& inputs, std::vector<Tensor>& made) const {
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (const Donation& at : program.donations) {
    Tensor moved = made[at.output].host();
    if (moved.bytes() == 0 || moved.raw_data() == inputs[at.input].raw_data()) continue;
    copies.emplace_back(std::move(moved), inputs[at.input]);
  }
  for (auto& [from, to] : copies) {
    // An output of the model may be the parameter as it was.
    for (size_t i = 0; i < program.donations.front().output; ++i) {
      if (made[i].raw_data() == to.raw_data()) made[i] = made[i].copy();
    }
    std::memcpy(to.mutable_raw_data(), from.raw_data(), from.bytes());
  }
}

}  // namespace mithril
