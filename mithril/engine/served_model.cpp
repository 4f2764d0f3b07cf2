#include "mithril/engine/served_model.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "mithril/base/names.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/evaluating.hpp"
#include "mithril/engine/rows.hpp"

namespace mithril {
namespace {

using Impl = CompiledModel::Impl;

[[noreturn]] void refuse_batching(const char* code, std::string message, std::string shape,
                                  std::string help) {
  raise({.kind = ErrorKind::value,
         .code = code,
         .message = std::move(message),
         .facts = {{"shape", std::move(shape)}},
         .help = std::move(help)});
}

CompiledModel fixed_model(ServableModel model, const ServingOptions& options) {
  const bool is_bound = model.compiled.parameter_keys().empty() && model.params.empty();
  if (is_bound && model.state.empty()) model.state = model.compiled.initial_state_dict();
  return model.compiled.for_inference(std::move(model.params), model.state,
                                      {.outputs = options.outputs});
}

std::int64_t tensor_bytes(const Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.bytes());
}

constexpr int no_symbol = -1;

}  // namespace

// The axes of an input or an output after the first: the index of a padded symbol, or no_symbol.
struct ServedModel::Axes {
  std::size_t index = 0;  // among the inputs or outputs of the graph
  std::vector<int> padded;
  double padding = 0;
};

struct ServedModel::Batching {
  std::vector<Axes> inputs, outputs;
  std::size_t lengths = 0;  // the number of padded symbols

  Dims dims(const Axes& axes, const Dims& made, std::int64_t rows, const Dims& sizes) const {
    Dims result = made;
    result.front() = rows;
    for (std::size_t i = 1; i < result.size(); ++i) {
      if (axes.padded[i] != no_symbol) result[i] = sizes[static_cast<std::size_t>(axes.padded[i])];
    }
    return result;
  }
};

namespace {

// Finds the batch symbol and the padded symbols of a graph. The facts of the graph are locked.
class BatchSymbols {
 public:
  BatchSymbols(const Impl& compiled, const ServingOptions& options) : compiled_(compiled) {
    if (!compiled.states.empty()) {
      refuse_batching("E1220", "the model cannot be batched: it has a state",
                      join(names_of(compiled.states), ", "), "register it with max_batch_size 1");
    }
    if (compiled.data.empty()) {
      refuse_batching("E1220", "the model cannot be batched: it has no inputs", "none",
                      "register it with max_batch_size 1");
    }
    const Value& first = input(compiled.data.front());
    if (first.ranked && !first.dims.empty()) batch_ = resolve(first.dims.front());
    if (options.mask.empty()) return;
    for (const NamedIndex& key : compiled.data) {
      if (key.name == options.mask) find_padded(input(key));
    }
  }

  std::vector<int> axes_of_input(const NamedIndex& key) const { return axes(key, input(key)); }
  std::vector<int> axes_of_output(const NamedIndex& key) const {
    const Graph& graph = compiled_.graph;
    return axes(key, graph.value(graph.outputs()[key.index].value));
  }
  std::size_t count() const { return padded_.size(); }

 private:
  const Value& input(const NamedIndex& key) const {
    return compiled_.graph.value(compiled_.graph.inputs()[key.index]);
  }

  void find_padded(const Value& mask) {
    for (std::size_t i = 1; i < mask.dims.size(); ++i) {
      const Dim dim = resolve(mask.dims[i]);
      if (!dim.is_constant()) padded_.push_back(dim);
    }
  }

