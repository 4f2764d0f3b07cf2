#include "mithril/training/training_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "mithril/backend/updates_in_place.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/traced_run.hpp"
#include "mithril/compile/agreement.hpp"
#include "mithril/compile/evaluate.hpp"
#include "mithril/compile/local_program.hpp"
#include "mithril/compile/parameter_blocks.hpp"
#include "mithril/compile/training_graph.hpp"
#include "mithril/distributed/errors.hpp"
#include "mithril/distributed/or_abandon.hpp"
#include "mithril/optim/option_text.hpp"
#include "mithril/tensor/memory_extents.hpp"
#include "mithril/training/export_step.hpp"
#include "mithril/training/gather_memory.hpp"
#include "mithril/training/gradient_sums.hpp"
#include "mithril/training/step_agreement.hpp"

namespace mithril {
namespace {

// Whether a tensor of these dims has such blocks; those of another model may not.
bool has_blocks_like(const Dims& dims, const TensorBlock& block) {
  return block.axis < dims.size() && dims[block.axis] % block.size == 0;
}

}  // namespace

struct TrainingStep::Impl {
  struct Trained {
    NamedIndex key;
    const ParameterGroup* group;
  };

  std::shared_ptr<CompiledModel::Impl> compiled;  // kept by whoever uses the model
  Optimizer& optimizer;
  TrainingOptions options;
  std::vector<size_t> of;        // the outputs whose gradients come in
  std::vector<Trained> trained;  // the parameters that are not frozen and have a gradient
  State state;
  // Made for the options of the optimizer of this version.
  std::optional<TrainingProgram> update = {}, accumulation = {};
  std::uint64_t options_version = 0;
  std::vector<Tensor> incoming = {};  // gradients, at outputs
  Fitted fitted = {};
  bool agreed = false;  // whether the processes of the group start from the same tensors
  std::string agreed_schedule = {};

  using Memories = std::vector<Optimizer::ParameterMemory*>;

