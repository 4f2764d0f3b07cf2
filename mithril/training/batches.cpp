#include "mithril/training/batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <string>

#include "mithril/base/error.hpp"
#include "mithril/base/random.hpp"
#include "mithril/distributed/communicator.hpp"

namespace mithril {
namespace {

Tensor chosen_rows(const Tensor& tensor, std::span<const std::int64_t> rows) {
  Dims dims = tensor.dims();
  dims[0] = std::ssize(rows);
  Tensor chosen = Tensor::empty(tensor.dtype(), dims);
  const Tensor host = tensor.host();
  if (chosen.bytes() == 0) return chosen;
  const size_t bytes = chosen.bytes() / rows.size();
  const auto* from = static_cast<const std::byte*>(host.raw_data());
  auto* to = static_cast<std::byte*>(chosen.mutable_raw_data());
  for (const std::int64_t row : rows) {
    std::memcpy(to, from + static_cast<size_t>(row) * bytes, bytes);
    to += bytes;
  }
  return chosen;
}

}  // namespace

std::vector<std::int64_t> shuffled_rows(std::int64_t count, std::uint64_t seed,
                                        std::int64_t epoch) {
  std::vector<std::int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  Random random(seed, std::to_string(epoch));
  for (size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.next() % i]);
  return rows;
}

std::int64_t count_rows(const TensorMap& batch) {
  const bool has_rows = !batch.empty() && batch.begin()->tensor().rank() > 0;
  return has_rows ? batch.begin()->tensor().dims()[0] : 1;
}

TensorMap rows_of_process(const CompiledModel& model, const TensorMap& batch) {
  const Communicator* group = model.data_group().get();
  if (!group || group->size() == 1) return batch.share();
  const std::vector<std::string> whole = model.replicated_keys();
  TensorMap part;
  for (const auto& [key, tensor] : batch) {
    if (tensor.rank() == 0 || std::find(whole.begin(), whole.end(), key) != whole.end()) {
      part[key] = tensor;
      continue;
    }
    const std::int64_t count = tensor.dims()[0], rank = group->rank(), size = group->size();
    std::vector<std::int64_t> rows(
        static_cast<size_t>(count * (rank + 1) / size - count * rank / size));
    std::iota(rows.begin(), rows.end(), count * rank / size);
    part[key] = chosen_rows(tensor, rows);
  }
  return part;
}

Batches::Batches(const BatchSource& source, std::int64_t batch_size, std::int64_t epoch,
                 std::optional<std::uint64_t> seed)
    : source_(source), epoch_(epoch), batch_size_(static_cast<size_t>(batch_size)) {
  if (!source.arrays()) return;
  const std::int64_t count = count_rows(*source.arrays());
  if (seed) {
    rows_ = shuffled_rows(count, *seed, epoch);
  } else {
    rows_.resize(static_cast<size_t>(count));
    std::iota(rows_.begin(), rows_.end(), 0);
  }
}

std::optional<TensorMap> Batches::next() {
  if (source_.function()) return (*source_.function())(epoch_, index_++);
  const size_t count = rows_of_next();
  if (count == 0) return std::nullopt;
  TensorMap batch;
  for (const auto& [key, tensor] : *source_.arrays())
    batch[key] = chosen_rows(tensor, std::span(rows_).subspan(first_, count));
  first_ += count;
  return batch;
}

bool Batches::skip() {
  if (source_.function()) return next().has_value();
  const size_t count = rows_of_next();
  first_ += count;
  return count > 0;
}

size_t Batches::rows_of_next() const { return std::min(batch_size_, rows_.size() - first_); }

void check_lengths(const char* name, const BatchSource& source) {
  if (!source.arrays()) return;
  std::vector<Fact> facts;
  for (const auto& [key, tensor] : *source.arrays()) {
    facts.push_back(
        {.label = key, .text = tensor.rank() > 0 ? std::to_string(tensor.dims()[0]) : "scalar"});
  }
  const auto fits = [&](const Fact& fact) {
    return fact.text == facts.front().text && fact.text != "scalar";
  };
  if (!facts.empty() && std::all_of(facts.begin(), facts.end(), fits)) return;
  raise({.kind = ErrorKind::input,
         .code = "E0840",
         .message = fmt::format("fit: the arrays of '{}' differ in length", name),
         .facts = std::move(facts)});
}

}  // namespace mithril
