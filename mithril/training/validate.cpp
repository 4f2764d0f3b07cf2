#include "mithril/training/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/compile/finite.hpp"
#include "mithril/distributed/agree.hpp"
#include "mithril/metrics/packing.hpp"
#include "mithril/training/fit_arguments.hpp"

namespace mithril {
namespace {

using metrics::Packer;
using metrics::Unpacker;

// What one batch gives: the loss, the metrics in their order, and the rows of the evaluators.
struct BatchResult {
  std::int64_t index = 0, rows = 0;
  double loss = 0;
  std::vector<double> metrics = {};
  std::vector<std::string> packed = {};  // if processes take batches in turn
};

void append(const BatchResult& result, Packer& to) {
  to.add(result.index).add(result.rows).add(result.loss);
  to.add(std::ssize(result.metrics));
  for (const double number : result.metrics) to.add(number);
  to.add(std::ssize(result.packed));
  for (const std::string& rows : result.packed) {
    to.add(std::ssize(rows));
    for (const char byte : rows) to.add(byte);
  }
}

BatchResult take_result(Unpacker& from) {
  BatchResult result{.index = from.count(), .rows = from.count(), .loss = from.take<double>()};
  result.metrics.resize(static_cast<size_t>(from.count()));
  for (double& number : result.metrics) number = from.take<double>();
  result.packed.resize(static_cast<size_t>(from.count()));
  for (std::string& rows : result.packed) {
    rows.resize(static_cast<size_t>(from.count()));
    for (char& byte : rows) byte = from.take<char>();
  }
  return result;
}

// The results of all processes, in the order of batches.
std::vector<BatchResult> gathered(Communicator& group, const std::vector<BatchResult>& own) {
  Packer to;
  for (const BatchResult& result : own) append(result, to);
  std::vector<BatchResult> all;
  for (const std::string& bytes : all_gather_text(group, to.bytes())) {
    for (Unpacker from(bytes); !from.at_end();) all.push_back(take_result(from));
  }
  std::sort(all.begin(), all.end(),
            [](const BatchResult& a, const BatchResult& b) { return a.index < b.index; });
  return all;
}

// Inputs and outputs by key, the inputs first. An output replaces an input with its key.
TensorMap joined(const TensorMap& outputs, const TensorMap& batch) {
  TensorMap all = batch.share();
  for (const auto& [key, tensor] : outputs) all[key] = tensor;
  return all;
}

class Validation {
 public:
  Validation(const TrainingStep& step, const FitOptions& options)
      : model_(step.compiled().in_inference({.outputs = step.compiled().output_keys()})),
        state_(step.state()),
        options_(options),
        group_(step.compiled().group().get()) {
    for (const auto& [name, evaluator] : options.evaluators) evaluator->reset();
    in_turn_ = group_ && group_->size() > 1 && !model_.changes_state() &&
               std::all_of(options.evaluators.begin(), options.evaluators.end(),
                           [](const auto& item) { return item.second->packed().has_value(); });
  }

  EpochNumbers run(const TensorMap& params, Batches& batches, std::int64_t epoch) {
    std::vector<BatchResult> results = evaluated(params, batches, epoch);
    if (in_turn_) {
      results = gathered(*group_, results);
      merge(results, epoch);
    }
    return means(results, epoch);
  }

 private:
  bool is_refused(double loss) const { return !options_.allow_nan && !std::isfinite(loss); }

  // Those of this process.
  std::vector<BatchResult> evaluated(const TensorMap& params, Batches& batches,
                                     std::int64_t epoch) {
    std::vector<BatchResult> results;
    for (std::int64_t index = 0;; ++index) {
      if (in_turn_ && index % group_->size() != group_->rank()) {
        if (!batches.skip()) return results;
        continue;
      }
      const std::optional<TensorMap> batch = batches.next();
      if (!batch) return results;
      auto [outputs, next] = model_.evaluate(params, *batch, state_);
      state_ = std::move(next);
      results.push_back(
          {.index = index, .rows = count_rows(*batch), .loss = outputs.at(options_.loss).item()});
      if (is_refused(results.back().loss)) {
        if (in_turn_) return results;  // refused on all processes
        require_finite(results.back().loss, "validation loss", epoch, index + 1);
      }
      measure(outputs, *batch, results.back());
    }
  }

  void measure(const TensorMap& outputs, const TensorMap& batch, BatchResult& result) const {
    for (const auto& [name, metric] : options_.metrics)
      result.metrics.push_back(metric(outputs, batch));
    for (const auto& [name, evaluator] : options_.evaluators) {
      if (in_turn_) evaluator->reset();
      evaluator->update(joined(outputs, batch));
      if (in_turn_) result.packed.push_back(*evaluator->packed());
    }
  }

  void merge(const std::vector<BatchResult>& results, std::int64_t epoch) const {
    for (const auto& [name, evaluator] : options_.evaluators) evaluator->reset();
    for (const BatchResult& result : results) {
      if (is_refused(result.loss))
        require_finite(result.loss, "validation loss", epoch, result.index + 1);
      size_t next = 0;
      for (const auto& [name, evaluator] : options_.evaluators)
        evaluator->merge_packed(result.packed[next++]);
    }
  }

  EpochNumbers means(const std::vector<BatchResult>& results, std::int64_t epoch) const {
    EpochNumbers means;
    std::int64_t samples = 0;
    for (const BatchResult& result : results) {
      const auto rows = static_cast<double>(result.rows);
      samples += result.rows;
      means["validation_loss"] += rows * result.loss;
      size_t next = 0;
      for (const auto& [name, metric] : options_.metrics)
        means[name] += rows * result.metrics[next++];
    }
    require_rows(samples, epoch, "batches of validation");
    for (auto& [name, mean] : means) mean /= static_cast<double>(samples);
    for (const auto& [name, evaluator] : options_.evaluators) means[name] = evaluator->compute();
    return means;
  }

  const CompiledModel model_;
  State state_;
  const FitOptions& options_;
  Communicator* const group_;  // null: this process alone
  bool in_turn_ = false;       // whether the processes take the batches in turn
};

}  // namespace

void require_finite(double loss, const char* of, std::int64_t epoch, std::int64_t step) {
  if (std::isfinite(loss)) return;
  raise({.kind = ErrorKind::value,
         .code = "E0419",
         .message = fmt::format("fit: the {} is {} in epoch {}, step {}", of, finite_text(loss),
                                epoch + 1, step),
         .help = "lower the learning rate, or clip gradients with max_norm; debug of compile names "
                 "the first op that makes NaN; allow_nan continues"});
}

EpochNumbers validate(const TrainingStep& step, const TensorMap& params, const BatchSource& data,
                      const FitOptions& options, std::int64_t epoch, std::int64_t epochs_before) {
  Batches batches(data, options.batch_size, epochs_before + epoch);
  return Validation(step, options).run(params, batches, epoch);
}

}  // namespace mithril
