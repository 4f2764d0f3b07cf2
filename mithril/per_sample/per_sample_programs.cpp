#include "mithril/per_sample/per_sample_programs.hpp"
#include "mithril/base/text.hpp"

#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/compile/evaluate.hpp"
#include "mithril/compile/parameter_blocks.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// A number of samples that hardly any other size is a multiple of, for analyses.
constexpr int64_t probe_samples = 10007;

[[noreturn]] void refuse_losses(const std::string& key, const std::string& got) {
  raise({.kind = ErrorKind::gradient,
         .code = "E0510",
         .path = key,
         .message = "output '" + key + "' does not hold the losses of the samples of a batch",
         .facts = {{"expected", "[B, ...], with the batch of the data as its first axis"},
                   {"got", got}},
         .help = "make the losses of the samples an output, before they are reduced"});
}

[[noreturn]] void refuse_data_without_rows(const std::string& losses, std::vector<Fact> data) {
  raise({.kind = ErrorKind::gradient,
         .code = "E0510",
         .path = losses,
         .message = "no data has the samples of '" + losses + "' along its first axis",
         .facts = std::move(data),
         .help = "put the samples first: batch_first=True of a recurrent layer, axis=1 of Scan, or "
                 "a transposition in the model"});
}

}  // namespace

PerSamplePrograms::PerSamplePrograms(std::shared_ptr<CompiledModel::Impl> compiled,
                                     const PerSampleOptions& options)
    : compiled_(std::move(compiled)),
      reduction_(options.reduction),
      strategy_(options.strategy),
      parameters_(compiled_->trained_parameters()),
      model_{gradient_} {
  compiled_->require_gradients();
  const std::vector<std::string> names = names_of(compiled_->outputs);
  const auto at = std::find(names.begin(), names.end(), options.losses);
  if (at == names.end())
    unknown_name(ErrorKind::input, "E0807", "output", options.losses, "", names);
  output_ = static_cast<size_t>(at - names.begin());
  if (parameters_.empty()) {
    const char* why =
        compiled_->parameters.empty() ? "the model has no parameters" : "all parameters are frozen";
    raise({.kind = ErrorKind::gradient,
           .code = "E0514",
           .message = std::string(why) + ", so its samples have no gradients"});
  }
  gradient_ = compiled_->gradients({output_});
  const std::lock_guard lock(*compiled_->facts_mutex);
  forward_sizes_.emplace(compiled_->graph);
  sizes_.emplace(gradient_);
  classify(options.shared);
}

void PerSamplePrograms::classify(const std::vector<std::string>& shared) {
  const Graph& graph = gradient_;
  const std::vector<std::string> known = names_of(compiled_->data);
  for (const std::string& key : shared) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      unknown_name(ErrorKind::input, "E0802", "data input", key, "", known);
  }
  const size_t outputs = compiled_->graph.outputs().size();
  model_.losses = graph.outputs()[compiled_->outputs[output_].index].value;
  model_.mean_losses = reduction_ == LossReduction::mean;
  const Value& losses = graph.value(model_.losses);
  if (losses.ranked && losses.dims.empty())
    refuse_losses(compiled_->outputs[output_].name, "a scalar");
  std::vector<size_t> data;
  for (const NamedIndex& key : compiled_->data) data.push_back(key.index);
  batch_.assign(compiled_->inputs.size(), Batch::no);
  for (const NamedIndex& key : compiled_->data) {
    if (std::find(shared.begin(), shared.end(), key.name) == shared.end())
      batch_[key.index] = batch_of(graph.value(graph.inputs()[key.index]), data);
  }
  for (size_t i = 0; i < compiled_->inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    has_fixed_samples_.push_back(value.ranked && !value.dims.empty() &&
                                 resolve(value.dims[0]).is_constant());
    model_.inputs.push_back(
        {.value = graph.inputs()[i], .data = compiled_->inputs[i].key_class == KeyClass::data});
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const NamedIndex& key = parameters_[i];
    model_.parameters.push_back(
        {key.name, graph.inputs()[key.index], graph.outputs()[outputs + i].value});
  }
  for (const NamedIndex& state : compiled_->next_states) {
    model_.next_states.push_back(graph.outputs()[state.index].value);
  }
}

