// The checks of the arguments of `fit`.
#pragma once

#include "mithril/training/fit_options.hpp"

namespace mithril {

// The errors of `fit` for its arguments.
void check_fit_arguments(const CompiledModel& model, const BatchSource& data,
                         const FitOptions& options);

// The data with sample_weight and without the rows of validation_split, and the validation if there
// is one.
struct FitData {
  BatchSource training;
  std::optional<BatchSource> validation;
};
FitData split_for_fit(const BatchSource& data, const FitOptions& options);

// InputError E0841 for an epoch without rows of "batches" or of "batches of validation".
void require_rows(std::int64_t rows, std::int64_t epoch, const char* what);

}  // namespace mithril
