#include "mithril/optim/optimizer.hpp"

#include <algorithm>

#include "mithril/base/key_patterns.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/thread_pool.hpp"
#include "mithril/optim/update_rule.hpp"

namespace mithril {
namespace {

// Elements: some microseconds of reading and writing.
constexpr std::int64_t elements_worth_a_thread = 1 << 14;

// `dims`: of the slots.
void check_slots(const std::string& key, const Tensor& param, const Dims& dims,
                 const std::vector<Tensor>& slots) {
  for (const Tensor& slot : slots) {
    if (slot.dims() == dims && slot.dtype() == opmath_dtype(param.dtype())) continue;
    raise({.kind = ErrorKind::state,
           .code = "E0904",
           .message = "the optimizer's state of " + in_quotes(key) + " does not fit it",
           .facts = {{key, dtype_and_dims(param)}, {"remembered", dtype_and_dims(slot)}}});
  }
}

const Tensor& slot_of(const TensorMap& state, const std::string& key, const std::string& slot) {
  const Tensor* tensor = state.find(key + "." + slot);
  if (tensor) return *tensor;
  raise({.kind = ErrorKind::state,
         .code = "E0905",
         .path = key,
         .message = "the state of the optimizer has no entry " + in_quotes(key + "." + slot)});
}

Tensor tensor_of(const Datum& option) {
  if (option.kind() == kind::bool_value) return Tensor::scalar(option.flag());
  if (option.kind() != kind::tuple) return Tensor::scalar(option.real());
  std::vector<double> numbers;
  for (const Datum& item : option.tuple()) numbers.push_back(item.real());
  const auto count = static_cast<std::int64_t>(numbers.size());
  return Tensor::of<double>({count}, numbers);
}

// The saved option, as a value of the kind that the option has now.
Datum option_of(const std::string& name, const Tensor& saved, const Datum& now) {
  const Dims expected = tensor_of(now).dims();
  if (saved.dims() != expected) {
    raise({.kind = ErrorKind::state,
           .code = "E0904",
           .message = "the state of the optimizer has other dims for the option " + in_quotes(name),
           .facts = {{"expected", to_string(expected)}, {"got", to_string(saved.dims())}}});
  }
  if (now.kind() == kind::bool_value) return saved.at_as_double(0) != 0;
  if (now.kind() != kind::tuple) return saved.at_as_double(0);
  Tuple numbers;
  for (std::int64_t i = 0; i < saved.size(); ++i) numbers.emplace_back(saved.at_as_double(i));
  return Datum(std::move(numbers));
}

constexpr const char* steps_entry = "steps";
constexpr const char* micro_steps_entry = "micro_steps";
constexpr const char *gradient_sum_slot = "gradient_sum", *average_slot = "average";
constexpr const char* averaged_entry = "averaged";

bool is_count(const std::string& entry) {
  return entry == steps_entry || entry == micro_steps_entry || entry == averaged_entry;
}

std::int64_t count_in(const TensorMap& state, const char* entry) {
  const Tensor* count = state.find(entry);
  return count ? static_cast<std::int64_t>(count->item()) : 0;
}

bool is_slot(const std::string& entry) { return entry.find('.') != std::string::npos; }

const Datum* find_option(const OptimizerOptions& options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == options.end() ? nullptr : &found->second;
}

void check_option_names(const OptimizerDef& def, const OptimizerOptions& options) {
  std::vector<std::string> names;
  for (const OptimizerOption& option : def.options) names.push_back(option.name);
  for (const auto& [name, value] : options) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    unknown_member(ErrorKind::name, "E0605", def.name, "argument", name, "", names);
  }
}

void check_option_range(const OptimizerOption& option, const std::string& name, double value) {
  if (option.range == OptionRange::at_least_0)
    return require_option(value >= 0, name, value, "at least 0");
  require_option(value >= 0 && value < 1, name, value, "at least 0 and below 1");
}

void check_option_range(const OptimizerOption& option, const Datum& value) {
  if (value.kind() == kind::bool_value) return;
  if (value.kind() != kind::tuple) return check_option_range(option, option.name, value.real());
  const auto size = static_cast<double>(value.tuple().size());
  require_option(size == 2, option.name + ".size", size, "2");
  check_option_range(option, option.name + ".first", value.tuple()[0].real());
  check_option_range(option, option.name + ".second", value.tuple()[1].real());
}

// The options, with the values that the state has for them.
OptimizerOptions restored(OptimizerOptions options, const TensorMap& state) {
  std::vector<std::string> names;
  for (auto& [name, value] : options) {
    if (const Tensor* saved = state.find(name)) value = option_of(name, *saved, value);
    names.push_back(name);
  }
  for (const auto& [entry, tensor] : state) {
    if (is_slot(entry) || is_count(entry)) continue;
    if (std::find(names.begin(), names.end(), entry) != names.end()) continue;
    unknown_member(ErrorKind::state, "E0903", "this optimizer", "option", entry, "", names);
  }
  return options;
}

// Raises where the parameter is read-only.
UpdatedElements elements_to_update(Tensor& param, const Tensor& gradient,
                                   std::vector<Tensor>& slots) {
  UpdatedElements elements{
      .dtype = param.dtype(), .param = param.mutable_raw_data(), .gradient = gradient.raw_data()};
  for (size_t i = 0; i < slots.size(); ++i) elements.slots[i] = slots[i].mutable_raw_data();
  return elements;
}

}  // namespace

