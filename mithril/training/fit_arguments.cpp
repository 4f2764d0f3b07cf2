#include "mithril/training/fit_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/tensor/functions.hpp"

namespace mithril {
namespace {

void require_at_least(std::int64_t least, const char* option, std::int64_t got) {
  if (got >= least) return;
  raise({.kind = ErrorKind::value,
         .code = "E0416",
         .message = fmt::format("fit: {} is {}, expected at least {}", option, got, least)});
}

void require_known(const char* what, const std::string& name,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  unknown_name(ErrorKind::name, "E0606", what, name, "", known);
}

[[noreturn]] void refuse_split(double split, const std::string& why) {
  raise({.kind = ErrorKind::value,
         .code = "E0416",
         .message = fmt::format("fit: validation_split is {}, {}", split, why)});
}

// The number of rows that become the validation.
std::int64_t split_rows(std::int64_t rows, double split) {
  return static_cast<std::int64_t>(std::floor(static_cast<double>(rows) * split + 0.5));
}

void check_split(const BatchSource& data, const FitOptions& options) {
  const double split = options.validation_split;
  if (split == 0) return;
  if (!(split > 0 && split < 1)) refuse_split(split, "expected at least 0 and below 1");
  if (options.validation) refuse_split(split, "and there is validation, too");
  if (!data.arrays())
    refuse_split(split, "but data is not a map of arrays: give validation instead");
  const std::int64_t rows = count_rows(*data.arrays()), held = split_rows(rows, split);
  if (held == 0 || held == rows)
    refuse_split(split, fmt::format("which leaves one part of {} rows empty", rows));
}

bool has_validation(const FitOptions& options) {
  return options.validation || options.validation_split > 0;
}

void check_monitor(const FitOptions& options) {
  if (options.monitor.empty()) return;
  std::vector<std::string> known{"loss"};
  if (has_validation(options)) known.push_back("validation_loss");
  for (const auto& [name, metric] : options.metrics) known.push_back(name);
  for (const auto& [name, evaluator] : options.evaluators) known.push_back(name);
  require_known("number to monitor", options.monitor, known);
}

BatchSource shared_source(const BatchSource& source) {
  return source.arrays() ? BatchSource(*source.arrays()) : BatchSource(*source.function());
}

constexpr const char* weight_key = "sample_weight";

[[noreturn]] void refuse_weights(const std::string& why, std::string help) {
  raise({.kind = ErrorKind::value,
         .code = "E0416",
         .message = "fit: sample_weight is given, " + why,
         .help = std::move(help)});
}

void check_sample_weights(const CompiledModel& model, const BatchSource& data,
                          const FitOptions& options) {
  if (!options.sample_weight) return;
  const std::vector<std::string> keys = model.data_keys();
  if (std::find(keys.begin(), keys.end(), weight_key) == keys.end()) {
    refuse_weights("and the model has no input 'sample_weight'",
                   "give add_loss this name as its sample_weight");
  }
  if (!data.arrays() || data.arrays()->find(weight_key))
    refuse_weights("but data is not a map of arrays, or has weights already",
                   "put the weights into the batches");
}

// The arrays with their weights; other sources have them.
BatchSource with_weights(const BatchSource& source, const std::optional<Tensor>& weights) {
  if (!weights || !source.arrays() || source.arrays()->find(weight_key))
    return shared_source(source);
  TensorMap arrays = source.arrays()->share();
  arrays[weight_key] = *weights;
  return arrays;
}

std::optional<Tensor> ones_for(const BatchSource& validation, const FitOptions& options) {
  if (!options.sample_weight || !validation.arrays()) return {};
  return Tensor::full(DType::float32, {count_rows(*validation.arrays())}, 1);
}

TensorMap rows_between(const TensorMap& arrays, std::int64_t begin, std::int64_t end) {
  std::vector<TensorMap::Item> items;
  for (const auto& [key, tensor] : arrays) items.emplace_back(key, slice(tensor, 0, begin, end));
  return TensorMap(std::move(items));
}

}  // namespace

FitData split_for_fit(const BatchSource& given, const FitOptions& options) {
  const BatchSource data = with_weights(given, options.sample_weight);
  check_lengths("data", data);
  if (options.validation_split == 0) {
    FitData whole{shared_source(data), {}};
    if (const auto& validation = options.validation)
      whole.validation = with_weights(*validation, ones_for(*validation, options));
    return whole;
  }
  const std::int64_t rows = count_rows(*data.arrays());
  const std::int64_t end = rows - split_rows(rows, options.validation_split);
  return {rows_between(*data.arrays(), 0, end), rows_between(*data.arrays(), end, rows)};
}

void check_fit_arguments(const CompiledModel& model, const BatchSource& data,
                         const FitOptions& options) {
  check_lengths("data", data);
  if (options.validation) check_lengths("validation", *options.validation);
  require_at_least(0, "epochs", options.epochs);
  require_at_least(1, "batch_size", options.batch_size);
  require_at_least(1, "patience", options.patience.value_or(1));
  check_split(data, options);
  check_sample_weights(model, data, options);
  check_monitor(options);
  require_known("output", options.loss, model.output_keys());
  if (!options.tokens.empty()) require_known("input", options.tokens, model.input_keys());
  for (const char* name :
       {"loss", "lr", "samples_per_second", "tokens_per_second", "validation_loss"}) {
    if (!options.metrics.contains(name) && !options.evaluators.contains(name)) continue;
    raise({.kind = ErrorKind::value,
           .code = "E0416",
           .message =
               fmt::format("fit: a metric is '{}', expected a name that fit does not use", name)});
  }
  for (const auto& [name, evaluator] : options.evaluators) {
    if (evaluator && !options.metrics.contains(name)) continue;
    raise({.kind = ErrorKind::value,
           .code = "E0416",
           .message = fmt::format("fit: the evaluator '{}' is {}", name,
                                  evaluator ? "a metric, too" : "null")});
  }
  if ((options.metrics.empty() && options.evaluators.empty()) || has_validation(options)) return;
  raise({.kind = ErrorKind::input,
         .code = "E0843",
         .message = "fit: metrics are measured in validation, and there is none",
         .help = "set .validation or .validation_split"});
}

void require_rows(std::int64_t rows, std::int64_t epoch, const char* what) {
  if (rows > 0) return;
  raise({.kind = ErrorKind::input,
         .code = "E0841",
         .message = fmt::format("fit: there are no {} in epoch {}", what, epoch + 1),
         .help = "a function returns batches from index 0 on in each epoch"});
}

}  // namespace mithril
