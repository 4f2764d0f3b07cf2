#include "mithril/per_sample/per_sample.hpp"

#include <algorithm>
#include <mutex>

#include "mithril/compile/distribution.hpp"
#include "mithril/compile/evaluate.hpp"
#include "mithril/optim/optimizer.hpp"
#include "mithril/per_sample/per_sample_programs.hpp"
#include "mithril/per_sample/per_sample_report.hpp"
#include "mithril/per_sample/projections.hpp"
#include "mithril/per_sample/single_samples.hpp"

namespace mithril {

struct PerSample::Impl {
  CompiledModel model;
  PerSampleOptions options;
  PerSamplePrograms programs;
  mutable std::mutex mutex = {};
  mutable std::shared_ptr<const PerSampleProgram> last = {};  // guarded by mutex

  std::shared_ptr<const PerSampleProgram> find(
      const PerSampleQuery& query, const SampleBatch& training,
      const SampleBatch* validation = nullptr,
      const std::vector<std::pair<int64_t, int64_t>>& ranks = {}) const {
    auto found = programs.find(query, training, validation, ranks);
    const std::lock_guard lock(mutex);
    return last = found;
  }

  const std::vector<NamedIndex>& parameters() const { return programs.parameters(); }

  SingleSamples singles(const SampleBatch& batch, const State& state) const {
    return SingleSamples(model, programs, options, batch, state);
  }
};

namespace {

using Query = PerSampleQuery::Kind;

// Results of a program, one after the other.
class Results {
 public:
  Results(std::vector<Tensor> tensors, const std::vector<NamedIndex>& parameters)
      : tensors_(std::move(tensors)), parameters_(parameters) {}

  Tensor next() { return std::move(tensors_[next_++]); }
  TensorMap by_key() {
    std::vector<TensorMap::Item> items;
    for (const NamedIndex& key : parameters_) items.emplace_back(key.name, next());
    return TensorMap(std::move(items));
  }
  State state(const CompiledState& compiled, const State& given) {
    State state;
    for (const NamedIndex& key : compiled.states) {
      const Tensor* tensor = given.find(key.name);
      state[key.name] = tensor ? *tensor : compiled.initial.at(key.name);
    }
    for (const NamedIndex& key : compiled.next_states) state[key.name] = next();
    return state;
  }

