#include "mithril/passes/per_sample/rewrite.hpp"

#include <algorithm>
#include <memory>

#include "mithril/op/op_def.hpp"
#include "mithril/passes/per_sample/results.hpp"

namespace mithril {
namespace {

using Question = PerSampleQuestion::Kind;

std::string dims_text(const FactorDims& dims) {
  return (dims.groups == 1 ? "" : std::to_string(dims.groups) + " x ") + std::to_string(dims.p) +
         " x " + std::to_string(dims.d);
}

class Rewriter {
 public:
  Rewriter(const PerSampleModel& model, const PerSampleQuestion& question,
           const PerSampleSizes& sizes, std::optional<Strategy> only)
      : model_(model), question_(question), sizes_(sizes), only_(only) {
    graph_.set_default_dtype(model.graph.default_dtype());
    main_ = std::make_unique<SampleCopy>(graph_, sizes.training, "");
    if (sizes.validation)
      other_ = std::make_unique<SampleCopy>(graph_, *sizes.validation, "validation.");
    main_materializer_.emplace(*main_);
    if (other_) other_materializer_.emplace(*other_);
    const int64_t n = sizes.samples, m = question.validation;
    training_ = {main_.get(), &*main_materializer_, 0, n};
    validation_ = other_ ? SampleSet{other_.get(), &*other_materializer_, 0, m}
                         : SampleSet{main_.get(), &*main_materializer_, n, n + m};
    answers_.emplace(model, question, sizes, training_, validation_);
  }

  PerSampleGraph run() {
    add_inputs();
    find_parameters();
    if (other_) copy_nodes(*other_, false);
    copy_nodes(*main_, true);
    if (question_.kind == Question::clipped) norms_ = answers_->clip(max_norm_);
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
      Dims dims = main_->dims(input.value);
      if (input.batched) dims[0] = sizes_.samples;
      first.push_back(add_input(value.name, dims, value.dtype));
      main_->set(input.value, first.back());
      if (other_) other_->set(input.value, first.back());
    }
    if (question_.kind == Question::dots) add_validation(first);
    const DType wide_default = opmath_dtype(model_.graph.default_dtype());
    if (question_.kind == Question::weighted)
      weights_ = add_input("weights", {sizes_.samples}, wide_default);
    if (question_.kind == Question::clipped) {
      max_norm_ = add_input("max_norm", {}, wide_default);
    }
    if (question_.kind != Question::projections) return;
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      const Dims matrix = answers_->matrix_dims(i);
      const DType dtype = answers_->wide_dtype(i);
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
      Dims dims = (other_ ? *other_ : *main_).dims(input.value);
      if (input.batched) dims[0] = question_.validation;
      const ValueId own = add_input("validation." + value.name, dims, value.dtype);
      if (other_) {
        other_->set(input.value, own);
      } else if (input.batched) {
        const Expression whole = joined({main_->expression(first[i]), main_->expression(own)}, 0);
        main_->set(input.value, whole.id);
      }
    }
  }

