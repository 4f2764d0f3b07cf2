// Runs of a program on a GPU recorded once and replayed, without the CPU's time for each op.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mithril::torch_backend {

using Run = std::function<std::vector<at::Tensor>(at::TensorList inputs)>;

// What one run did, for inputs of the same sizes. One thread at a time.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual std::vector<at::Tensor> replay(at::TensorList inputs) = 0;
};

// Runs and records, for the caller to own; throws what the run does where something in it cannot be
// recorded.
using Record = Recording* (*)(at::TensorList inputs, const Run& run);

// From libmithril_torch_cuda.so; null where that was not built, as without the headers of CUDA.
Record cuda_record();

// A program's recording, made in its second run: sizes that come once are not worth one. Any number
// of threads may run it.
class Recorder {
 public:
  explicit Recorder(Record record) : record_(record) {}
  std::vector<at::Tensor> run(at::TensorList inputs, const Run& plain);
  // Why nothing is recorded; empty: it is, or nobody has tried.
  std::string refusal() const;

 private:
  void record(at::TensorList inputs, const Run& plain);

  const Record record_;
  mutable std::mutex mutex_;
  int runs_ = 0;
  std::unique_ptr<Recording> recording_;
  std::string refusal_;
};

}  // namespace mithril::torch_backend
