// The batches of a training loop: rows of arrays, or what a function returns.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/compile/compiled_model.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

// Returns the batch of this index in this epoch, both from 0; nothing after the last one.
using BatchFunction =
    std::function<std::optional<TensorMap>(std::int64_t epoch, std::int64_t index)>;

// Arrays whose first axes have one length, the number of rows, or a BatchFunction.
class BatchSource {
 public:
  BatchSource(const TensorMap& arrays) : held_(arrays.share()) {}
  BatchSource(std::initializer_list<TensorMap::Item> arrays) : held_(TensorMap(arrays)) {}
  template <std::invocable<std::int64_t, std::int64_t> Function>
  BatchSource(Function function) : held_(BatchFunction(std::move(function))) {}

  const TensorMap* arrays() const { return std::get_if<TensorMap>(&held_); }  // or null
  const BatchFunction* function() const { return std::get_if<BatchFunction>(&held_); }

 private:
  std::variant<TensorMap, BatchFunction> held_;
};

// The row numbers below `count` in an order that the seed and the epoch determine.
std::vector<std::int64_t> shuffled_rows(std::int64_t count, std::uint64_t seed, std::int64_t epoch);

// The number of rows of a batch: the first dim of its first tensor; 1 for a scalar.
std::int64_t count_rows(const TensorMap& batch);

// The rows of a batch that a process of the model's group computes: of B rows process r of n has
// those from B r / n (rounded down) up to B (r + 1) / n. Inputs without rows are whole
// (CompiledModel::replicated_keys), and so is the batch of a model without a group. Copies the
// rows.
TensorMap rows_of_process(const CompiledModel& model, const TensorMap& batch);

// The batches of one epoch; `next` returns nothing after the last one. With a seed the rows of
// arrays are shuffled. The source outlives it.
class Batches {
 public:
  Batches(const BatchSource& source, std::int64_t batch_size, std::int64_t epoch,
          std::optional<std::uint64_t> seed = {});
  std::optional<TensorMap> next();
  // Passes a batch without making it where that is possible; false after the last one.
  bool skip();

 private:
  std::size_t rows_of_next() const;

  const BatchSource& source_;
  std::int64_t epoch_, index_ = 0;
  std::size_t batch_size_, first_ = 0;
  std::vector<std::int64_t> rows_;
};

// InputError E0840 "fit: the arrays of '<name>' differ in length".
void check_lengths(const char* name, const BatchSource& source);

}  // namespace mithril