  void find_parameters() {
    const std::vector<NodeId> makers = makers_of(model_.graph);
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      const ValueId gradient = model_.parameters[i].gradient;
      answers_->all()[i].terms = find_terms(*main_, makers, gradient);
      if (other_) answers_->all()[i].other = find_terms(*other_, makers, gradient);
      choose(answers_->all()[i], model_.parameters[i].key);
    }
  }

  // A gradient that is not a sum of products of equal factors has to be materialized. Convolutions
  // and groups are materialized by themselves.
  void choose(ParameterAnswer& parameter, const std::string& key) {
    PerSampleChoice choice{.key = key};
    choice.possible = strategy_costs(question_, parameter.terms, sizes_.samples);
    if (question_.kind == Question::projections && parameter.terms.dims.groups != 1)
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

  // Copies all nodes. Right after the last node that a parameter's samples need, answers for it, so
  // that the values that it needs can be released.
  void copy_nodes(SampleCopy& copy, bool answering) {
    const size_t count = model_.graph.nodes().size();
    std::vector<std::vector<size_t>> due(count);
    std::vector<size_t> at_once;  // parameters that the losses do not depend on
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      const NodeId last = answers_->all()[i].terms.last;
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
      if (!answering) continue;
      for (const size_t parameter : due[n]) answer(parameter);
    }
    for (const size_t parameter : at_once) {
      if (answering) answer(parameter);
    }
  }

  // Sets the gradient of the losses once they are made.
  void seed(SampleCopy& copy, ValueId made) {
    if (made != model_.losses || !copy.is_made(made)) return;
    const Dims& dims = copy.dims(made);
    const int64_t row = dims[0] == 0 ? 1 : element_count(dims) / dims[0];
    const double number = model_.mean_losses ? 1 / static_cast<double>(row) : 1.0;
    const bool dots = question_.kind == Question::dots, joined_sets = dots && !other_;
    // Those of dots make the sum over the training samples their mean, as a mean loss does. Its
    // rounding may differ from that of evaluate, because both sets may run as one batch.
    const bool scaled = dots && !joined_sets && &copy == main_.get();
    Expression seed =
        call("fill_like", {copy.at(made), scaled ? number * share_of_sample() : number});
    if (joined_sets) seed = seed * per_sample(seed, training_shares(seed));
    if (question_.kind == Question::weighted)
      seed = seed * per_sample(seed, main_->expression(weights_));
    copy.set(model_.graph.inputs().back(), seed.id);
  }

  double share_of_sample() const { return 1 / static_cast<double>(sizes_.samples); }

  // [n + m]: the share of each training sample, and 1 for each validation sample.
  Expression training_shares(const Expression& like) const {
    const auto filled = [&](int64_t count, double number) {
      return call_in(like, "full", {Datum::ints({count}), number, Datum(like.dtype())});
    };
    return joined({filled(sizes_.samples, share_of_sample()), filled(question_.validation, 1)}, 0);
  }

  // [samples] as an operand of [samples, ...].
  static Expression per_sample(const Expression& like, const Expression& numbers) {
    Dims dims(like.dims().size(), 1);
    dims[0] = dims_of(numbers)[0];
    const Expression cast =
        numbers.dtype() == like.dtype() ? numbers : call("cast", {numbers, Datum(like.dtype())});
    return reshaped(cast, dims);
  }

  void answer(size_t i) {
    answers_->answer(i, projections_.empty() ? std::nullopt : std::optional(projections_[i]));
    choices_[i].unrolled = unrolled();
  }

  // Of all parameters side by side, in the widest of their dtypes.
  Expression projections() const {
    std::vector<Expression> parts;
    DType widest = DType::float32;
    for (const ParameterAnswer& parameter : answers_->all()) {
      parts.push_back(*parameter.answer);
      if (parts.back().dtype() == DType::float64) widest = DType::float64;
    }
    for (Expression& part : parts) {
      if (part.dtype() != widest) part = call("cast", {part, Datum(widest)});
    }
    return joined(parts, 1);
  }

  void add_outputs() {
    const std::vector<ParameterAnswer>& answers = answers_->all();
    const bool norms = question_.kind == Question::norms;
    if (question_.kind == Question::projections) {
      graph_.add_output("values", projections().id);
    } else if (answers.front().answer && question_.kind != Question::clipped) {
      for (size_t i = 0; i < model_.parameters.size(); ++i) {
        const Expression& answer = *answers[i].answer;
        graph_.add_output(model_.parameters[i].key, norms ? call("sqrt", {answer}).id : answer.id);
      }
    }
    if (norms) graph_.add_output("norms", call("sqrt", {answers_->total()}).id);
    if (question_.kind == Question::dots) graph_.add_output("dots", answers_->total().id);
    if (answers.front().gradient) {
      for (size_t i = 0; i < model_.parameters.size(); ++i) {
        graph_.add_output(model_.parameters[i].key + ".gradient", answers[i].gradient->id);
      }
    }
    if (question_.kind == Question::clipped) graph_.add_output("norms", norms_->id);
    if (question_.kind == Question::dots) {
      graph_.add_output("losses", answers_->losses(training_).id);
      graph_.add_output("validation_losses", answers_->losses(validation_).id);
    }
    for (const ValueId state : model_.next_states) {
      graph_.add_output(model_.graph.value(state).name + ".next", main_->at(state).id);
    }
  }

  // The names of nodes that were unrolled since the last call.
  std::vector<std::string> unrolled() {
    std::vector<std::string> names;
    const auto& nodes = main_materializer_->unrolled();
    for (; reported_ < nodes.size(); ++reported_) {
      const Node& node = model_.graph.node(nodes[reported_]);
      names.push_back(node.op->name + " at " + model_.graph.value(node.outputs.front()).name);
    }
    return names;
  }

  const PerSampleModel& model_;
  const PerSampleQuestion& question_;
  const PerSampleSizes& sizes_;
  const std::optional<Strategy> only_;
  Graph graph_;
  std::unique_ptr<SampleCopy> main_, other_;  // other: null if the sets are joined
  std::optional<Materializer> main_materializer_, other_materializer_;
  SampleSet training_{}, validation_{};
  std::optional<Answers> answers_;
  std::vector<PerSampleChoice> choices_;
  std::vector<std::pair<ValueId, ValueId>> projections_;
  ValueId max_norm_{}, weights_{};
  std::optional<Expression> norms_;
  size_t reported_ = 0;
};

}  // namespace

PerSampleGraph rewrite_per_sample(const PerSampleModel& model, const PerSampleQuestion& question,
                                  const PerSampleSizes& sizes, std::optional<Strategy> only) {
  return Rewriter(model, question, sizes, only).run();
}

}  // namespace mithril
