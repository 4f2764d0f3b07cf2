#include "mithril/compile/compile.hpp"

#include <algorithm>
#include <unordered_map>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/discard.hpp"
#include "mithril/compile/given.hpp"
#include "mithril/compile/parts.hpp"
#include "mithril/infer/symbol.hpp"
#include "mithril/model/completion.hpp"
#include "mithril/passes/mix_precision.hpp"
#include "mithril/passes/passes.hpp"

namespace mithril {
namespace {

using Parts = CompiledModel::Parts;

struct Flattened {
  FlatModel flat;
  std::vector<InputKey> keys;        // in the order of the graph's inputs
  std::vector<std::string> outputs;  // that the user sees
};

// Drops the discarded outputs, and of the keys those whose inputs went with them.
void discard(Flattened& flattened, const std::vector<std::string>& names) {
  FlatModel& flat = flattened.flat;
  std::vector<std::string> gone;
  for (const std::string& name : names) {
    std::erase(flattened.outputs, name);
    const auto is_state = [&](const FlatState& state) { return state.output == name; };
    if (std::none_of(flat.states.begin(), flat.states.end(), is_state)) gone.push_back(name);
  }
  flat.graph = discard_outputs(flat.graph, gone);
  const auto& inputs = flat.graph.inputs();
  size_t kept = 0;
  std::erase_if(flattened.keys, [&](const InputKey& key) {
    const bool stays = kept < inputs.size() && flat.graph.value(inputs[kept]).name == key.path;
    kept += stays;
    return !stays;
  });
  const auto has = [&](const std::string& path) {
    return std::any_of(flattened.keys.begin(), flattened.keys.end(),
                       [&](const InputKey& key) { return key.path == path; });
  };
  std::erase_if(flat.states, [&](const FlatState& state) { return !has(state.input); });
}

Flattened flatten_with(Composite& model, DType default_dtype, const CompileOptions& options) {
  Composition composition(model);  // never committed: what is stated here ends with it
  complete(composition);
  const KeySets sets(model, options);
  state_given(model, options);
  const Model root(std::static_pointer_cast<Part>(model.shared_from_this()));
  Flattened flattened{flatten(root, default_dtype), {}, {}};
  const std::vector<NamedPort> outputs = output_ports(model);
  sets.check_placed(flattened.flat, outputs);
  flattened.keys = classify(model, flattened.flat, sets);
  std::vector<std::string> discarded;
  for (const NamedPort& port : outputs) {
    const auto made = [&](const Output& output) { return output.name == port.name; };
    const auto& all = flattened.flat.graph.outputs();
    if (std::any_of(all.begin(), all.end(), made)) flattened.outputs.push_back(port.name);
    if (sets.of(port.wire) == KeySets::Set::discard) discarded.push_back(port.name);
  }
  if (!discarded.empty()) discard(flattened, discarded);
  return flattened;
}

PipelineOptions passes_for(const CompileOptions& given, const GraphOptions& wanted) {
  const std::string& level = given.optimization_level;
  if (level != "none" && level != "default" && level != "max") {
    unknown_name(ErrorKind::name, "E0610", "optimization level", level, "",
                 {"none", "default", "max"});
  }
  PipelineOptions options{.verify = given.debug};
  if (given.inference && wanted.fused_attention) options.passes = passes_with_fused_attention();
  if (level == "none" || wanted.as_composed) options.passes = {{"expand_ops", expand_only}};
  return options;
}

// What rewrites a graph that the backend wants as it was composed.
void refuse_rewriting(const CompileOptions& options) {
  const std::pair<const char*, bool> asked[] = {
      {"use_checkpointing", options.use_checkpointing},
      {"optimization_level='max'", options.optimization_level == "max"}};
  for (const auto& [option, wanted] : asked) {
    if (!wanted) continue;
    raise({.kind = ErrorKind::value,
           .code = "E0432",
           .message = std::string("eager_mode runs op by op what was composed: it does not go "
                                  "with ") +
                      option,
           .help = "leave one of the two out"});
  }
}

// With casts, while each op is still whole.
Graph in_mixed_precision(const Graph& graph, DType lower, const Parts& parts) {
  MixPrecisionOptions mix{.lower = lower};
  for (const InputKey& input : parts.inputs) {
    mix.parameters.push_back(input.key_class == KeyClass::parameter);
  }
  PipelineOptions options = parts.passes;
  options.passes = {{"mix_precision", [mix](const Graph& g) { return mix_precision(g, mix); }}};
  return run_passes(graph, options);
}

void check_backend(const Backend& backend, const Graph& graph) {
  const std::vector<std::string> missing = backend.missing(graph);
  if (missing.empty()) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1001",
         .message =
             "backend " + quoted(backend.name()) + " cannot run the ops " + join(missing, ", ")});
}