Optimizer::Optimizer(OptimizerDef def, const Schedule& lr, const OptimizerOptions& options,
                     std::vector<ParameterGroup> groups)
    : def_(std::move(def)), schedule_(lr), groups_(std::move(groups)) {
  check_groups(groups_);
  check_option_names(def_, options);
  OptimizerOptions all;
  for (const OptimizerOption& option : def_.options) {
    const Datum* given = find_option(options, option.name);
    all.emplace_back(option.name, given ? *given : option.value);
  }
  set_options(all);
}

OptimizerOptions Optimizer::options() const {
  OptimizerOptions all{{"lr", lr()}};
  all.insert(all.end(), settings_.begin(), settings_.end());
  return all;
}

void Optimizer::set_options(const OptimizerOptions& options) {
  OptimizerOptions settings;
  for (const OptimizerOption& option : def_.options) {
    settings.emplace_back(option.name, *find_option(options, option.name));
    check_option_range(option, settings.back().second);
  }
  std::shared_ptr<const UpdateRule> rule = def_.rule(OptimizerSettings(settings));
  std::vector<OptimizerSlot> slots = rule->slots();
  MITHRIL_CHECK(slots.size() <= most_optimizer_slots,
                "the rule of an optimizer has too many slots");
  settings_ = std::move(settings);
  rule_ = std::move(rule);
  slots_ = std::move(slots);
}

StepRates Optimizer::rates(const ParameterGroup& group) const {
  const Datum* decay = find_option(settings_, "weight_decay");
  return {lr() * group.lr_factor, group.weight_decay.value_or(decay ? decay->real() : 0)};
}

const ParameterGroup& Optimizer::group_of(std::string_view key) const {
  static const ParameterGroup none;
  const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const ParameterGroup& group) {
    return matches(group.pattern, key);
  });
  return found == groups_.end() ? none : *found;
}

void Optimizer::set_threads(int threads) {
  require_option(threads >= 0, "threads", threads, "at least 0");
  threads_ = threads;
}

void Optimizer::in_ranges(
    std::int64_t size,
    const std::function<void(std::int64_t first, std::int64_t last)>& work) const {
  const int threads = threads_ > 0 ? threads_ : processor_count();
  const auto parts = std::clamp<std::int64_t>(size / elements_worth_a_thread, 1, threads);
  ThreadPool::shared().run(static_cast<int>(parts), threads,
                           [&](int part) { work(size * part / parts, size * (part + 1) / parts); });
}