  std::vector<int> axes(const NamedIndex& key, const Value& value) const {
    const std::string shape = value.ranked ? to_string(value.dims) : "[...]";
    if (!value.ranked || value.dims.empty() || batch_.is_constant() ||
        !same(resolve(value.dims.front()), batch_)) {
      refuse_batching("E1220",
                      "the model cannot be batched: '" + key.name +
                          "' does not begin with the batch axis, whose size is a symbol",
                      shape,
                      "compile it with a symbol as the first size of each input, or register it "
                      "with max_batch_size 1");
    }
    std::vector<int> result(value.dims.size(), no_symbol);
    for (std::size_t i = 1; i < value.dims.size(); ++i) {
      const Dim dim = resolve(value.dims[i]);
      const auto found = std::find_if(padded_.begin(), padded_.end(),
                                      [&](const Dim& symbol) { return same(dim, symbol); });
      if (found != padded_.end()) {
        result[i] = static_cast<int>(found - padded_.begin());
        continue;
      }
      if (depends_on(dim, batch_)) {
        refuse_batching("E1220",
                        "the model cannot be batched: '" + key.name + "' has the batch axis twice",
                        shape, "register it with max_batch_size 1");
      }
      for (const Dim& symbol : padded_) {
        if (!depends_on(dim, symbol)) continue;
        refuse_batching("E1221",
                        "the model cannot be padded: a size of '" + key.name +
                            "' is computed from the padded one",
                        shape, "register it without a mask");
      }
    }
    return result;
  }

  static bool depends_on(const Dim& dim, const Dim& symbol) {
    bool found = false;
    each_symbol(dim, [&](Symbol* each) {
      each_symbol(symbol, [&](Symbol* other) { found = found || each == other; });
    });
    return found;
  }

  const Impl& compiled_;
  Dim batch_ = 0;
  std::vector<Dim> padded_;
};

}  // namespace

ServedModel::ServedModel(ServableModel model, ServingOptions options)
    : options_(std::move(options)), compiled_(fixed_model(std::move(model), options_)) {
  const Impl& impl = *compiled_.impl_;
  for (const Constant& constant : impl.graph.constants()) bytes_ += tensor_bytes(constant.tensor);
  bytes_ += state_bytes() + impl.native_code_bytes.value_or(0);
  for (const auto& [name, padding] : options_.padding) {
    if (!contains(impl.data, name))
      unknown_name(ErrorKind::name, "E1222", "input for padding", name, "", names_of(impl.data));
  }
  const std::string& mask = options_.mask;
  if (!mask.empty() && !contains(impl.data, mask))
    unknown_name(ErrorKind::name, "E1222", "input for the mask", mask, "", names_of(impl.data));
  if (batches()) find_batching();
}

ServedModel::~ServedModel() = default;

void ServedModel::find_batching() {
  const Impl& impl = *compiled_.impl_;
  const std::lock_guard lock(*impl.facts_mutex);
  const BatchSymbols symbols(impl, options_);
  auto batching = std::make_unique<Batching>();
  batching->lengths = symbols.count();
  for (const NamedIndex& key : impl.data) {
    Axes axes{.index = key.index, .padded = symbols.axes_of_input(key)};
    for (const auto& [name, padding] : options_.padding) {
      if (name == key.name) axes.padding = padding;
    }
    batching->inputs.push_back(std::move(axes));
  }
  for (const NamedIndex& key : impl.outputs)
    batching->outputs.push_back({.index = key.index, .padded = symbols.axes_of_output(key)});
  batching_ = std::move(batching);
}

bool ServedModel::has_state() const { return !compiled_.impl_->states.empty(); }

std::int64_t ServedModel::state_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [key, tensor] : compiled_.impl_->initial) bytes += tensor_bytes(tensor);
  return bytes;
}

ServedModelInfo ServedModel::info() const {
  const Impl& impl = *compiled_.impl_;
  const auto shape_of = [&](const std::string& key) -> std::optional<KnownShape> {
    for (const auto& [name, shape] : impl.shapes) {
      if (name == key) return shape;
    }
    return std::nullopt;
  };
  const Graph& graph = impl.graph;
  ServedModelInfo info{.backend = std::string(impl.backend->name()),
                       .states = names_of(impl.states),
                       .options = options_,
                       .bytes = bytes_,
                       .loaded = true};
  for (const NamedIndex& key : impl.data) {
    info.inputs.push_back(
        {key.name, graph.value(graph.inputs()[key.index]).dtype, shape_of(key.name)});
  }
  for (const NamedIndex& key : impl.outputs) {
    info.outputs.push_back(
        {key.name, graph.value(graph.outputs()[key.index].value).dtype, shape_of(key.name)});
  }
  return info;
}