 private:
  std::vector<Tensor> tensors_;
  const std::vector<NamedIndex>& parameters_;
  size_t next_ = 0;
};

ExportedModel exported(const PerSamplePrograms& programs, const PerSampleProgram& program) {
  if (!program.executable) {
    raise({.kind = ErrorKind::gradient,
           .code = "E0515",
           .message = "there is no program for the whole batch: the samples run one by one",
           .facts = {{"reason", program.single_samples}}});
  }
  const CompiledState& compiled = programs.compiled();
  refuse_export(compiled, "an export of PerSample");
  ExportedModel made{.graph = program.graph, .inputs = {}, .outputs = {}};
  for (size_t i = 0; i < made.graph.inputs().size(); ++i) {
    const Value& value = made.graph.value(made.graph.inputs()[i]);
    ExportedInput& input = made.inputs.emplace_back();
    input.key = value.name;
    for (const Dim& dim : value.dims) input.dims.push_back(resolve(dim).constant());
    if (i >= compiled.inputs.size()) continue;
    input.key = compiled.inputs[i].key;
    if (compiled.inputs[i].key_class == KeyClass::parameter)
      input.role = ExportedInput::Role::parameter;
    input.frozen = compiled.inputs[i].frozen;
    if (compiled.inputs[i].key_class == KeyClass::state) {
      input.role = ExportedInput::Role::state;
      input.initial = compiled.initial.at(input.key).host();
    }
  }
  const size_t count = made.graph.outputs().size() - compiled.next_states.size();
  for (size_t i = 0; i < made.graph.outputs().size(); ++i) {
    const bool state = i >= count;
    made.outputs.push_back(
        {state ? compiled.next_states[i - count].name : made.graph.outputs()[i].name, i, state});
  }
  return made;
}

}  // namespace

PerSample::PerSample(const CompiledModel& model, PerSampleOptions options) {
  const std::shared_ptr<CompiledModel::Impl>& given = model.impl_;
  const auto unhooked = given->without_hooks ? given->without_hooks : given;
  const PerSampleOptions& held = options;
  impl_ = std::shared_ptr<Impl>(new Impl{CompiledModel(unhooked), held, {unhooked, held}});
}

TensorMap PerSample::gradients(const TensorMap& params, const TensorMap& data,
                               const State& state) const {
  const SampleBatch batch = impl_->programs.take(params, data, state, "data");
  const auto program = impl_->find({.kind = Query::gradients}, batch);
  if (!program->executable) return impl_->singles(batch, state).gradients();
  return Results(impl_->programs.run(*program, batch, nullptr), impl_->parameters()).by_key();
}

SampleNorms PerSample::norms(const TensorMap& params, const TensorMap& data,
                             const State& state) const {
  const SampleBatch batch = impl_->programs.take(params, data, state, "data");
  const auto program = impl_->find({.kind = Query::norms}, batch);
  if (!program->executable) return impl_->singles(batch, state).norms();
  Results results(impl_->programs.run(*program, batch, nullptr), impl_->parameters());
  TensorMap by_key = results.by_key();
  return {results.next(), std::move(by_key)};
}

SampleDots PerSample::dots(const TensorMap& params, const TensorMap& data,
                           const TensorMap& validation, const DotsOptions& options,
                           const State& state) const {
  const PerSamplePrograms& programs = impl_->programs;
  const SampleBatch batch = programs.take(params, data, state, "data");
  const SampleBatch validation_batch = programs.take(params, validation, state, "validation");
  const bool mean = options.validation_reduction == LossReduction::mean;
  const auto program =
      impl_->find({.kind = Query::dots, .pairs = options.pairs, .mean_validation = mean}, batch,
                  &validation_batch);
  if (!program->executable) {
    const SingleSamples singles = impl_->singles(batch, state);
    return singles.dots(impl_->singles(validation_batch, state), options);
  }
  Results results(programs.run(*program, batch, &validation_batch), impl_->parameters());
  SampleDots dots;
  dots.by_key = results.by_key();
  dots.total = results.next();
  dots.gradients = results.by_key();
  dots.losses = results.next();
  dots.validation_losses = results.next();
  dots.state = results.state(programs.compiled(), state);
  return dots;
}

TensorMap PerSample::weighted_gradients(const TensorMap& params, const TensorMap& data,
                                        const Tensor& weights, const State& state) const {
  const SampleBatch batch = impl_->programs.take(params, data, state, "data");
  if (weights.dims() != Dims{batch.samples}) {
    raise({.kind = ErrorKind::input,
           .code = "E0815",
           .message = "weighted_gradients takes one weight for each sample",
           .facts = {{"expected", to_string(Dims{batch.samples})},
                     {"got", to_string(weights.dims())}}});
  }
  const auto program = impl_->find({.kind = Query::weighted}, batch);
  if (!program->executable) return impl_->singles(batch, state).weighted(weights);
  const DType dtype = program->graph.value(program->graph.inputs().back()).dtype;
  const Tensor cast = weights.dtype() == dtype ? weights : weights.to(dtype);
  return Results(impl_->programs.run(*program, batch, nullptr, {cast}), impl_->parameters())
      .by_key();
}

ClippedGradients PerSample::clipped_gradients(const TensorMap& params, const TensorMap& data,
                                              double max_norm, const State& state) const {
  if (!(max_norm >= 0)) {
    raise({.kind = ErrorKind::value,
           .code = "E0402",
           .message = "max_norm of clipped_gradients is out of range",
           .facts = {{"expected", "at least 0"}, {"got", std::to_string(max_norm)}}});
  }
  const SampleBatch batch = impl_->programs.take(params, data, state, "data");
  const auto program = impl_->find({.kind = Query::clipped}, batch);
  if (!program->executable) return impl_->singles(batch, state).clipped(max_norm);
  const DType dtype = program->graph.value(program->graph.inputs().back()).dtype;
  const Tensor bound = Tensor::full(dtype, {}, max_norm);
  Results results(impl_->programs.run(*program, batch, nullptr, {bound}), impl_->parameters());
  ClippedGradients clipped;
  clipped.gradients = results.by_key();
  clipped.norms = results.next();
  clipped.state = results.state(impl_->programs.compiled(), state);
  return clipped;
}

Projections PerSample::projections(const TensorMap& params, const TensorMap& data,
                                   const ProjectionOptions& options, const State& state) const {
  const SampleBatch batch = impl_->programs.take(params, data, state, "data");
  std::vector<std::pair<int64_t, int64_t>> ranks;
  std::vector<Tensor> matrices;
  Projections made;
  int64_t start = 0;
  check_ranks(options, names_of(impl_->parameters()));
  const Graph& graph = impl_->programs.compiled().graph;
  for (const NamedIndex& key : impl_->parameters()) {
    const Tensor& parameter = batch.inputs[key.index];
    const int64_t rank = rank_of(options, key.name, graph, graph.inputs()[key.index]);
    if (rank == 0 || parameter.size() == 0) {
      ranks.emplace_back(0, 0);
      continue;
    }
    const int64_t rows = parameter.rank() < 2 ? 1 : parameter.dims()[0];
    const int64_t columns = parameter.size() / rows;
    const auto [left, right] = projection_ranks(rows, columns, rank);
    const DType dtype = opmath_dtype(parameter.dtype());
    matrices.push_back(projection_matrix(options, key.name + " left", left, rows, dtype));
    matrices.push_back(projection_matrix(options, key.name + " right", right, columns, dtype));
    ranks.emplace_back(left, right);
    made.metadata.push_back({key.name, start, left, right});
    start += left * right;
  }
  if (made.metadata.empty()) {
    raise({.kind = ErrorKind::value,
           .code = "E0418",
           .message = "projections: the options leave out all parameters"});
  }
  const auto program = impl_->find({.kind = Query::projections}, batch, nullptr, ranks);
  if (!program->executable) {
    made.values = impl_->singles(batch, state).projected(made.metadata, matrices);
    return made;
  }
  made.values = impl_->programs.run(*program, batch, nullptr, matrices).front();
  return made;
}

std::string PerSample::explain() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->last ? explained(*impl_->last) : "No call has been made yet.\n";
}

void PerSample::verify(const TensorMap& params, const TensorMap& data, const State& state,
                       std::optional<double> tolerance) const {
  const SampleBatch batch = impl_->programs.take(params, data, state, "data");
  const TensorMap made = gradients(params, data, state);
  const double allowed =
      tolerance.value_or(tolerance_of_gradients(impl_->programs.compiled().source));
  compare_samples(made, impl_->singles(batch, state).gradients(), allowed);
}

ExportedModel PerSample::exported_norms(const TensorMap& data) const {
  const SampleBatch batch = impl_->programs.placeholders(data);
  return exported(impl_->programs, *impl_->find({.kind = Query::norms}, batch));
}

ExportedModel PerSample::exported_dots(const TensorMap& data, const TensorMap& validation,
                                       const DotsOptions& options) const {
  const SampleBatch batch = impl_->programs.placeholders(data);
  const SampleBatch validation_batch = impl_->programs.placeholders(validation);
  const bool mean = options.validation_reduction == LossReduction::mean;
  return exported(
      impl_->programs,
      *impl_->find({.kind = Query::dots, .pairs = options.pairs, .mean_validation = mean}, batch,
                   &validation_batch));
}

}  // namespace mithril