void Optimizer::step(TensorMap& params, const TensorMap& gradients) {
  struct PendingUpdate {
    Tensor param;     // shares its elements with params
    Tensor gradient;  // in the memory of this process
    ParameterMemory& memory;
    UpdatedElements elements;
  };
  if (!patterns_checked_) check_patterns(groups_, params.keys());
  patterns_checked_ = true;
  std::vector<PendingUpdate> updates;
  updates.reserve(gradients.size());
  ParameterMemories made;
  for (const auto& [key, gradient] : gradients) {
    const ParameterGroup& group = group_of(key);
    if (group.frozen) continue;
    const Tensor* param = params.find(key, updates.size());
    if (!param) unknown_name(ErrorKind::name, "E0609", "parameter", key, "", params.keys());
    check_gradient(key, *param, gradient);
    ParameterMemory& memory = memory_of(key, *param, made);
    for (Tensor& slot : memory.slots) {
      if (slot.foreign()) slot = slot.copy();  // a TrainingStep moved it to a device
    }
    const StepRates own = rates(group);
    updates.push_back({*param, gradient.host(), memory, {}});
    updates.back().elements =
        elements_to_update(updates.back().param, updates.back().gradient, memory.slots);
    updates.back().elements.weight_decay = own.weight_decay;
    const std::vector<double> scalars = step_scalars(memory.steps + 1, own);
    MITHRIL_CHECK(scalars.size() <= most_step_scalars,
                  "the rule of an optimizer has too many numbers");
    std::copy(scalars.begin(), scalars.end(), updates.back().elements.step_scalars.begin());
  }
  refuse_gradient_sums(micro_steps_);
  refuse_averages(averaged_);
  // Nothing below throws.
  for (PendingUpdate& update : updates) {
    ++update.memory.steps;
    const auto work = [&](std::int64_t first, std::int64_t last) {
      rule_->update(update.elements, first, last);
    };
    in_ranges(update.param.size(), std::cref(work));
  }
  finish_step(made);
}

Optimizer::~Optimizer() = default;

Optimizer::ParameterMemory& Optimizer::memory_of(const std::string& key, const Tensor& param,
                                                 ParameterMemories& made,
                                                 const std::optional<MemoryBlock>& block) {
  const auto known = memory_.find(key);
  const bool of_parameter = block && block->of_parameter;
  const Dims held = block && !of_parameter ? block_dims(param.dims(), *block) : param.dims();
  if (known != memory_.end()) {
    ParameterMemory& memory = known->second;
    if (memory.block && memory.block != block) refuse_memory_blocks();
    const Dims whole = of_parameter ? whole_dims(param.dims(), *block) : param.dims();
    const Dims& dims = memory.block ? held : whole;
    check_slots(key, param, dims, memory.slots);
    if (memory.gradient_sum)
      check_slots(key, param, memory.block ? param.dims() : whole, {*memory.gradient_sum});
    if (memory.average) check_slots(key, param, dims, {*memory.average});
    if (block && !memory.block) cut_memory(memory, *block);
    return memory;
  }
  ParameterMemory memory{.block = block};
  for (const OptimizerSlot& slot : slots_) {
    const DType dtype = opmath_dtype(param.dtype());
    memory.slots.push_back(slot.start == 0 ? Tensor(dtype, held)
                                           : Tensor::full(dtype, held, slot.start));
  }
  return made.emplace(key, std::move(memory)).first->second;
}

const Optimizer::ParameterMemory* Optimizer::find_memory(const std::string& key) const {
  const auto known = memory_.find(key);
  return known == memory_.end() ? nullptr : &known->second;
}

void Optimizer::finish_step(ParameterMemories& made, bool averaged) {
  memory_.merge(made);
  ++steps_;
  micro_steps_ = 0;
  if (averaged) ++averaged_;
}

void Optimizer::finish_micro_step(ParameterMemories& made) {
  memory_.merge(made);
  ++micro_steps_;
}

std::vector<Tensor*> Optimizer::gradient_sums() {
  std::vector<Tensor*> sums;
  for (auto& [key, memory] : memory_) {
    if (memory.gradient_sum) sums.push_back(&*memory.gradient_sum);
  }
  return sums;
}