  static std::vector<Trained> trained_parameters(const CompiledState& compiled,
                                                 const std::vector<size_t>& of,
                                                 const Optimizer& optimizer);
  void make_programs();
  void agree_on_start(const TensorMap& params);
  void agree_on_schedule();
  TensorMap run(TensorMap& params, const TensorMap& data);
  void check_parameters(const TensorMap& params, std::vector<Tensor>& inputs) const;
  Memories take_memory(std::vector<Tensor>& inputs, Optimizer::ParameterMemories& fresh) const;
  void add_inputs(const Memories& memories, bool updates, double average_weight,
                  std::vector<Tensor>& inputs) const;
  static void move(const TrainingProgram& program, std::vector<Tensor>& inputs,
                   std::vector<Tensor>& made);
  TensorMap averages(const TensorMap& params) const;
};

TrainingStep::TrainingStep(const CompiledModel& model, Optimizer& optimizer,
                           const OutputGradients& gradients, const TrainingOptions& options) {
  options.check();
  std::shared_ptr<CompiledModel::Impl> compiled = in_use(model.impl_);
  compiled->require_gradients();
  const std::vector<size_t> of = requested(*compiled, gradients);
  std::vector<Impl::Trained> trained = Impl::trained_parameters(*compiled, of, optimizer);
  State state(compiled->initial.share());
  impl_ = std::make_unique<Impl>(
      Impl{std::move(compiled), optimizer, options, of, std::move(trained), std::move(state)});
  impl_->make_programs();
  for (size_t i = 0; i < of.size(); ++i) {
    impl_->incoming.push_back(
        incoming_gradient(*impl_->compiled, impl_->update->signature, gradients, of, i));
  }
}

TrainingStep::TrainingStep(const CompiledModel& model, Optimizer& optimizer,
                           const TrainingOptions& options)
    : TrainingStep(model, optimizer, of_cost, options) {}

TrainingStep::~TrainingStep() = default;
TrainingStep::TrainingStep(TrainingStep&&) noexcept = default;

TensorMap TrainingStep::operator()(TensorMap& params, const TensorMap& data) {
  const TracedCall call("TrainingStep");
  const auto run = [&] { return impl_->run(params, data); };
  return or_abandon(
      group_of(*impl_->compiled),
      [&] { return with_number_of_step(impl_->optimizer.steps() + 1, run); }, errors_of_models);
}

ExportedStep TrainingStep::exported(const TensorMap& params) const {
  const Impl& step = *impl_;
  check_kept(step.optimizer, step.options);
  const auto& without_hooks = step.compiled->without_hooks;
  StepParts parts{.compiled = without_hooks ? *without_hooks : *step.compiled,
                  .optimizer = step.optimizer,
                  .options = step.options,
                  .of = step.of,
                  .incoming = step.incoming,
                  .state = step.state};
  for (const Impl::Trained& each : step.trained) parts.trained.push_back(each.key);
  return export_step(parts, compiled().load_state_dict(params));
}

CompiledModel TrainingStep::compiled() const { return CompiledModel(impl_->compiled); }

Optimizer& TrainingStep::optimizer() const { return impl_->optimizer; }

State TrainingStep::state() const { return impl_->compiled->copy_of(impl_->state); }

void TrainingStep::set_state(const State& state) {
  const CompiledState& compiled = *impl_->compiled;
  const Signature& signature = impl_->update->signature;
  check_state(compiled, state, "set_state");
  State copied;
  for (const NamedIndex& key : compiled.states) {
    const Tensor* tensor = state.find(key.name);
    if (!tensor) tensor = &compiled.initial.at(key.name);
    check_fits(signature, key, *tensor);
    copied[key.name] =
        compiled.backend->adopt(signature.convert(key.index, *tensor).host().copy(), false);
  }
  impl_->state = std::move(copied);
  impl_->agreed = false;
}

void TrainingStep::gather_optimizer() { gather_memory(*impl_->compiled, impl_->optimizer); }

void TrainingStep::load_optimizer(const TensorMap& state) {
  impl_->optimizer.load_blocks(state, [&](const std::string& key, const Dims& dims) {
    const std::optional<MemoryBlock> block = memory_block(*impl_->compiled, key, dims);
    return block && has_blocks_like(dims, *block) ? block : std::nullopt;
  });
  if (const Communicator* rows = impl_->compiled->data_group.get())
    keep_gradient_sums_of_first(impl_->optimizer, *rows);
}

TrainingStep::Fitted TrainingStep::fitted() const {
  return {impl_->fitted.params.share(), impl_->fitted.epochs};
}

void TrainingStep::set_fitted(const Fitted& fitted) {
  impl_->fitted = {fitted.params.share(), fitted.epochs};
}

TensorMap TrainingStep::averages(const TensorMap& params) const { return impl_->averages(params); }

std::vector<TrainingStep::Impl::Trained> TrainingStep::Impl::trained_parameters(
    const CompiledState& compiled, const std::vector<size_t>& of, const Optimizer& optimizer) {
  check_patterns(optimizer.groups(), names_of(compiled.parameters));
  const std::vector<bool> reached = compiled.parameters_reached(of);
  const std::vector<NamedIndex> parameters = compiled.trained_parameters();
  std::vector<Trained> trained;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const NamedIndex& key = parameters[i];
    const ParameterGroup& group = optimizer.group_of(key.name);
    if (!group.frozen && reached[i]) trained.push_back({key, &group});
  }
  return trained;
}

void TrainingStep::Impl::make_programs() {
  std::vector<TrainedParameter> all;
  for (const auto& [key, group] : trained) all.push_back({key.index, optimizer.rates(*group)});
  const auto made = [&](StepPart part) {
    return compiled->training(of, all, optimizer, options, part);
  };
  const bool accumulates = options.accumulate > 1;
  update = made(accumulates ? StepPart::finish : StepPart::whole);
  if (accumulates) accumulation = made(StepPart::accumulate);
  options_version = optimizer.options_version();
  agreed = false;  // the optimizer may have loaded a state
}

// DistributedError E0964 if the processes differ.
void TrainingStep::Impl::agree_on_start(const TensorMap& params) {
  if (agreed || !is_distributed(*compiled)) return;
  AgreementEntries entries = agreement_on(optimizer, options);
  for (const auto& [key, group] : trained) {
    const StepRates rates = optimizer.rates(*group);
    entries.emplace_back("rates of " + in_quotes(key.name),
                         fmt::format("{} {}", rates.lr, rates.weight_decay));
  }
  agreed_schedule = to_string(optimizer.schedule());
  entries.emplace_back("schedule", agreed_schedule);
  AgreementEntries blocks;
  for (const auto& [key, param] : params) {
    const bool is_block = parameter_block(*compiled, key).has_value();
    add_tensors(is_block ? blocks : entries, "parameter", {{key, param}});
  }
  for (const auto& [key, tensor] : state) add_tensors(entries, "state", {{key, tensor}});
  for (const Trained& parameter : trained)
    add_memory(entries, optimizer, options, parameter.key.name);
  agree(*compiled->group, "TrainingStep", entries);
  if (has_blocks(*compiled)) agree_among(*compiled, *compiled->data_group, "TrainingStep", blocks);
  agreed = true;
}