ServedInputs ServedModel::check(const TensorMap& request) const {
  const Impl& impl = *compiled_.impl_;
  const Signature& signature = impl.forward->signature;
  ServedInputs inputs{.tensors = std::vector<Tensor>(signature.size())};
  static const TensorMap none;
  take_inputs(impl, signature, none, request, impl.initial, inputs.tensors, "the request", true);
  signature.check_dims(inputs.tensors);
  if (!batching_) return inputs;
  inputs.lengths.resize(batching_->lengths);
  for (const Axes& axes : batching_->inputs) {
    const Dims& dims = inputs.tensors[axes.index].dims();
    inputs.rows = dims.front();
    for (std::size_t i = 1; i < dims.size(); ++i) {
      if (axes.padded[i] != no_symbol)
        inputs.lengths[static_cast<std::size_t>(axes.padded[i])] = dims[i];
    }
  }
  return inputs;
}

bool ServedModel::fit_together(const ServedInputs& a, const ServedInputs& b) const {
  if (!batching_) return false;
  for (const Axes& axes : batching_->inputs) {
    const Dims &left = a.tensors[axes.index].dims(), &right = b.tensors[axes.index].dims();
    for (std::size_t i = 1; i < left.size(); ++i) {
      if (axes.padded[i] == no_symbol && left[i] != right[i]) return false;
    }
  }
  return true;
}

TensorMap ServedModel::run(const ServedInputs& inputs) const {
  const Impl& impl = *compiled_.impl_;
  return named(impl.outputs, impl.forward->executable->run(inputs.tensors));
}

std::vector<TensorMap> ServedModel::run_batch(std::span<const ServedInputs* const> requests) const {
  std::vector<TensorMap> answers;
  if (requests.size() == 1 || !batching_) {
    for (const ServedInputs* request : requests) answers.push_back(run(*request));
    return answers;
  }
  const Impl& impl = *compiled_.impl_;
  std::int64_t rows = 0;
  Dims lengths(batching_->lengths);
  for (const ServedInputs* request : requests) {
    rows += request->rows;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      lengths[i] = std::max(lengths[i], request->lengths[i]);
  }
  std::vector<Tensor> inputs(impl.forward->signature.size()), parts(requests.size());
  for (const Axes& axes : batching_->inputs) {
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = requests[i]->tensors[axes.index];
    const Dims dims = batching_->dims(axes, parts.front().dims(), rows, lengths);
    inputs[axes.index] = join_rows(parts, dims, axes.padding);
  }
  const std::vector<Tensor> made = impl.forward->executable->run(inputs);
  std::int64_t first = 0;
  for (const ServedInputs* request : requests) {
    std::vector<TensorMap::Item> outputs;
    for (std::size_t i = 0; i < impl.outputs.size(); ++i) {
      const Axes& axes = batching_->outputs[i];
      const Tensor& batch = made[axes.index];
      const Dims dims = batching_->dims(axes, batch.dims(), request->rows, request->lengths);
      outputs.emplace_back(impl.outputs[i].name, cut_rows(batch, first, dims));
    }
    answers.emplace_back(std::move(outputs));
    first += request->rows;
  }
  return answers;
}

State ServedModel::initial_state() const {
  const Impl& impl = *compiled_.impl_;
  return impl.copy_of(impl.initial);
}

TensorMap ServedModel::run(const ServedInputs& inputs, State& state) const {
  Impl& impl = *compiled_.impl_;
  const Program& program = impl.in_place();
  std::vector<Tensor> tensors = inputs.tensors;
  for (const NamedIndex& key : impl.states) tensors[key.index] = state.at(key.name);
  const std::vector<Tensor> made = program.executable->run(tensors);
  tensors.clear();
  try {
    state = next_state(impl, state, made);
    return named(impl.outputs, made);
  } catch (const std::bad_alloc&) {
    raise_out_of_memory_after_writing();
  }
}

}  // namespace mithril
