// A compiled model whose parameters are fixed.
#include <algorithm>

#include "mithril/compile/parts.hpp"
#include "mithril/passes/fix_inputs.hpp"
#include "mithril/passes/fold_batch_norm.hpp"

namespace mithril {
namespace {

// Where an input stands once the parameters before it are gone.
class Shift {
 public:
  explicit Shift(const std::vector<NamedIndex>& gone) {
    for (const NamedIndex& key : gone) gone_.push_back(key.index);
    std::sort(gone_.begin(), gone_.end());
  }
  void apply(std::vector<NamedIndex>& keys) const {
    for (NamedIndex& key : keys) {
      key.index -= static_cast<size_t>(std::lower_bound(gone_.begin(), gone_.end(), key.index) -
                                       gone_.begin());
    }
  }

 private:
  std::vector<size_t> gone_;
};

// With elements that nobody else will write to.
Tensor unshared(Tensor tensor) {
  return tensor.is_sole() && !tensor.is_borrowed() ? tensor : tensor.host().copy();
}

}  // namespace

CompiledModel CompiledModel::bind(TensorMap params) const {
  TensorMap fixed = load_state_dict(params);
  params = {};
  auto parts = std::make_shared<Parts>(static_cast<const CompiledParts&>(*parts_));
  std::unordered_map<ValueId, Tensor> tensors;
  for (const NamedIndex& key : parts->parameters) {
    tensors.emplace(parts->source.inputs()[key.index], unshared(std::move(fixed.at(key.name))));
  }
  const Shift shift(parts->parameters);
  shift.apply(parts->data);
  shift.apply(parts->states);
  std::erase_if(parts->inputs,
                [](const InputKey& input) { return input.key_class == KeyClass::parameter; });
  std::erase_if(parts->shapes, [&](const auto& shape) { return fixed.find(shape.first); });
  parts->parameters.clear();
  parts->hooks.clear();
  parts->without_hooks = nullptr;
  parts->inference = true;
  parts->load_options.observer = parts->debug ? print_values(nullptr) : nullptr;
  parts->cache = nullptr;
  parts->source = fix_inputs(parts->source, tensors);
  // With one pass alone what was composed stays as it is.
  std::vector<Pass>& passes = parts->passes.passes;
  if (passes.size() > 1) {
    if (parts->backend->graph_options().fused_attention) passes = passes_with_fused_attention();
    passes.push_back({"fold_batch_norm", fold_batch_norm});
  }
  parts->graph = run_passes(parts->source, parts->passes);
  parts->load();
  return CompiledModel(std::move(parts));
}

}  // namespace mithril
