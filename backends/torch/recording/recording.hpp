// A run of a program that was captured once and is replayed, which saves the CPU time of each op.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backends/torch/device/recording_device.hpp"

namespace mithril::torch_backend {

using Run = std::function<std::vector<at::Tensor>(at::TensorList inputs)>;

// Which inputs and outputs of a recorded program are copied.
struct RecordedPorts {
  std::vector<bool> copied;  // per input: it moves between runs; the others stay at their address
  // The outputs from here on are handed out where they are, for the backward half; those before
  // are the user's, and copied.
  std::size_t kept_from = 0;
  std::vector<std::size_t> updated = {};  // inputs that the run writes to, and returns
};

// The captured run owns its buffers, in memory that it shares with other recordings. The mutex of
// the device is held during each call, the destructor included.
class Recording {
 public:
  // Captures `run`, which does not execute. Rethrows its errors and those of the device, after
  // which the stream, the memory and the device are as before.
  Recording(RecordingDevice& device, RecordingMemory& memory, at::TensorList inputs,
            RecordedPorts ports, const Run& run);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  std::vector<at::Tensor> replay(at::TensorList inputs);
  // Whether someone holds outputs that the previous replay handed out where they are.
  bool is_held() const;

 private:
  class Share;
  void capture(std::vector<at::Tensor>& inputs, const Run& run);
  void keep(std::vector<at::Tensor> outputs, const std::vector<at::Tensor>& inputs);
  std::vector<at::Tensor> results(at::TensorList inputs) const;

  RecordingDevice& device_;
  const RecordedPorts ports_;
  std::unique_ptr<Share> share_;     // outlives the tensors
  std::vector<at::Tensor> buffers_;  // per input; undefined if it is not copied
  std::vector<at::Tensor> outputs_;  // undefined if it is an input
  std::vector<int> inputs_of_;       // per output: that input, or -1
  std::vector<std::size_t> rest_;    // per output: references while nobody holds it; 0: not counted
  std::unique_ptr<CapturedRun> run_;
};

}  // namespace mithril::torch_backend
