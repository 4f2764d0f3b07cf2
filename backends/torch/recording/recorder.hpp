// The recordings of a backend: which programs have one, and how much memory they take.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "backends/torch/recording/recording.hpp"
#include "backends/torch/recording/replay_policy.hpp"
#include "mithril/backend/meter.hpp"

namespace mithril::torch_backend {

// All recordings of a backend, in one memory that counts for its meter. If they need more than the
// meter's limit, all are dropped, and the last one is not made again. The least recently used one
// is dropped beyond a number.
class Recordings {
 public:
  Recordings(RecordingDevice& device, std::string device_name, std::shared_ptr<Meter> meter,
             std::size_t most = 64);
  ~Recordings();
  Recordings(const Recordings&) = delete;
  Recordings& operator=(const Recordings&) = delete;

  RecordingDevice& device() { return device_; }
  std::size_t size();

 private:
  friend class Recorder;
  struct Slot;
  using SlotRef = std::shared_ptr<Slot>;

  void record(const SlotRef& slot, at::TensorList inputs, RecordedPorts ports, const Run& plain);
  void touch(const SlotRef& slot);
  void sweep();
  void drop(Slot& slot);
  bool count();  // false: they exceed the limit

  RecordingDevice& device_;
  const std::string device_name_;
  const std::shared_ptr<Meter> meter_;
  const std::size_t most_;
  // The mutex of the device guards the members below.
  std::unique_ptr<RecordingMemory> memory_;  // null before the first recording
  std::vector<SlotRef> slots_;               // with a recording; the most recently used last
  std::int64_t counted_ = 0;
};

// Numbers of a graph's programs. Thread-safe.
struct RecordingCounts {
  std::atomic<std::int64_t> recorded{0}, replayed{0};
};

// The recording of one program. Any number of threads may run it.
class Recorder {
 public:
  // `saved`: as in ReplayPolicy. `kept_from`, `updated`: as in RecordedPorts.
  Recorder(std::shared_ptr<Recordings> all, std::shared_ptr<RecordingCounts> counts,
           std::size_t saved, std::size_t kept_from, std::vector<std::size_t> updated = {});
  // Does not wait for another thread's run: the recording may then be dropped later.
  ~Recorder();

  // Within a capture by someone else the run is plain.
  std::vector<at::Tensor> run(at::TensorList inputs, const Run& plain);
  // Why nothing is recorded; empty: it is recorded, or recording was not tried yet.
  std::string refusal() const;

 private:
  const std::shared_ptr<Recordings> all_;
  const std::shared_ptr<RecordingCounts> counts_;
  const std::size_t saved_, kept_from_;
  const std::vector<std::size_t> updated_;
  const std::shared_ptr<Recordings::Slot> slot_;
};

}  // namespace mithril::torch_backend
