// A compiled model in inference mode, and with its parameters and state fixed.
#include <algorithm>

#include "mithril/base/file_pages.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/assemble.hpp"
#include "mithril/compile/evaluate.hpp"
#include "mithril/compile/parameter_blocks.hpp"
#include "mithril/compile/select_outputs.hpp"
#include "mithril/compile/shift.hpp"
#include "mithril/passes/fix_inputs.hpp"
#include "mithril/passes/fold_batch_norm.hpp"
#include "mithril/passes/hoist_convolutions.hpp"

namespace mithril {
namespace {

using Impl = CompiledModel::Impl;

// A tensor whose elements no other owner can write to. Those of a package stay in its file.
Tensor unshared(Tensor tensor) {
  const bool may_stay = tensor.read_only() && !tensor.foreign();
  if (may_stay && are_file_pages(tensor.raw_data(), tensor.bytes())) return tensor;
  return tensor.is_sole() && !tensor.is_borrowed() ? tensor : tensor.host().copy();
}

void use_inference_passes(CompiledState& compiled) {
  // A pipeline of one pass keeps the graph as composed.
  if (compiled.passes.passes.size() > 1 && compiled.backend->graph_options().fused_attention)
    compiled.passes.passes = passes_with_fused_attention();
}

// Turns the parameters into constants and, if a state is passed, also the states that the model
// only reads.
class ParameterFixing {
 public:
  explicit ParameterFixing(const Impl& from)
      : from_(from), impl_(std::make_shared<Impl>(static_cast<const CompiledState&>(from))) {}

  void fix_parameters(TensorMap params) {
    for (const NamedIndex& key : from_.parameters) fix(key, std::move(params.at(key.name)));
    std::erase_if(impl_->shapes, [&](const auto& shape) { return params.find(shape.first); });
    impl_->parameters.clear();
    impl_->spare_parameters.clear();
  }

  // States that change stay states, and start as passed.
  void fix_states(const State& state) {
    impl_->states.clear();
    impl_->required_states.clear();
    impl_->state_keys.clear();
    impl_->initial = State();
    for (const NamedIndex& key : from_.states) {
      const Tensor* argument = state.find(key.name);
      if (argument) check_fits(from_.forward().signature, key, *argument);
      Tensor start = argument ? from_.forward().signature.convert(key.index, *argument)
                              : from_.initial.at(key.name);
      if (!contains(from_.next_states, key.name)) {
        fix(key, std::move(start));
        continue;
      }
      impl_->states.push_back(key);
      impl_->required_states.push_back(key.name);
      impl_->state_keys.push_back(key.name);
      impl_->initial[key.name] = impl_->backend->adopt(start.host().copy(), false).as_read_only();
    }
  }

  std::shared_ptr<Impl> run() {
    const Shift shift(gone_);
    shift.apply(impl_->data);
    shift.apply(impl_->states);
    shift.apply(impl_->inputs);
    impl_->hooks.clear();
    impl_->without_hooks = nullptr;
    impl_->composed = nullptr;
    impl_->inference = true;
    impl_->load_options.observer = impl_->debug ? print_values(nullptr, impl_->quiet) : nullptr;
    impl_->cache = nullptr;
    impl_->source = fix_inputs(impl_->source, tensors_);
    use_inference_passes(*impl_);
    std::vector<Pass>& passes = impl_->passes.passes;
    if (passes.size() > 1) {
      passes.push_back({"fold_batch_norm", fold_batch_norm});
      passes.push_back({"hoist_convolutions", hoist_convolutions});
    }
    impl_->graph = run_passes(impl_->source, impl_->passes);
    impl_->load();
    return std::move(impl_);
  }

 private:
  void fix(const NamedIndex& key, Tensor tensor) {
    tensors_.emplace(from_.source.inputs()[key.index], unshared(std::move(tensor)));
    gone_.push_back(key.index);
  }

  const Impl& from_;
  std::shared_ptr<Impl> impl_;
  std::unordered_map<ValueId, Tensor> tensors_;
  std::vector<size_t> gone_;
};

}  // namespace

std::shared_ptr<Impl> made_for_inference(const Impl& from, std::shared_ptr<Impl> without_hooks,
                                         const std::vector<std::string>* outputs) {
  auto compiled = std::make_shared<Impl>();
  static_cast<CompileSettings&>(*compiled) = from;
  compiled->mode = Mode::inference;
  compiled->load_options.observer =
      compiled->debug ? print_values(nullptr, compiled->quiet) : nullptr;
  use_inference_passes(*compiled);
  assemble(*compiled, *compiled->composed, outputs);
  take_hooks(*compiled, from, std::move(without_hooks));
  compiled->load();
  return compiled;
}

std::shared_ptr<Impl> in_inference(const std::shared_ptr<Impl>& compiled) {
  if (compiled->mode == Mode::inference || !compiled->composed) return compiled;
  std::shared_ptr<Impl> without_hooks;
  if (compiled->without_hooks) without_hooks = in_inference(compiled->without_hooks);
  const std::lock_guard lock(*compiled->facts_mutex);
  if (!compiled->inference_form)
    compiled->inference_form = made_for_inference(*compiled, std::move(without_hooks), nullptr);
  return compiled->inference_form;
}

CompiledModel CompiledModel::in_inference(const OutputOptions& options) const {
  return CompiledModel(with_outputs(mithril::in_inference(impl_), options.outputs));
}

TensorMap CompiledModel::infer(const TensorMap& params, const TensorMap& data, const State& state,
                               const OutputOptions& options) const {
  refuse_blocks(*impl_, params, "infer");
  const CompiledModel model = in_inference(options);
  const Impl& compiled = *in_use(model.impl_);
  check_state(compiled, state, "infer");
  if (!compiled.next_states.empty()) {
    raise({.kind = ErrorKind::state,
           .code = "E0921",
           .message =
               "infer returns no new state, and this model changes its state in inference, too",
           .facts = {{"changed", join(names_of(compiled.next_states), ", ")}},
           .help = "evaluate what bind(params, state) gives: it returns the next state"});
  }
  return model.evaluate(params, data, state).first;
}

bool CompiledModel::changes_state() const { return !impl_->next_states.empty(); }

CompiledModel CompiledModel::bind(TensorMap&& params, const OutputOptions& options) const {
  return fixed(std::move(params), nullptr, options);
}

CompiledModel CompiledModel::bind(TensorMap&& params, const State& state,
                                  const OutputOptions& options) const {
  return fixed(std::move(params), &state, options);
}

CompiledModel CompiledModel::fixed(TensorMap params, const State* state,
                                   const OutputOptions& options) const {
  const CompiledModel model(with_outputs(
      mithril::in_inference(impl_->without_hooks ? impl_->without_hooks : impl_), options.outputs));
  if (state) check_state(*model.impl_, *state, "bind");
  refuse_blocks(*impl_, params, "bind");
  TensorMap taken = fitting_parameters(*model.impl_, params);
  if (model.impl_->native_code_bytes) return model;
  params = {};
  ParameterFixing fixing(*model.impl_);
  fixing.fix_parameters(std::move(taken));
  if (state) fixing.fix_states(*state);
  return CompiledModel(fixing.run());
}

}  // namespace mithril
