#include "mithril/compile/training_step.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "mithril/base/out_of_memory.hpp"
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
  TrainingOptions options;
  TrainingProgram program;
  std::vector<Tensor> incoming;   // gradients, at outputs
  std::vector<size_t> of;         // these outputs
  std::uint64_t options_version;  // of the optimizer, when the program was made
  State state;

  TensorMap run(TensorMap& params, const TensorMap& data);
  void check_parameters(const TensorMap& params, std::vector<Tensor>& inputs) const;
  std::vector<Optimizer::Memory*> take_memory(std::vector<Tensor>& inputs,
                                              Optimizer::Memories& fresh) const;
  void move(std::vector<Tensor>& inputs, std::vector<Tensor>& made) const;
};

TrainingStep::TrainingStep(const CompiledModel& model, Optimizer& optimizer,
                           const OutputGradients& gradients, const TrainingOptions& options) try {
  options.check();
  std::shared_ptr<CompiledModel::Parts> parts = in_use(model.parts_);
  const std::vector<size_t> of = requested(*parts, gradients);
  TrainingProgram program = parts->training(of, optimizer, options);
  std::vector<Tensor> incoming;
  for (size_t i = 0; i < of.size(); ++i) {
    incoming.push_back(incoming_gradient(*parts, program.signature, gradients, of, i));
  }
  State state(parts->initial.share());
  impl_ = std::make_unique<Impl>(Impl{std::move(parts), optimizer, options, std::move(program),
                                      std::move(incoming), of, optimizer.options_version(),
                                      std::move(state)});
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

TrainingStep::TrainingStep(const CompiledModel& model, Optimizer& optimizer,
                           const TrainingOptions& options)
    : TrainingStep(model, optimizer, of_cost, options) {}

TrainingStep::~TrainingStep() = default;
TrainingStep::TrainingStep(TrainingStep&&) noexcept = default;

TensorMap TrainingStep::operator()(TensorMap& params, const TensorMap& data) try {
  return impl_->run(params, data);
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

const State& TrainingStep::state() const { return impl_->state; }

void TrainingStep::set_state(const State& state) try {
  const CompiledParts& parts = *impl_->parts;
  const Signature& signature = impl_->program.signature;
  check_state(parts, state, "set_state");
  State copied;
  for (const NamedIndex& key : parts.states) {
    const Tensor* tensor = state.find(key.name);
    if (!tensor) tensor = &parts.initial.at(key.name);
    check_fits(signature, key, *tensor);
    copied[key.name] =
        parts.backend->adopt(signature.convert(key.index, *tensor).host().copy(), false);
  }
  impl_->state = std::move(copied);
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

TensorMap TrainingStep::Impl::run(TensorMap& params, const TensorMap& data) {
  if (options_version != optimizer.options_version()) {
    program = parts->training(of, optimizer, options);
    options_version = optimizer.options_version();
  }
  std::vector<Tensor> inputs(program.signature.size());
  take_inputs(*parts, program.signature, params, data, state, inputs);
  std::copy(incoming.begin(), incoming.end(),
            inputs.begin() + static_cast<std::ptrdiff_t>(parts->inputs.size()));
  check_parameters(params, inputs);
  Optimizer::Memories fresh;
  const std::vector<Optimizer::Memory*> memories = take_memory(inputs, fresh);
  if (parts->safe_shapes) program.signature.check_dims(inputs);
  std::vector<Tensor> made = program.executable->run(inputs);
  try {
    move(inputs, made);
  } catch (const std::bad_alloc&) {
    raise_out_of_memory_after_writing();
  }
  for (Optimizer::Memory* memory : memories) ++memory->steps;
  optimizer.finish_step(fresh);
  try {
    State next = next_state(*parts, state, made);
    TensorMap outputs = named(parts->outputs, made);
    state = std::move(next);
    return outputs;
  } catch (const std::bad_alloc&) {
    raise_out_of_memory_after_writing();
  }
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

std::vector<Optimizer::Memory*> TrainingStep::Impl::take_memory(std::vector<Tensor>& inputs,
                                                                Optimizer::Memories& fresh) const {
  std::vector<Optimizer::Memory*> memories;
  size_t next = parts->inputs.size() + incoming.size();
  std::vector<Tensor> numbers;
  std::int64_t steps = -1;
  for (const auto& [key, at] : parts->parameters) {
    const Tensor& param = inputs[at];
    const Optimizer::Memory& memory =
        *memories.emplace_back(&optimizer.memory_of(key, param, fresh));
    const DType state = state_dtype(param.dtype());
    if (memory.steps != steps || numbers.empty() || numbers.front().dtype() != state) {
      steps = memory.steps;
      numbers.clear();
      for (const double number : optimizer.numbers(steps + 1)) {
        numbers.push_back(Tensor::full(state, {}, number));
      }
    }
    for (const Tensor& number : numbers) inputs[next++] = number;
    for (const Tensor& slot : memory.slots) inputs[next++] = slot;
  }
  return memories;
}

// What was not made in its place is copied there, once all of it is at hand.
void TrainingStep::Impl::move(std::vector<Tensor>& inputs, std::vector<Tensor>& made) const {
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (const Donation& at : program.donations) {
    Tensor moved = made[at.output].host();
    if (moved.bytes() == 0 || moved.raw_data() == inputs[at.input].raw_data()) continue;
    copies.emplace_back(std::move(moved), inputs[at.input]);
  }
  for (const auto& [from, to] : copies) {
    // An output of the model may be the parameter as it was.
    for (size_t i = 0; i < program.donations.front().output; ++i) {
      if (made[i].raw_data() == to.raw_data()) made[i] = made[i].copy();
    }
  }
  for (auto& [from, to] : copies) std::memcpy(to.mutable_raw_data(), from.raw_data(), from.bytes());
}

}  // namespace mithril