PerSamplePrograms::Batch PerSamplePrograms::batch_of(const Value& value,
                                                     const std::vector<size_t>& data) const {
  if (!value.ranked) return Batch::unknown;
  if (value.dims.empty()) return Batch::no;
  const Dim first = resolve(value.dims[0]);
  const Value& losses = gradient_.value(model_.losses);
  if (losses.ranked && same(first, resolve(losses.dims[0]))) return Batch::yes;
  if (first.is_constant()) return Batch::no;
  // A size that is also another axis of the data, as that of a mask [T, T], is not the batch.
  for (const size_t i : data) {
    const Value& other = gradient_.value(gradient_.inputs()[i]);
    for (size_t axis = 1; axis < other.dims.size(); ++axis) {
      if (same(resolve(other.dims[axis]), first)) return Batch::no;
    }
  }
  return Batch::unknown;
}

std::vector<bool> PerSamplePrograms::batched_inputs(const std::vector<Tensor>& inputs,
                                                    int64_t& samples) const {
  std::vector<bool> batched(inputs.size());
  const auto certain = std::find(batch_.begin(), batch_.end(), Batch::yes);
  if (certain != batch_.end()) {
    samples = inputs[static_cast<size_t>(certain - batch_.begin())].dims()[0];
  } else {
    const Dims losses = losses_dims(inputs);
    if (losses.empty()) refuse_losses(compiled_->outputs[output_].name, "a scalar");
    samples = losses[0];
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    batched[i] = batch_[i] == Batch::yes || (batch_[i] == Batch::unknown && inputs[i].rank() > 0 &&
                                             inputs[i].dims()[0] == samples);
  }
  return batched;
}

SampleBatch PerSamplePrograms::take(const TensorMap& params, const TensorMap& data,
                                    const State& state, const char* name) const {
  const Signature& signature = compiled_->whole_signature();
  refuse_blocks(*compiled_, params, "PerSample");
  check_state(*compiled_, state, "PerSample");
  SampleBatch batch{.inputs = std::vector<Tensor>(compiled_->inputs.size())};
  take_inputs(*compiled_, signature, params, data, state, batch.inputs, name);
  signature.check_dims(batch.inputs);
  batch.batched = batched_inputs(batch.inputs, batch.samples);
  return batch;
}

SampleBatch PerSamplePrograms::placeholders(const TensorMap& data) const {
  SampleBatch batch{.has_elements = false};
  for (size_t i = 0; i < compiled_->inputs.size(); ++i) {
    const Value& value = gradient_.value(gradient_.inputs()[i]);
    batch.inputs.push_back(
        placeholder(value.dtype, compiled_->dims_of_input({compiled_->inputs[i].key, i}, data)));
  }
  batch.batched = batched_inputs(batch.inputs, batch.samples);
  return batch;
}

bool PerSamplePrograms::can_join(const SampleBatch& training, const SampleBatch& validation,
                                 const std::vector<NamedIndex>& data) {
  for (const NamedIndex& key : data) {
    const Tensor &a = training.inputs[key.index], &b = validation.inputs[key.index];
    if (training.batched[key.index] != validation.batched[key.index]) return false;
    const bool batched = training.batched[key.index];
    if (!std::equal(a.dims().begin() + batched, a.dims().end(), b.dims().begin() + batched,
                    b.dims().end()))
      return false;
    // Inputs without samples have to be the same for both.
    const bool known = training.has_elements && !a.foreign() && !b.foreign();
    if (!batched && !(known && identical(a, b))) return false;
  }
  return true;
}

Dims PerSamplePrograms::losses_dims(const std::vector<Tensor>& inputs) const {
  const Plan plan = make_plan(compiled_->graph, *forward_sizes_, inputs);
  const ValueId losses = compiled_->graph.outputs()[compiled_->outputs[output_].index].value;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (compiled_->graph.inputs()[i] == losses) return inputs[i].dims();
  }
  for (const PlannedNode& node : plan.nodes) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == losses) return node.output_dims[i];
    }
  }
  return {};  // a constant
}