TensorMap Optimizer::state_dict() const {
  const bool has_blocks = std::any_of(memory_.begin(), memory_.end(), [](const auto& item) {
    return item.second.block.has_value();
  });
  if (has_blocks) refuse_memory_blocks();
  return held_state_dict();
}

TensorMap Optimizer::held_state_dict() const {
  std::vector<TensorMap::Item> items;
  for (const auto& [name, value] : options()) items.emplace_back(name, tensor_of(value));
  items.emplace_back(steps_entry, Tensor::scalar(steps_));
  if (micro_steps_ > 0) items.emplace_back(micro_steps_entry, Tensor::scalar(micro_steps_));
  if (averaged_ > 0) items.emplace_back(averaged_entry, Tensor::scalar(averaged_));
  for (const auto& [key, memory] : memory_) {
    items.emplace_back(key + ".step", Tensor::scalar(memory.steps));
    for (size_t i = 0; i < slots_.size(); ++i) {
      items.emplace_back(key + "." + slots_[i].name, memory.slots[i].copy());
    }
    if (micro_steps_ > 0 && memory.gradient_sum) {
      items.emplace_back(key + "." + gradient_sum_slot, memory.gradient_sum->copy());
    }
    if (averaged_ > 0 && memory.average) {
      items.emplace_back(key + "." + average_slot, memory.average->copy());
    }
  }
  return TensorMap(std::move(items));
}

Optimizer::ParameterMemories Optimizer::memory_in(const TensorMap& state,
                                                  const BlockOf& block_of) const {
  ParameterMemories memory;
  std::vector<std::string> slots;
  for (const OptimizerSlot& slot : slots_) slots.push_back(slot.name);
  slots.push_back("step");
  for (const auto& [entry, tensor] : state) {
    if (!is_slot(entry)) continue;
    const size_t dot = entry.rfind('.');
    const std::string slot = entry.substr(dot + 1);
    ParameterMemory& of_entry = memory[entry.substr(0, dot)];
    if (slot == gradient_sum_slot) of_entry.gradient_sum = tensor;
    if (slot == average_slot) of_entry.average = tensor;
    if (slot == gradient_sum_slot || slot == average_slot) continue;
    if (std::find(slots.begin(), slots.end(), slot) == slots.end()) {
      unknown_member(ErrorKind::state, "E0903", "this optimizer", "slot", slot, entry, slots);
    }
  }
  for (auto& [key, of_key] : memory) {
    of_key.steps = static_cast<std::int64_t>(slot_of(state, key, "step").item());
    for (const OptimizerSlot& slot : slots_) {
      of_key.slots.push_back(slot_of(state, key, slot.name));
    }
    const Dims* dims = dims_of(of_key);
    take_memory(of_key, dims ? block_of(key, *dims) : std::nullopt);
  }
  return memory;
}

void Optimizer::load_state_dict(const TensorMap& state) {
  load_blocks(state, [](const std::string&, const Dims&) { return std::nullopt; });
}

void Optimizer::load_blocks(const TensorMap& state, const BlockOf& block_of) {
  const OptimizerOptions before = options(), after = restored(before, state);
  const Schedule schedule = schedule_.is_number() ? find_option(after, "lr")->real() : schedule_;
  set_options(after);  // the slots depend on them
  try {
    std::int64_t steps = count_in(state, steps_entry);
    const std::int64_t micro_steps = count_in(state, micro_steps_entry);
    const std::int64_t averaged = count_in(state, averaged_entry);
    memory_ = memory_in(state, block_of);
    for (auto& [key, memory] : memory_) {
      if (!state.find(steps_entry)) steps = std::max(steps, memory.steps);
      if (micro_steps == 0) memory.gradient_sum.reset();
      if (averaged == 0) memory.average.reset();
    }
    steps_ = steps;
    micro_steps_ = micro_steps;
    averaged_ = averaged;
  } catch (...) {
    set_options(before);
    throw;
  }
  schedule_ = schedule;
  ++options_version_;
}

}  // namespace mithril
