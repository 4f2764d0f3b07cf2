#include "mithril/compile/compile.hpp"

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/warning.hpp"
#include "mithril/compile/assemble.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/compose.hpp"
#include "mithril/compile/local_program.hpp"
#include "mithril/compile/parameter_blocks.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/settle_mode.hpp"
#include "mithril/several_backends/several_backends.hpp"

namespace mithril {
namespace {

using Impl = CompiledModel::Impl;

PipelineOptions passes_for(const CompileOptions& options, const GraphOptions& wanted) {
  PipelineOptions pipeline{.verify = options.debug};
  if (options.inference && wanted.fused_attention) pipeline.passes = passes_with_fused_attention();
  if (options.optimization_level == OptimizationLevel::none || wanted.as_composed)
    pipeline.passes = {{"expand_ops", expand_only}};
  return pipeline;
}

// Refuses options that rewrite the graph, for a backend that needs the graph as composed.
void refuse_rewriting(const CompileOptions& options) {
  const std::pair<const char*, bool> asked[] = {
      {"use_checkpointing", options.use_checkpointing},
      {"optimization_level='max'", options.optimization_level == OptimizationLevel::max}};
  for (const auto& [option, wanted] : asked) {
    if (!wanted) continue;
    raise({.kind = ErrorKind::value,
           .code = "E0432",
           .message =
               std::string("eager_mode runs the composed ops one by one, which excludes ") + option,
           .help = "leave one of the two out"});
  }
}

CompiledModel compile_for(const Model& model, std::shared_ptr<Backend> backend,
                          const CompileOptions& options, SeveralBackends* several) {
  const std::shared_ptr<Composite> composite = standalone(model).composite();
  auto compiled = std::make_shared<Impl>();
  const GraphOptions wanted = backend->graph_options();
  if (wanted.as_composed) refuse_rewriting(options);
  if (has_peers(options.group.get())) check_exchanges(*backend, several != nullptr);
  compiled->passes = passes_for(options, wanted);
  compiled->backend = std::move(backend);
  compiled->use_checkpointing = options.use_checkpointing || wanted.use_checkpointing;
  // A backend's compiler might eliminate the recomputation as a common subexpression.
  compiled->load_options.jit = options.jit && !compiled->use_checkpointing;
  compiled->load_options.max = options.optimization_level == OptimizationLevel::max;
  compiled->load_options.fuse = options.optimization_level != OptimizationLevel::none;
  compiled->mode = options.inference ? Mode::inference : Mode::training;
  compiled->inference = options.inference;
  compiled->safe_shapes = options.safe_shapes;
  compiled->debug = options.debug;
  compiled->quiet = options.quiet;
  compiled->group = options.group;
  compiled->replicated_keys = options.replicated_keys;
  compiled->shard_memory = options.optimizer_state == OptimizerState::sharded;
  compiled->bucket_bytes = options.bucket_bytes;
  if (options.debug) compiled->load_options.observer = print_values(nullptr, options.quiet);
  // Passes are only verified when they run.
  if (options.cache && !options.debug) {
    compiled->cache = std::make_shared<const GraphCache>(CacheFiles(CacheFiles::usual_folder()));
  }
  compiled->model = composite;

  FlatComposition composed =
      compose(open_model(composite), compiled->backend->default_dtype(), options, several);
  for (const auto* keys : {&composed.inputs, &composed.spare}) {
    for (const InputKey& input : *keys) {
      if (input.key_class == KeyClass::state) compiled->state_keys.push_back(input.key);
    }
  }
  compiled->warnings = std::move(composed.warnings);
  assemble(*compiled, composed);
  check_replicated(*compiled);
  place_parameters(*compiled, options);
  // infer runs on each process alone, so it needs a form of its own.
  if (!composed.objectives.empty() || is_distributed(*compiled) ||
      (!options.inference && depends_on_mode(composed.graph)))
    compiled->composed = std::make_shared<const FlatComposition>(std::move(composed));
  compiled->load();
  for (const std::string& warning : compiled->warnings) warn(warning);
  return CompiledModel(std::move(compiled));
}

}  // namespace

OptimizationLevel optimization_level_named(std::string_view name) {
  if (name == "none") return OptimizationLevel::none;
  if (name == "standard" || name == "default")  // the old name, until 0.2
    return OptimizationLevel::standard;
  if (name == "max") return OptimizationLevel::max;
  unknown_name(ErrorKind::name, "E0610", "optimization level", std::string(name), "",
               {"none", "standard", "max"});
}

OptimizerState optimizer_state_named(std::string_view name) {
  if (name == "replicated") return OptimizerState::replicated;
  if (name == "sharded") return OptimizerState::sharded;
  unknown_name(ErrorKind::name, "E0632", "optimizer_state", std::string(name), "",
               {"replicated", "sharded"});
}

CompiledModel compile(const Model& model, std::shared_ptr<Backend> backend,
                      CompileOptions options) {
  if (!backend) {
    raise({.kind = ErrorKind::backend,
           .code = "E1052",
           .message = "compile: the backend is null",
           .help = "give one, such as ml::cpu()"});
  }
  return compile_for(model, std::move(backend), options, nullptr);
}

CompiledModel compile(const Model& model, Backends backends, CompileOptions options) {
  const auto several = std::make_shared<SeveralBackends>(std::move(backends));
  return compile_for(model, several, options, several.get());
}

}  // namespace mithril