// The plan for this number of samples.
Plan PerSamplePrograms::plan_for(const SampleBatch& batch, int64_t samples) const {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < batch.inputs.size(); ++i) {
    Dims dims = batch.inputs[i].dims();
    if (batch.batched[i]) dims[0] = samples;
    inputs.push_back(placeholder(batch.inputs[i].dtype(), std::move(dims)));
  }
  // The gradient of the losses has their dims.
  Dims dims = losses_dims(inputs);
  inputs.push_back(placeholder(gradient_.value(gradient_.inputs().back()).dtype, std::move(dims)));
  return make_plan(gradient_, *sizes_, inputs);
}

PerSamplePrograms::Analysis PerSamplePrograms::analyse(const SampleBatch& batch,
                                                       int64_t samples) const {
  Analysis analysis{.plan = plan_for(batch, samples), .axes = {}};
  BatchInputs inputs{.data = {}, .gradient = gradient_.inputs().back()};
  for (size_t i = 0; i < batch.batched.size(); ++i) {
    if (batch.batched[i]) inputs.data.push_back(gradient_.inputs()[i]);
  }
  if (const auto probe = probe_plan(batch)) {
    inputs.distinct = true;
    analysis.axes = find_sample_axes(gradient_, probe->plan, probe->samples, inputs);
  } else {
    analysis.axes = find_sample_axes(gradient_, analysis.plan, samples, inputs);
  }
  return analysis;
}

bool PerSamplePrograms::has_fixed_size(const SampleBatch& batch) const {
  for (size_t i = 0; i < batch.batched.size(); ++i) {
    if (batch.batched[i] && has_fixed_samples_[i]) return true;
  }
  return false;
}

// A plan for a number of samples that looks like no other size; none if the model is for a fixed
// number. A model may be for multiples of a number: the number of the batch is one.
std::optional<PerSamplePrograms::Probe> PerSamplePrograms::probe_plan(
    const SampleBatch& batch) const {
  if (has_fixed_size(batch)) return std::nullopt;
  for (const int64_t samples : {probe_samples, probe_samples * batch.samples}) {
    try {
      return Probe{plan_for(batch, samples), samples};
    } catch (const Error&) {
      continue;
    }
  }
  return std::nullopt;
}

// The first node that mixes samples of those that the gradients or the losses depend on.
std::optional<Coupling> PerSamplePrograms::coupling_of(const SampleAxes& axes) const {
  int first = -1;
  const auto note = [&](ValueId id) {
    const int by = axes.coupled_by[index(id)];
    if (by >= 0 && (first < 0 || by < first)) first = by;
  };
  note(model_.losses);
  for (const PerSampleParameter& parameter : model_.parameters) note(parameter.gradient);
  if (first < 0) return std::nullopt;
  return axes.couplings[static_cast<size_t>(first)];
}

void PerSamplePrograms::check_rows(const SampleBatch& batch) const {
  std::vector<Fact> data;
  for (const NamedIndex& key : compiled_->data) {
    if (batch.batched[key.index]) return;
    data.push_back({key.name, to_string(batch.inputs[key.index].dims()), ""});
  }
  refuse_data_without_rows(compiled_->outputs[output_].name, std::move(data));
}

std::shared_ptr<const PerSampleProgram> PerSamplePrograms::find(
    PerSampleQuery query, const SampleBatch& training, const SampleBatch* validation,
    const std::vector<std::pair<int64_t, int64_t>>& ranks) const {
  if (validation) {
    query.validation = validation->samples;
    query.joined = !has_fixed_size(training) && can_join(training, *validation, compiled_->data);
  }
  PerSampleProgram wanted{.query = query, .sizes = {}, .ranks = ranks};
  for (const Tensor& input : training.inputs) wanted.sizes.push_back(input.dims());
  for (const NamedIndex& key : compiled_->data) {
    if (validation) wanted.sizes.push_back(validation->inputs[key.index].dims());
  }
  const auto fits = [&](const PerSampleProgram& made) {
    return made.query == wanted.query && made.sizes == wanted.sizes && made.ranks == wanted.ranks;
  };
  return programs_.find_or_make(fits,
                                [&] { return make(std::move(wanted), training, validation); });
}

