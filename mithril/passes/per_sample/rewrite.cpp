#include "mithril/passes/per_sample/rewrite.hpp"

#include <algorithm>
#include <memory>

#include "mithril/op/op_def.hpp"
#include "mithril/passes/per_sample/results.hpp"

namespace mithril {
namespace {

using Query = PerSampleQuery::Kind;

std::string dims_text(const FactorDims& dims) {
  return (dims.groups == 1 ? "" : std::to_string(dims.groups) + " x ") + std::to_string(dims.p) +
         " x " + std::to_string(dims.d);
}

class Rewriter {
 public:
  Rewriter(const PerSampleModel& model, const PerSampleQuery& query, const PerSampleSizes& sizes,
           std::optional<Strategy> only)
      : model_(model), query_(query), sizes_(sizes), only_(only) {
    graph_.set_default_dtype(model.graph.default_dtype());
    training_copy_ = std::make_unique<SampleCopy>(graph_, sizes.training, "");
    if (sizes.validation)
      validation_copy_ = std::make_unique<SampleCopy>(graph_, *sizes.validation, "validation.");
    training_materializer_.emplace(*training_copy_);
    if (validation_copy_) validation_materializer_.emplace(*validation_copy_);
    const int64_t n = sizes.samples, m = query.validation;
    training_ = {training_copy_.get(), &*training_materializer_, 0, n};
    validation_ = validation_copy_
                      ? SampleSet{validation_copy_.get(), &*validation_materializer_, 0, m}
                      : SampleSet{training_copy_.get(), &*training_materializer_, n, n + m};
    results_.emplace(model, query, sizes, training_, validation_);
  }

  PerSampleGraph run() {
    add_inputs();
    find_parameters();
    if (validation_copy_) copy_nodes(*validation_copy_, false);
    copy_nodes(*training_copy_, true);
    if (query_.kind == Query::clipped) norms_ = results_->clip(max_norm_);
    add_outputs();
    graph_.drop_unread();
    return {std::move(graph_), std::move(choices_)};
  }

 private:
  ValueId add_input(const std::string& name, const Dims& dims, DType dtype) {
    Value value{.name = name, .dims = {}, .dtype = dtype};
    for (const int64_t dim : dims) value.dims.emplace_back(dim);
    return graph_.add_input(std::move(value));
  }

  void add_inputs() {
    std::vector<ValueId> first;
    for (const PerSampleInput& input : model_.inputs) {
      const Value& value = model_.graph.value(input.value);
      Dims dims = training_copy_->dims(input.value);
      if (input.batched) dims[0] = sizes_.samples;
      first.push_back(add_input(value.name, dims, value.dtype));
      training_copy_->set(input.value, first.back());
      if (validation_copy_) validation_copy_->set(input.value, first.back());
    }
    if (query_.kind == Query::dots) add_validation(first);
    const DType wide_default = opmath_dtype(model_.graph.default_dtype());
    if (query_.kind == Query::weighted)
      weights_ = add_input("weights", {sizes_.samples}, wide_default);
    if (query_.kind == Query::clipped) {
      max_norm_ = add_input("max_norm", {}, wide_default);
    }
    if (query_.kind != Query::projections) return;
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      const Dims matrix = results_->matrix_dims(i);
      const DType dtype = results_->wide_dtype(i);
      const std::string name = "projection." + model_.parameters[i].key;
      const ValueId left = add_input(name + ".left", {sizes_.ranks[i].first, matrix[0]}, dtype);
      const ValueId right = add_input(name + ".right", {sizes_.ranks[i].second, matrix[1]}, dtype);
      projections_.emplace_back(left, right);
    }
  }

  void add_validation(const std::vector<ValueId>& first) {
    for (size_t i = 0; i < model_.inputs.size(); ++i) {
      const PerSampleInput& input = model_.inputs[i];
      if (!input.data) continue;
      const Value& value = model_.graph.value(input.value);
      Dims dims = (validation_copy_ ? *validation_copy_ : *training_copy_).dims(input.value);
      if (input.batched) dims[0] = query_.validation;
      const ValueId own = add_input("validation." + value.name, dims, value.dtype);
      if (validation_copy_) {
        validation_copy_->set(input.value, own);
      } else if (input.batched) {
        const Expression whole =
            joined({training_copy_->expression(first[i]), training_copy_->expression(own)}, 0);
        training_copy_->set(input.value, whole.id);
      }
    }
  }

