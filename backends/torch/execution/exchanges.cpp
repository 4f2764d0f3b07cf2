#include "backends/torch/execution/exchanges.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <map>
#include <utility>

#include "backends/torch/device/dtypes.hpp"
#include "backends/torch/device/tensor_communicator.hpp"
#include "mithril/base/error.hpp"
#include "mithril/distributed/errors.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::torch_backend {
namespace {

constexpr int64_t alignment = 64;  // bytes: tensors of a bucket begin where vectors do

// Tensors of one dtype side by side.
struct Packed {
  at::Tensor bucket;
  std::vector<int64_t> offsets;  // per tensor, in elements
};

Packed pack(const std::vector<at::Tensor>& tensors) {
  const at::Tensor& first = tensors.front();
  const int64_t unit = alignment / static_cast<int64_t>(first.element_size());
  const at::Tensor zeros = at::zeros({unit}, first.options());
  Packed packed;
  std::vector<at::Tensor> parts;
  int64_t end = 0;
  for (const at::Tensor& tensor : tensors) {
    packed.offsets.push_back(end);
    parts.push_back(tensor.reshape({-1}));
    const int64_t space = (unit - tensor.numel() % unit) % unit;
    if (space > 0) parts.push_back(zeros.narrow(0, 0, space));
    end += tensor.numel() + space;
  }
  packed.bucket = at::cat(parts);
  return packed;
}

std::unique_ptr<PendingCollective> start_all_reduce(Communicator& group, const at::Tensor& tensor,
                                                    at::Tensor& on_host, Reduction reduction) {
  auto* const of_torch = dynamic_cast<TensorCommunicator*>(&group);
  if (of_torch && !tensor.is_cpu() && of_torch->reaches(tensor.device().type()))
    return of_torch->start_all_reduce(tensor, reduction);
  if (!tensor.is_cpu()) on_host = tensor.cpu();
  const at::Tensor& exchanged = on_host.defined() ? on_host : tensor;
  return group.start_all_reduce(exchanged.mutable_data_ptr(), *dtype_of(tensor.scalar_type()),
                                tensor.numel(), reduction);
}

}  // namespace

void Exchanges::run(ExchangePart part, const PlannedNode& node, const std::string& path,
                    Registers& registers) {
  if (part == ExchangePart::start) start(node, path, registers);
  if (part == ExchangePart::wait) wait(node, registers);
}

void Exchanges::start(const PlannedNode& start, const std::string& path, Registers& registers) {
  const SpellingContext arguments(*start.op, start.values, {}, start.output_dims);
  const std::shared_ptr<Communicator> group =
      with_path_of_collective(path, [&] { return communicator(arguments.value("group").text()); });
  const Reduction reduction = parse_reduction(arguments.value("reduction").text());
  std::map<c10::ScalarType, std::vector<size_t>> by_dtype;
  for (size_t i = 0; i < start.outputs.size(); ++i) {
    const at::Tensor& tensor = registers[static_cast<size_t>(start.tensors[i])].toTensor();
    by_dtype[tensor.scalar_type()].push_back(i);
  }
  started_.push_back({start.outputs, path, {}});
  for (const auto& [type, items] : by_dtype) {
    std::vector<at::Tensor> tensors;
    for (const size_t i : items)
      tensors.push_back(registers[static_cast<size_t>(start.tensors[i])].toTensor());
    const Packed packed = pack(tensors);
    for (size_t k = 0; k < items.size(); ++k) {
      registers[index(start.outputs[items[k]])] =
          packed.bucket.narrow(0, packed.offsets[k], tensors[k].numel()).view(tensors[k].sizes());
    }
    storages_.insert(packed.bucket.storage().unsafeGetStorageImpl());
    if (packed.bucket.numel() == 0) continue;
    Bucket bucket{.tensor = packed.bucket};
    with_path_of_collective(path, [&] {
      bucket.pending = start_all_reduce(*group, bucket.tensor, bucket.on_host, reduction);
    });
    started_.back().buckets.push_back(std::move(bucket));
  }
}

void Exchanges::finish(Started& started) {
  for (Bucket& bucket : started.buckets) {
    with_path_of_collective(started.path, [&] { bucket.pending->wait(); });
    if (bucket.on_host.defined()) bucket.tensor.copy_(bucket.on_host);
  }
}

void Exchanges::wait(const PlannedNode& wait, Registers& registers) {
  for (size_t i = 0; i < wait.outputs.size(); ++i) {
    const auto read = static_cast<ValueId>(wait.tensors[i]);
    const auto is_it = [&](const Started& started) {
      return std::find(started.outputs.begin(), started.outputs.end(), read) !=
             started.outputs.end();
    };
    const auto at = std::find_if(started_.begin(), started_.end(), is_it);
    if (at != started_.end()) {
      Started ending = std::move(*at);
      started_.erase(at);
      finish(ending);
    }
    registers[index(wait.outputs[i])] = registers[index(read)];
  }
}

void Exchanges::finish() {
  for (Started& started : std::exchange(started_, {})) finish(started);
}

void Exchanges::copy_views(std::vector<at::Tensor>& outputs) const {
  for (at::Tensor& output : outputs) {
    if (!output.has_storage()) continue;
    const c10::Storage& storage = output.storage();
    if (storages_.contains(storage.unsafeGetStorageImpl()) && output.nbytes() < storage.nbytes())
      output = output.clone();
  }
}

}  // namespace mithril::torch_backend
