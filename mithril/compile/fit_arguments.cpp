#include "mithril/compile/fit_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"

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

}  // namespace

void check_fit_arguments(const CompiledModel& model, const BatchSource& data,
                         const FitOptions& options) {
  check_lengths("data", data);
  if (options.validation) check_lengths("validation", *options.validation);
  require_at_least(0, "epochs", options.epochs);
  require_at_least(1, "batch_size", options.batch_size);
  require_at_least(1, "patience", options.patience.value_or(1));
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
  if ((options.metrics.empty() && options.evaluators.empty()) || options.validation) return;
  raise({.kind = ErrorKind::input,
         .code = "E0843",
         .message = "fit: metrics are measured in validation, and there is none",
         .help = "set .validation"});
}

void require_rows(std::int64_t rows, std::int64_t epoch, const char* what) {
  if (rows > 0) return;
  raise({.kind = ErrorKind::input,
         .code = "E0841",
         .message = fmt::format("fit: there are no {} in epoch {}", what, epoch + 1),
         .help = "a function returns batches from index 0 on in each epoch"});
}

}  // namespace mithril