// A schedule that was replaced since then: the rates of a process would differ in silence.
void TrainingStep::Impl::agree_on_schedule() {
  if (!is_distributed(*compiled)) return;
  std::string schedule = to_string(optimizer.schedule());
  if (schedule == agreed_schedule) return;
  agree(*compiled->group, "TrainingStep", {{"schedule", schedule}});
  agreed_schedule = std::move(schedule);
}

TensorMap TrainingStep::Impl::run(TensorMap& params, const TensorMap& data) {
  if (options_version != optimizer.options_version()) make_programs();
  require_blocks(*compiled, params);
  agree_on_start(params);
  agree_on_schedule();
  check_kept(optimizer, options);
  const bool updates = optimizer.micro_steps() + 1 >= options.accumulate;
  const TrainingProgram& program = updates ? *update : *accumulation;
  const double average_weight = options.average_weight(optimizer.steps() + 1, optimizer.averaged());
  std::vector<Tensor> inputs(program.signature.size());
  take_inputs(*compiled, program.signature, params, data, state, inputs);
  std::copy(incoming.begin(), incoming.end(),
            inputs.begin() + static_cast<std::ptrdiff_t>(compiled->inputs.size()));
  check_parameters(params, inputs);
  Optimizer::ParameterMemories fresh;
  const Memories memories = take_memory(inputs, fresh);
  add_inputs(memories, updates, average_weight, inputs);
  if (compiled->safe_shapes) program.signature.check_dims(inputs);
  agree_on_sizes(*compiled, inputs);
  std::vector<Tensor> made = run_debugged(*compiled, *program.executable, inputs);
  after_writing([&] { move(program, inputs, made); });
  if (updates) {
    for (Optimizer::ParameterMemory* memory : memories) ++memory->steps;
    optimizer.finish_step(fresh, average_weight > 0);
    clear_gradient_sums(optimizer);
  } else {
    optimizer.finish_micro_step(fresh);
  }
  return after_writing([&] {
    State next = next_state(*compiled, state, made);
    TensorMap outputs = named(compiled->outputs, made);
    state = std::move(next);
    return outputs;
  });
}

// Checks that each parameter may be written to, and that writing it changes no other tensor.
void TrainingStep::Impl::check_parameters(const TensorMap& params,
                                          std::vector<Tensor>& inputs) const {
  MemoryExtents extents;
  std::vector<bool> is_parameter(compiled->inputs.size());
  const auto* in_place = dynamic_cast<const UpdatesInPlace*>(update->executable.get());
  for (size_t i = 0; i < trained.size(); ++i) {
    const auto& [key, at] = trained[i].key;
    const DType given = params.find(key, i)->dtype(), needed = update->signature.dtype(at);
    if (given != needed) {
      raise({.kind = ErrorKind::type,
             .code = "E0382",
             .message = "the gradient of " + in_quotes(key) + " has another dtype",
             .facts = {{key, std::string(name(given))}, {"gradient", std::string(name(needed))}},
             .help = "convert the parameter to " + std::string(name(needed)) +
                     ", or compile the model with a backend of dtype " + std::string(name(given))});
    }
    if (inputs[at].foreign() ? !in_place || !in_place->updates(inputs[at])
                             : inputs[at].read_only()) {
      raise({.kind = ErrorKind::input,
             .code = "E0813",
             .message = in_quotes(key) + " cannot be updated: its elements are read-only",
             .help = "give a copy of it; a backend updates tensors of its own device"});
    }
    extents.add(inputs[at], key);
    is_parameter[at] = true;
  }
  extents.check_apart();
  for (size_t i = 0; i < compiled->inputs.size(); ++i) {
    if (!is_parameter[i] && extents.meet(inputs[i])) inputs[i] = inputs[i].copy();
  }
}