  void find_parameters() {
    const std::vector<NodeId> makers = makers_of(model_.graph);
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      const ValueId gradient = model_.parameters[i].gradient;
      results_->all()[i].terms = find_terms(*training_copy_, makers, gradient);
      if (validation_copy_)
        results_->all()[i].validation_terms = find_terms(*validation_copy_, makers, gradient);
      choose(results_->all()[i], model_.parameters[i].key);
    }
  }

  // A gradient that is not a sum of products of equal factors has to be materialized. Convolutions
  // and groups are materialized by themselves.
  void choose(ParameterResult& parameter, const std::string& key) {
    PerSampleChoice choice{.key = key};
    choice.possible = strategy_costs(query_, parameter.terms, sizes_.samples);
    if (query_.kind == Query::projections && parameter.terms.dims.groups != 1)
      choice.possible = {{Strategy::materialized}};
    choice.strategy = choice.possible.front().strategy;
    for (const StrategyCost& cost : choice.possible) {
      if (only_ && cost.strategy == *only_) choice.strategy = *only_;
    }
    for (const ProductTerm& term : parameter.terms.terms) {
      const Node& node = model_.graph.node(term.site);
      choice.terms.push_back(node.op->name + " at " +
                             model_.graph.value(node.outputs.front()).name);
    }
    if (!parameter.terms.terms.empty()) {
      choice.terms.push_back(std::to_string(parameter.terms.length) + " products of " +
                             dims_text(parameter.terms.dims) + " for each sample");
    }
    parameter.strategy = choice.strategy;
    choices_.push_back(std::move(choice));
  }

