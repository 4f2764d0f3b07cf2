// The interface of devices for recordings: implemented with CUDA in cuda/, and by tests without a
// GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

namespace mithril::torch_backend {

// A captured run. Destroying it neither waits for the device nor throws.
class CapturedRun {
 public:
  virtual ~CapturedRun() = default;
  virtual void launch() = 0;  // on the current stream
};

// Memory of captured runs, apart from torch's cache. Runs in it never overlap in time, so that
// they share their intermediate results.
class RecordingMemory {
 public:
  virtual ~RecordingMemory() = default;
  // Allocations on the capture stream come from this memory until `close`. Each successful `open`
  // takes a reference, which `release` gives back.
  virtual void open() = 0;
  virtual void close() noexcept = 0;
  virtual void release() noexcept = 0;
  // Frees what nothing uses. Called without references.
  virtual void trim() noexcept = 0;
  virtual std::int64_t bytes() const = 0;  // of the device, in use or not
};

// One per device in a process. All calls but `is_captured` need the mutex.
class RecordingDevice {
 public:
  virtual ~RecordingDevice() = default;
  // Whether somebody else captures the current stream.
  virtual bool is_captured() const = 0;
  // The current stream waits for the last `finish`, which all recordings of the device share: a
  // replay begins after the previous one, whatever their streams.
  virtual void wait() = 0;
  virtual void finish() = 0;
  // The capture stream is the current one during the lifetime of the result. Libraries have
  // allocated their workspaces for it.
  virtual std::shared_ptr<void> use_capture_stream() = 0;
  virtual std::unique_ptr<RecordingMemory> make_memory() = 0;
  virtual void begin_capture() = 0;
  // Ends the capture in any case, and throws if it was invalidated.
  virtual std::unique_ptr<CapturedRun> end_capture() = 0;
  virtual void abandon_capture() noexcept = 0;

  // Recursive: freeing Python objects while an operator runs may destroy another recording.
  std::recursive_mutex mutex;
};

}  // namespace mithril::torch_backend
