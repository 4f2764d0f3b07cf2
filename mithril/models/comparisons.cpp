#include "mithril/models/comparisons.hpp"

#include <limits>

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

Model build_huber_loss(const CheckedArguments& arguments) {
  const double delta = arguments.real("delta");
  if (!(delta > 0)) arguments.reject("delta", "above 0");
  Model model = model_of_class("HuberLoss");
  const Connection input = model["input"], target = model["target"];
  const Connection size = apply("absolute_error", {widened(input), widened(target)});
  const Connection line = (size - delta / 2) * delta;
  const Connection loss = apply("where", {size <= delta, size * size * 0.5, line});
  return finished(model, narrowed(loss, {input, target}));
}

Model build_smooth_l1_loss(const CheckedArguments& arguments) {
  const double beta = arguments.real("beta");
  if (!(beta >= 0)) arguments.reject("beta", "at least 0");
  Model model = model_of_class("SmoothL1Loss");
  const Connection input = model["input"], target = model["target"];
  if (beta == 0) return finished(model, apply("absolute_error", {input, target}));
  const Connection size = apply("absolute_error", {widened(input), widened(target)});
  const Connection parabola = size * size * (0.5 / beta);
  const Connection loss = apply("where", {size < beta, parabola, size - beta / 2});
  return finished(model, narrowed(loss, {input, target}));
}

Model build_cosine_similarity(const CheckedArguments& arguments) {
  const double eps = arguments.real("eps");
  if (!(eps >= 0)) arguments.reject("eps", "at least 0");
  const int64_t axis = arguments.integer("axis");
  Model model = model_of_class("CosineSimilarity");
  const std::vector<Connection> given{model["left"], model["right"]};
  const Connection left = widened(given[0]), right = widened(given[1]);
  const auto norm = [&](const Connection& x) {
    return apply("maximum", {(x * x).sum(axis), eps * eps}).sqrt();
  };
  const Connection cosine = (left * right).sum(axis) / (norm(left) * norm(right));
  model.expose_keys({{"output", narrowed(cosine, given)}});
  return model.set_cin({"left"}).set_cout({"output"});
}

// The largest element is taken off first. Where it is infinite, nothing is.
Model build_log_sum_exp(const CheckedArguments& arguments) {
  const Datum& axis = arguments["axis"];
  const bool keepdim = arguments.flag("keepdim");
  Model model = model_of_class("LogSumExp");
  const Connection given = model["input"], input = widened(given);
  const auto offset = [&](bool keep) {
    const Connection top = apply("stop_gradient", {input.max(axis, keep)});
    return apply("where", {top.abs() < std::numeric_limits<double>::infinity(), top, 0.0});
  };
  const Connection sum = (input - offset(true)).exp().sum(axis, keepdim);
  return finished(model, narrowed(apply("log", {sum}) + offset(keepdim), {given}));
}

}  // namespace

Model HuberLoss(HuberLossOptions options) {
  return make_model("HuberLoss", {{"delta", options.delta}});
}
Model SmoothL1Loss(SmoothL1LossOptions options) {
  return make_model("SmoothL1Loss", {{"beta", options.beta}});
}
Model CosineSimilarity(CosineSimilarityOptions options) {
  return make_model("CosineSimilarity", {{"axis", options.axis}, {"eps", options.eps}});
}
Model LogSumExp(const LogSumExpOptions& options) {
  return make_model("LogSumExp", {{"axis", options.axis}, {"keepdim", options.keepdim}});
}

ModelDef define_huber_loss();
ModelDef define_huber_loss() {
  return {.name = "HuberLoss",
          .doc =
              "With e = |input - target|: e**2 / 2 if e is at most delta, otherwise delta * (e - "
              "delta / 2).",
          .ports = {{"input", "[...]"}, {"target", "[...]"}, {"output", "[...]"}},
          .arguments = {{"delta", "int|float", Datum(1.0), "where the parabola becomes a line"}},
          .objective = true,
          .build = build_huber_loss};
}

ModelDef define_smooth_l1_loss();
ModelDef define_smooth_l1_loss() {
  return {.name = "SmoothL1Loss",
          .doc =
              "With e = |input - target|: e**2 / (2 * beta) if e is below beta, otherwise e - beta "
              "/ 2.",
          .ports = {{"input", "[...]"}, {"target", "[...]"}, {"output", "[...]"}},
          .arguments = {{"beta", "int|float", Datum(1.0),
                         "where the parabola becomes a line; 0: a line everywhere"}},
          .objective = true,
          .build = build_smooth_l1_loss};
}

ModelDef define_cosine_similarity();
ModelDef define_cosine_similarity() {
  return {.name = "CosineSimilarity",
          .doc = "sum(left * right) / (|left| * |right|) along an axis.",
          .ports = {{"left", "[...]"}, {"right", "[...]"}, {"output", "[...] without the axis"}},
          .arguments = {{"axis", "int", 1, "may be negative"},
                        {"eps", "float", 1e-8, "lower bound of each norm"}},
          .build = build_cosine_similarity};
}

ModelDef define_log_sum_exp();
ModelDef define_log_sum_exp() {
  return {.name = "LogSumExp",
          .doc = "log(sum(exp(input))) over one axis or several, without overflow.",
          .ports = {{"input", "[...]"}, {"output", "[...] without the axis"}},
          .arguments = {{"axis", "int|tuple", -1, "an int, or a tuple of axes"},
                        {"keepdim", "bool", false, "keep reduced axes with a size of 1"}},
          .build = build_log_sum_exp};
}

}  // namespace mithril