  // Copies all nodes. Computes the result of a parameter right after the last node that its samples
  // need, so that the values that it needs can be released.
  void copy_nodes(SampleCopy& copy, bool computing) {
    const size_t count = model_.graph.nodes().size();
    std::vector<std::vector<size_t>> due(count);
    std::vector<size_t> at_once;  // parameters that the losses do not depend on
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      const NodeId last = results_->all()[i].terms.last;
      if (last == no_node) {
        at_once.push_back(i);
      } else {
        due[index(last)].push_back(i);
      }
    }
    seed(copy, model_.losses);
    for (size_t n = 0; n < count; ++n) {
      const NodeId id = static_cast<NodeId>(n);
      copy.copy(id);
      for (const ValueId output : copy.node(id).outputs) seed(copy, output);
      if (!computing) continue;
      for (const size_t parameter : due[n]) compute_result(parameter);
    }
    for (const size_t parameter : at_once) {
      if (computing) compute_result(parameter);
    }
  }

  // Sets the gradient of the losses once they are made.
  void seed(SampleCopy& copy, ValueId made) {
    if (made != model_.losses || !copy.is_made(made)) return;
    const Dims& dims = copy.dims(made);
    const int64_t row = dims[0] == 0 ? 1 : element_count(dims) / dims[0];
    const double number = model_.mean_losses ? 1 / static_cast<double>(row) : 1.0;
    const bool dots = query_.kind == Query::dots, joined_sets = dots && !validation_copy_;
    // Those of dots make the sum over the training samples their mean, as a mean loss does. Its
    // rounding may differ from that of evaluate, because both sets may run as one batch.
    const bool scaled = dots && !joined_sets && &copy == training_copy_.get();
    Expression seed =
        call("fill_like", {copy.at(made), scaled ? number * share_of_sample() : number});
    if (joined_sets) seed = seed * per_sample(seed, training_shares(seed));
    if (query_.kind == Query::weighted)
      seed = seed * per_sample(seed, training_copy_->expression(weights_));
    copy.set(model_.graph.inputs().back(), seed.id);
  }

  double share_of_sample() const { return 1 / static_cast<double>(sizes_.samples); }

  // [n + m]: the share of each training sample, and 1 for each validation sample.
  Expression training_shares(const Expression& like) const {
    const auto filled = [&](int64_t count, double number) {
      return call_in(like, "full", {Datum::ints({count}), number, Datum(like.dtype())});
    };
    return joined({filled(sizes_.samples, share_of_sample()), filled(query_.validation, 1)}, 0);
  }

  // [samples] as an operand of [samples, ...].
  static Expression per_sample(const Expression& like, const Expression& numbers) {
    Dims dims(like.dims().size(), 1);
    dims[0] = dims_of(numbers)[0];
    const Expression cast =
        numbers.dtype() == like.dtype() ? numbers : call("cast", {numbers, Datum(like.dtype())});
    return reshaped(cast, dims);
  }

  void compute_result(size_t i) {
    results_->compute(i, projections_.empty() ? std::nullopt : std::optional(projections_[i]));
    choices_[i].unrolled = unrolled();
  }

  // The projections of all parameters side by side, in the widest of their dtypes.
  Expression projections() const {
    std::vector<Expression> parts;
    DType widest = DType::float32;
    for (const ParameterResult& parameter : results_->all()) {
      parts.push_back(*parameter.result);
      if (parts.back().dtype() == DType::float64) widest = DType::float64;
    }
    for (Expression& part : parts) {
      if (part.dtype() != widest) part = call("cast", {part, Datum(widest)});
    }
    return joined(parts, 1);
  }

  void add_outputs() {
    const std::vector<ParameterResult>& results = results_->all();
    const bool norms = query_.kind == Query::norms;
    if (query_.kind == Query::projections) {
      graph_.add_output("values", projections().id);
    } else if (results.front().result && query_.kind != Query::clipped) {
      for (size_t i = 0; i < model_.parameters.size(); ++i) {
        const Expression& result = *results[i].result;
        graph_.add_output(model_.parameters[i].key, norms ? call("sqrt", {result}).id : result.id);
      }
    }
    if (norms) graph_.add_output("norms", call("sqrt", {results_->total()}).id);
    if (query_.kind == Query::dots) graph_.add_output("dots", results_->total().id);
    if (results.front().gradient) {
      for (size_t i = 0; i < model_.parameters.size(); ++i) {
        graph_.add_output(model_.parameters[i].key + ".gradient", results[i].gradient->id);
      }
    }
    if (query_.kind == Query::clipped) graph_.add_output("norms", norms_->id);
    if (query_.kind == Query::dots) {
      graph_.add_output("losses", results_->losses(training_).id);
      graph_.add_output("validation_losses", results_->losses(validation_).id);
    }
    for (const ValueId state : model_.next_states) {
      graph_.add_output(model_.graph.value(state).name + ".next", training_copy_->at(state).id);
    }
  }

  // The names of nodes that were unrolled since the last call.
  std::vector<std::string> unrolled() {
    std::vector<std::string> names;
    const auto& nodes = training_materializer_->unrolled();
    for (; reported_ < nodes.size(); ++reported_) {
      const Node& node = model_.graph.node(nodes[reported_]);
      names.push_back(node.op->name + " at " + model_.graph.value(node.outputs.front()).name);
    }
    return names;
  }

  const PerSampleModel& model_;
  const PerSampleQuery& query_;
  const PerSampleSizes& sizes_;
  const std::optional<Strategy> only_;
  Graph graph_;
  std::unique_ptr<SampleCopy> training_copy_;
  std::unique_ptr<SampleCopy> validation_copy_;  // null if the sets are joined
  std::optional<Materializer> training_materializer_, validation_materializer_;
  SampleSet training_{}, validation_{};
  std::optional<PerSampleResults> results_;
  std::vector<PerSampleChoice> choices_;
  std::vector<std::pair<ValueId, ValueId>> projections_;
  ValueId max_norm_{}, weights_{};
  std::optional<Expression> norms_;
  size_t reported_ = 0;
};

}  // namespace

PerSampleGraph rewrite_per_sample(const PerSampleModel& model, const PerSampleQuery& query,
                                  const PerSampleSizes& sizes, std::optional<Strategy> only) {
  return Rewriter(model, query, sizes, only).run();
}

}  // namespace mithril
