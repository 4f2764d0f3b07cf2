#include "backends/torch/recording/recording.hpp"

#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>

namespace mithril::torch_backend {

// A reference to the memory, which is given back after the tensors are gone.
class Recording::Share {
 public:
  explicit Share(RecordingMemory& memory) : memory_(memory) { memory_.open(); }
  ~Share() {
    close();
    memory_.release();
  }
  void close() {
    if (is_open_) memory_.close();
    is_open_ = false;
  }

 private:
  RecordingMemory& memory_;
  bool is_open_ = true;
};

namespace {

// Ends the capture on every path.
class Capture {
 public:
  explicit Capture(RecordingDevice& device) : device_(device) { device_.begin_capture(); }
  ~Capture() {
    if (is_open_) device_.abandon_capture();
  }
  std::unique_ptr<CapturedRun> end() {
    is_open_ = false;
    return device_.end_capture();
  }

 private:
  RecordingDevice& device_;
  bool is_open_ = true;
};

bool share_elements(const at::Tensor& a, const at::Tensor& b) {
  return a.has_storage() && b.has_storage() && a.storage().is_alias_of(b.storage());
}

void copy_all(std::vector<at::Tensor> to, std::vector<at::Tensor> from) {
  if (!to.empty()) at::_foreach_copy_(to, from, /*non_blocking=*/true);
}

}  // namespace

Recording::Recording(RecordingDevice& device, RecordingMemory& memory, at::TensorList inputs,
                     RecordedPorts ports, const Run& run)
    : device_(device), ports_(std::move(ports)) {
  const std::shared_ptr<void> stream = device_.use_capture_stream();
  share_ = std::make_unique<Share>(memory);
  std::vector<at::Tensor> read;
  for (size_t i = 0; i < inputs.size(); ++i) {
    buffers_.push_back(ports_.copied[i] ? at::empty_like(inputs[i]) : at::Tensor());
    read.push_back(ports_.copied[i] ? buffers_.back() : inputs[i]);
  }
  capture(read, run);
  share_->close();
  read.clear();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const bool counted = i >= ports_.kept_from && inputs_of_[i] < 0 && rest_[i] != 0;
    rest_[i] = counted ? outputs_[i].storage().use_count() : 0;
  }
}

Recording::~Recording() {
  run_.reset();
  outputs_.clear();
  buffers_.clear();
}

void Recording::capture(std::vector<at::Tensor>& inputs, const Run& run) {
  Capture capture(device_);
  std::vector<at::Tensor> outputs = run(inputs);
  run_ = capture.end();
  keep(std::move(outputs), inputs);
}

// Keeps no reference to inputs that are not copied, so that parameters that the user replaced are
// freed.
void Recording::keep(std::vector<at::Tensor> outputs, const std::vector<at::Tensor>& inputs) {
  for (at::Tensor& output : outputs) {
    int same = -1;
    bool shares = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_read_there = ports_.copied[i] && outputs_.size() >= ports_.kept_from;
      if (output.is_same(inputs[i]) && !is_read_there) same = static_cast<int>(i);
      shares = shares || (!ports_.copied[i] && share_elements(output, inputs[i]));
    }
    inputs_of_.push_back(same);
    rest_.push_back(!shares && output.has_storage());
    outputs_.push_back(same < 0 ? std::move(output) : at::Tensor());
  }
}

bool Recording::is_held() const {
  for (size_t i = ports_.kept_from; i < outputs_.size(); ++i) {
    if (rest_[i] != 0 && outputs_[i].storage().use_count() > rest_[i]) return true;
  }
  return false;
}

std::vector<at::Tensor> Recording::replay(at::TensorList inputs) {
  device_.wait();
  std::vector<at::Tensor> to, from;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!buffers_[i].defined()) continue;
    to.push_back(buffers_[i]);
    from.push_back(inputs[i]);
  }
  copy_all(std::move(to), std::move(from));
  run_->launch();
  std::vector<at::Tensor> made = results(inputs);
  device_.finish();
  return made;
}

std::vector<at::Tensor> Recording::results(at::TensorList inputs) const {
  std::vector<at::Tensor> made, to, from;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (inputs_of_[i] >= 0) {
      const auto input = static_cast<size_t>(inputs_of_[i]);
      made.push_back(inputs[input]);
      const bool is_updated =
          std::find(ports_.updated.begin(), ports_.updated.end(), input) != ports_.updated.end();
      if (!is_updated) continue;
      // Autograd does not see what a replay writes.
      inputs[input].unsafeGetTensorImpl()->bump_version();
      if (!buffers_[input].defined()) continue;
      to.push_back(inputs[input]);
      from.push_back(buffers_[input]);
    } else if (i >= ports_.kept_from) {
      made.push_back(at::alias(outputs_[i]));
    } else {
      made.push_back(at::empty_like(outputs_[i]));
      to.push_back(made.back());
      from.push_back(outputs_[i]);
    }
  }
  copy_all(std::move(to), std::move(from));
  return made;
}

}  // namespace mithril::torch_backend
