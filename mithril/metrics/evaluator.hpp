// The interface of evaluators, which measure a model over the batches of a data set.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mithril/tensor/tensor_map.hpp"

namespace mithril::metrics {

// The keys of a batch that an evaluator reads.
struct EvaluatedKeys {
  std::string prediction = "prediction";
  std::string target = "target";
};

// The result does not depend on how the rows are divided into batches, nor on their order. Not
// thread-safe: use an evaluator for each thread, and merge them. Example:
//   ml::metrics::Accuracy accuracy({.prediction = "logits", .target = "label"});
//   for (const ml::TensorMap& batch : batches) accuracy.update(batch);
//   const double share = accuracy.compute();
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual std::string_view name() const = 0;  // "Accuracy"
  // Adds the rows of a batch, which has predictions and targets by key. After an error the
  // evaluator is unchanged. InputError E0890 for a missing key, E0891 for dims that do not fit,
  // E0892 for elements of another kind, E0893 for a value out of range.
  virtual void update(const TensorMap& batch) = 0;
  // StateError E0930 before the first row.
  virtual double compute() const = 0;
  // Adds the rows of another evaluator of the same class with the same options. TypeError E0310.
  virtual void merge(const Evaluator& other) = 0;
  // The rows as bytes, for merge_packed in another process of the program. Nothing: the rows cannot
  // leave this process.
  virtual std::optional<std::string> packed() const { return std::nullopt; }
  // Adds the packed rows of an evaluator of the same class with the same options.
  virtual void merge_packed(std::string_view) {}
  // Forgets all rows.
  virtual void reset() = 0;
};

}  // namespace mithril::metrics

namespace mithril {

namespace evaluation = metrics;  // the old name, until 0.2

}  // namespace mithril
