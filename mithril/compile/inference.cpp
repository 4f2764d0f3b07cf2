// A compiled model in inference mode, and with its parameters and state fixed.
#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/assemble.hpp"
#include "mithril/compile/evaluating.hpp"
#include "mithril/passes/fix_inputs.hpp"
#include "mithril/passes/fold_batch_norm.hpp"

namespace mithril {
namespace {

using Parts = CompiledModel::Parts;

// Maps indices of inputs to their indices after some inputs are removed.
class Shift {
 public:
  explicit Shift(std::vector<size_t> gone) : gone_(std::move(gone)) {
    std::sort(gone_.begin(), gone_.end());
  }
  bool is_gone(size_t index) const { return std::binary_search(gone_.begin(), gone_.end(), index); }
  void apply(std::vector<NamedIndex>& keys) const {
    for (NamedIndex& key : keys) {
      key.index -= static_cast<size_t>(std::lower_bound(gone_.begin(), gone_.end(), key.index) -
                                       gone_.begin());
    }
  }

 private:
  std::vector<size_t> gone_;
};

// A tensor whose elements no other owner can write to.
Tensor unshared(Tensor tensor) {
  return tensor.is_sole() && !tensor.is_borrowed() ? tensor : tensor.host().copy();
}

void use_inference_passes(CompiledParts& parts) {
  // A pipeline of one pass keeps the graph as composed.
  if (parts.passes.passes.size() > 1 && parts.backend->graph_options().fused_attention)
    parts.passes.passes = passes_with_fused_attention();
}

// Takes over the hooks on values that both modes compute.
void take_hooks(Parts& parts, const Parts& from, std::shared_ptr<Parts> without_hooks) {
  for (Hook hook : from.hooks) {
    const auto value = find_value_named(parts.source, from.source.value(hook.value).name);
    if (!value) continue;
    hook.value = *value;
    parts.hooks.push_back(std::move(hook));
  }
  if (parts.hooks.empty()) return;
  parts.without_hooks = std::move(without_hooks);
  watch(parts);
}

std::shared_ptr<Parts> made_for_inference(const Parts& from, std::shared_ptr<Parts> without_hooks) {
  auto parts = std::make_shared<Parts>();
  static_cast<CompileSettings&>(*parts) = from;
  parts->mode = Mode::inference;
  parts->load_options.observer = parts->debug ? print_values(nullptr) : nullptr;
  use_inference_passes(*parts);
  assemble(*parts, *parts->composed);
  take_hooks(*parts, from, std::move(without_hooks));
  parts->load();
  return parts;
}

// Turns the parameters into constants and, if a state is passed, also the states that the model
// only reads.
class Fixing {
 public:
  explicit Fixing(const Parts& from)
      : from_(from), parts_(std::make_shared<Parts>(static_cast<const CompiledParts&>(from))) {}

  void fix_parameters(TensorMap params) {
    for (const NamedIndex& key : from_.parameters) fix(key, std::move(params.at(key.name)));
    std::erase_if(parts_->shapes, [&](const auto& shape) { return params.find(shape.first); });
    parts_->parameters.clear();
  }

  // States that change stay states, and start as passed.
  void fix_states(const State& state) {
    parts_->states.clear();
    parts_->required_states.clear();
    parts_->state_keys.clear();
    parts_->initial = State();
    for (const NamedIndex& key : from_.states) {
      const Tensor* given = state.find(key.name);
      if (given) check_fits(from_.forward->signature, key, *given);
      Tensor start =
          given ? from_.forward->signature.convert(key.index, *given) : from_.initial.at(key.name);
      if (!contains(from_.next_states, key.name)) {
        fix(key, std::move(start));
        continue;
      }
      parts_->states.push_back(key);
      parts_->required_states.push_back(key.name);
      parts_->state_keys.push_back(key.name);
      parts_->initial[key.name] = parts_->backend->adopt(start.host().copy(), false);
    }
  }

  std::shared_ptr<Parts> run() {
    const Shift shift(gone_);
    shift.apply(parts_->data);
    shift.apply(parts_->states);
    std::vector<InputKey> left;
    for (size_t i = 0; i < parts_->inputs.size(); ++i) {
      if (!shift.is_gone(i)) left.push_back(std::move(parts_->inputs[i]));
    }
    parts_->inputs = std::move(left);
    parts_->hooks.clear();
    parts_->without_hooks = nullptr;
    parts_->composed = nullptr;
    parts_->inference = true;
    parts_->load_options.observer = parts_->debug ? print_values(nullptr) : nullptr;
    parts_->cache = nullptr;
    parts_->source = fix_inputs(parts_->source, tensors_);
    use_inference_passes(*parts_);
    std::vector<Pass>& passes = parts_->passes.passes;
    if (passes.size() > 1) passes.push_back({"fold_batch_norm", fold_batch_norm});
    parts_->graph = run_passes(parts_->source, parts_->passes);
    parts_->load();
    return std::move(parts_);
  }

 private:
  void fix(const NamedIndex& key, Tensor tensor) {
    tensors_.emplace(from_.source.inputs()[key.index], unshared(std::move(tensor)));
    gone_.push_back(key.index);
  }

  const Parts& from_;
  std::shared_ptr<Parts> parts_;
  std::unordered_map<ValueId, Tensor> tensors_;
  std::vector<size_t> gone_;
};

}  // namespace

std::shared_ptr<Parts> in_inference(const std::shared_ptr<Parts>& parts) {
  if (parts->mode == Mode::inference || !parts->composed) return parts;
  std::shared_ptr<Parts> without_hooks;
  if (parts->without_hooks) without_hooks = in_inference(parts->without_hooks);
  const std::lock_guard lock(*parts->facts_mutex);
  if (!parts->for_inference)
    parts->for_inference = made_for_inference(*parts, std::move(without_hooks));
  return parts->for_inference;
}

CompiledModel CompiledModel::in_inference() const try {
  return CompiledModel(mithril::in_inference(parts_));
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

TensorMap CompiledModel::infer(const TensorMap& params, const TensorMap& data,
                               const State& state) const try {
  const CompiledModel model = in_inference();
  const Parts& parts = *in_use(model.parts_);
  check_state(parts, state, "infer");
  if (!parts.next_states.empty()) {
    raise(
        {.kind = ErrorKind::state,
         .code = "E0921",
         .message = "infer leaves the state as it is, and this model changes it in inference, too",
         .facts = {{"changed", join(names_of(parts.next_states), ", ")}},
         .help = "evaluate what for_inference(params, state) gives: it returns the next state"});
  }
  return model.evaluate(params, data, state).first;
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

CompiledModel CompiledModel::bind(TensorMap&& params) const {
  return fixed(std::move(params), nullptr);
}

CompiledModel CompiledModel::for_inference(TensorMap&& params, const State& state) const {
  return fixed(std::move(params), &state);
}

CompiledModel CompiledModel::fixed(TensorMap params, const State* state) const try {
  const CompiledModel model(
      mithril::in_inference(parts_->without_hooks ? parts_->without_hooks : parts_));
  if (state) check_state(*model.parts_, *state, "for_inference");
  TensorMap taken = model.load_state_dict(params);
  params = {};
  Fixing fixing(*model.parts_);
  fixing.fix_parameters(std::move(taken));
  if (state) fixing.fix_states(*state);
  return CompiledModel(fixing.run());
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

}  // namespace mithril
