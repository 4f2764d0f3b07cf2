// Runs of a program on a GPU that are recorded once and replayed, which saves the CPU time of each
// op.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mithril::torch_backend {

using Run = std::function<std::vector<at::Tensor>(at::TensorList inputs)>;

// The record of one run, for inputs of the same sizes. One thread at a time.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual std::vector<at::Tensor> replay(at::TensorList inputs) = 0;
};

// Runs and records. The caller owns the result. Rethrows errors of the run if something in it
// cannot be recorded.
using Record = Recording* (*)(at::TensorList inputs, const Run& run);

// From libmithril_torch_cuda.so; null if that library was not built, as without the headers of
// CUDA.
Record cuda_record();

// The recording of a program. It is made in the second run, because sizes that occur once do not
// pay off. Any number of threads may run it.
class Recorder {
 public:
  explicit Recorder(Record record) : record_(record) {}
  std::vector<at::Tensor> run(at::TensorList inputs, const Run& plain);
  // Why nothing is recorded; empty: it is recorded, or recording was not tried yet.
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