TrainingStep::Impl::Memories TrainingStep::Impl::take_memory(
    std::vector<Tensor>& inputs, Optimizer::ParameterMemories& fresh) const {
  Memories memories;
  for (const auto& [key, group] : trained) {
    const Tensor& param = inputs[key.index];
    const std::optional<MemoryBlock> block = memory_block(*compiled, key.name, param.dims());
    Optimizer::ParameterMemory& memory = optimizer.memory_of(key.name, param, fresh, block);
    const bool is_part = block && !block->of_parameter;
    const Dims& held = is_part ? block_dims(param.dims(), *block) : param.dims();
    // The memory of a parameter is where the parameter is.
    const auto move_to_param = [&](Tensor& tensor) {
      if (param.foreign() && !tensor.foreign()) tensor = compiled->backend->adopt(tensor, false);
      if (!param.foreign() && tensor.foreign()) tensor = tensor.copy();
    };
    const auto need = [&](std::optional<Tensor>& tensor, const Dims& dims) {
      if (!tensor) tensor.emplace(opmath_dtype(param.dtype()), dims);
      move_to_param(*tensor);
    };
    if (options.accumulate > 1) {
      if (!memory.gradient_sum) check_first_gradient(optimizer, key.name);
      need(memory.gradient_sum, param.dims());
    }
    if (options.averages()) {
      if (!memory.average && optimizer.averaged() > 0)
        memory.average = average_until_now(param, is_part ? block : std::nullopt);
      need(memory.average, held);
    }
    for (Tensor& slot : memory.slots) move_to_param(slot);
    memories.push_back(&memory);
  }
  return memories;
}

// Adds the inputs in the order of training_graph.
void TrainingStep::Impl::add_inputs(const Memories& memories, bool updates, double average_weight,
                                    std::vector<Tensor>& inputs) const {
  size_t next = compiled->inputs.size() + incoming.size();
  if (options.accumulate > 1) {
    for (const Optimizer::ParameterMemory* memory : memories)
      inputs[next++] = *memory->gradient_sum;
  }
  if (!updates) return;
  std::vector<Tensor> step_scalars;
  std::int64_t steps = -1;
  StepRates rates;
  for (size_t i = 0; i < trained.size(); ++i) {
    const Optimizer::ParameterMemory& memory = *memories[i];
    const DType state = opmath_dtype(inputs[trained[i].key.index].dtype());
    const StepRates own = optimizer.rates(*trained[i].group);
    if (memory.steps != steps || own != rates || step_scalars.empty() ||
        step_scalars.front().dtype() != state) {
      steps = memory.steps;
      rates = own;
      step_scalars.clear();
      for (const double number : optimizer.step_scalars(steps + 1, rates)) {
        step_scalars.push_back(Tensor::full(state, {}, number));
      }
      if (options.averages()) step_scalars.push_back(Tensor::full(state, {}, average_weight));
    }
    for (const Tensor& number : step_scalars) inputs[next++] = number;
    for (const Tensor& slot : memory.slots) inputs[next++] = slot;
    if (options.averages()) inputs[next++] = *memory.average;
  }
}

TensorMap TrainingStep::Impl::averages(const TensorMap& params) const {
  if (!options.averages()) {
    raise({.kind = ErrorKind::state,
           .code = "E0911",
           .message = "this training step keeps no averages",
           .help = "make it with average=EMA() or SWA()"});
  }
  const std::vector<std::string> frozen = CompiledModel(compiled).frozen_keys();
  std::vector<TensorMap::Item> items;
  for (const auto& [key, param] : params) {
    const Optimizer::ParameterMemory* memory = optimizer.find_memory(key);
    const bool averaged = memory && memory->average && optimizer.averaged() > 0;
    const Tensor host =
        averaged ? average_of(*compiled, key, *memory).to(param.dtype()) : param.host().copy();
    const bool is_frozen = std::find(frozen.begin(), frozen.end(), key) != frozen.end();
    items.emplace_back(key, compiled->backend->adopt(host, !is_frozen));
  }
  return TensorMap(std::move(items));
}

// Copies the results that were not computed in place, after all of them are computed.
void TrainingStep::Impl::move(const TrainingProgram& program, std::vector<Tensor>& inputs,
                              std::vector<Tensor>& made) {
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (const Donation& at : program.donations) {
    if (inputs[at.input].foreign()) continue;  // the executable has written it
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