// In the width of the input, and in its shape where one number stands for all.
Tensor initial_state(const Value& input, const Tensor& initial) {
  if (initial.rank() > 0 || (input.ranked && input.dims.empty())) {
    return initial.dtype() == input.dtype ? initial : initial.to(input.dtype);
  }
  Dims dims;
  for (const Dim& dim : input.dims) {
    const Dim now = resolve(dim);
    if (now.is_constant()) dims.push_back(now.constant());
  }
  if (!input.ranked || dims.size() != input.dims.size()) {
    raise({.kind = ErrorKind::shape,
           .code = "E0209",
           .path = input.name,
           .message = "the shape of the state '" + input.name + "' is not known",
           .facts = {{"known", input.ranked ? to_string(input.dims) : "[...]"}},
           .help = "give its model the size, or shapes to compile"});
  }
  return Tensor::full(input.dtype, std::move(dims), initial.item());
}

// The keys by class, and where they stand among the inputs and outputs of the graph.
void place(Parts& parts, const std::vector<std::string>& outputs,
           const std::vector<FlatState>& states) {
  std::unordered_map<std::string, size_t> input_at, output_at;
  for (size_t i = 0; i < parts.inputs.size(); ++i) {
    const InputKey& input = parts.inputs[i];
    input_at.emplace(input.path, i);
    if (input.key_class == KeyClass::parameter) parts.parameters.push_back({input.key, i});
    if (input.key_class == KeyClass::data) parts.data.push_back({input.key, i});
  }
  const auto& made = parts.graph.outputs();
  for (size_t i = 0; i < made.size(); ++i) output_at.emplace(made[i].name, i);
  for (const std::string& name : outputs) parts.outputs.push_back({name, output_at.at(name)});
  for (const FlatState& state : states) {
    const size_t at = input_at.at(state.input);
    const std::string& key = parts.inputs[at].key;
    parts.states.push_back({key, at});
    parts.next_states.push_back({key, output_at.at(state.output)});
    parts.initial[key] = parts.backend->adopt(
        initial_state(parts.graph.value(parts.graph.inputs()[at]), state.initial), false);
  }
}

DimSpec spec(const Dim& dim) {
  if (dim.is_constant()) return dim.constant();
  const Symbol* symbol = dim.symbol();
  if (symbol && symbol->name()) return std::string(*symbol->name());
  return Any{};
}

void describe_shapes(Parts& parts) {
  const Graph& graph = parts.graph;
  const auto add = [&](const std::string& key, const Value& value) {
    std::vector<DimSpec> dims;
    for (const Dim& dim : value.dims) dims.push_back(spec(dim));
    if (value.ranked) parts.shapes.emplace_back(key, ShapeSpec(std::move(dims)));
  };
  for (size_t i = 0; i < parts.inputs.size(); ++i) {
    if (parts.inputs[i].key_class == KeyClass::state) continue;
    add(parts.inputs[i].key, graph.value(graph.inputs()[i]));
  }
  for (const NamedIndex& output : parts.outputs) {
    const Value& value = graph.value(graph.outputs()[output.index].value);
    add(output.name, value);
    parts.output_texts.push_back(value.ranked ? to_string(value.dims) : "[...]");
  }
}

}  // namespace

CompiledModel compile(const Model& model, std::shared_ptr<Backend> backend,
                      CompileOptions options) {
  const std::shared_ptr<Composite> composite = model.composite();
  auto parts = std::make_shared<Parts>();
  const GraphOptions wanted = backend->graph_options();
  if (wanted.as_composed) refuse_rewriting(options);
  parts->passes = passes_for(options, wanted);
  parts->backend = std::move(backend);
  parts->use_checkpointing = options.use_checkpointing || wanted.use_checkpointing;
  // A compiler of the backend's may find that what is computed again was computed before.
  parts->load_options.jit = options.jit && !parts->use_checkpointing;
  parts->load_options.max = options.optimization_level == "max";
  parts->load_options.fuse = options.optimization_level != "none";
  parts->inference = options.inference;
  parts->safe_shapes = options.safe_shapes;
  parts->debug = options.debug;
  if (options.debug) parts->load_options.observer = print_values(nullptr);
  // Passes are only checked where they run.
  if (options.cache && !options.debug) {
    parts->cache = std::make_shared<const GraphCache>(CacheFiles(CacheFiles::usual_folder()));
  }
  parts->model = composite;

  Flattened flattened =
      flatten_with(open_model(composite), parts->backend->default_dtype(), options);
  parts->inputs = std::move(flattened.keys);
  parts->source = std::move(flattened.flat.graph);
  if (wanted.mixed_precision) {
    parts->source = in_mixed_precision(parts->source, *wanted.mixed_precision, *parts);
  }
  parts->graph = parts->passed(parts->source);
  check_backend(*parts->backend, parts->graph);
  if (options.use_short_namings) shorten(parts->inputs, parts->graph.outputs());
  place(*parts, flattened.outputs, flattened.flat.states);
  describe_shapes(*parts);

  parts->load();
  return CompiledModel(std::move(parts));
}

}  // namespace mithril