PerSampleProgram PerSamplePrograms::make(PerSampleProgram program, const SampleBatch& training,
                                         const SampleBatch* validation) const {
  const PerSampleQuery& query = program.query;
  if (training.samples == 0 || (validation && validation->samples == 0)) {
    program.single_samples = "a batch is empty";
    return program;
  }
  const bool joined = query.joined, separate = validation && !joined;
  const int64_t samples = training.samples + (joined ? query.validation : 0);
  const Analysis main = analyse(training, samples);
  std::optional<Analysis> validation_analysis;
  if (separate) validation_analysis = analyse(*validation, validation->samples);
  const SampleAxis& losses = main.axes.of(model_.losses);
  if (losses.kind != SampleAxis::Kind::coupled && !(losses == SampleAxis::along(0))) {
    check_rows(training);
    refuse_losses(compiled_->outputs[output_].name,
                  "a first axis that does not hold the samples of the data");
  }
  auto coupling = coupling_of(main.axes);
  if (!coupling && validation_analysis) coupling = coupling_of(validation_analysis->axes);
  if (coupling) {
    const Node& node = gradient_.node(coupling->node);
    const std::string where = node.op->name + " at " + gradient_.value(node.outputs[0]).name;
    const bool fixed = has_fixed_size(training);
    if (fixed && samples == 1) {
      program.single_samples = "the batch of the model is one sample";
      return program;
    }
    if (coupling->no_rule && !fixed) {
      program.single_samples = "there is no rule for samples of " + where;
      return program;
    }
    if (coupling->no_rule) {
      raise(
          {.kind = ErrorKind::gradient,
           .code = "E0511",
           .path = gradient_.value(node.outputs[0]).name,
           .message = "op " + in_quotes(node.op->name) +
                      " has no rule for samples, and a batch of a fixed size cannot run one by one",
           .help = "leave the size of the batch open when the model is compiled"});
    }
    raise(
        {.kind = ErrorKind::gradient,
         .code = "E0511",
         .path = gradient_.value(node.outputs[0]).name,
         .message = "the samples have no gradients of their own: " + node.op->name + " mixes them",
         .facts = {{"reason", coupling->why}},
         .help = "use a layer that treats each sample by itself, or inference mode; name data "
                 "without a batch axis in shared="});
  }
  PerSampleModel model = model_;
  for (size_t i = 0; i < model.inputs.size(); ++i) model.inputs[i].batched = training.batched[i];
  std::vector<std::pair<int64_t, int64_t>> ranks;  // of the parameters that are projected
  if (query.kind == PerSampleQuery::Kind::projections) {
    model.parameters.clear();
    for (size_t i = 0; i < program.ranks.size(); ++i) {
      if (program.ranks[i].first == 0) continue;
      model.parameters.push_back(model_.parameters[i]);
      ranks.push_back(program.ranks[i]);
    }
  }
  PerSampleSizes sizes{.training = {gradient_, main.plan, main.axes, samples},
                       .validation = {},
                       .samples = training.samples,
                       .ranks = std::move(ranks)};
  if (validation_analysis)
    sizes.validation.emplace(SampleSource{gradient_, validation_analysis->plan,
                                          validation_analysis->axes, validation->samples});
  PerSampleGraph made = rewrite_per_sample(model, query, sizes, strategy_);
  program.choices = std::move(made.choices);
  program.graph = run_passes(made.graph, compiled_->passes);
  LoadOptions options;
  options.jit = compiled_->load_options.jit;
  options.max = compiled_->load_options.max;
  options.fuse = compiled_->load_options.fuse;
  program.executable = compiled_->backend->load(program.graph, options);
  return program;
}

std::vector<Tensor> PerSamplePrograms::run(const PerSampleProgram& program,
                                           const SampleBatch& training,
                                           const SampleBatch* validation,
                                           const std::vector<Tensor>& more) const {
  std::vector<Tensor> inputs = training.inputs;
  for (size_t i = 0; validation && i < model_.inputs.size(); ++i) {
    if (model_.inputs[i].data) inputs.push_back(validation->inputs[i]);
  }
  inputs.insert(inputs.end(), more.begin(), more.end());
  std::vector<Tensor> made = program.executable->run(inputs);
  for (Tensor& tensor : made) tensor = compiled_->backend->own(tensor);
  return made;
}

}  // namespace mithril
