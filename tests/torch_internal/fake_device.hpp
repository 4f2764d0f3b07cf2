// Records and replays without a GPU. It logs each call, and fails on request.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <functional>
#include <string>
#include <vector>

#include "backends/torch/device/recording_device.hpp"

namespace mithril::tests {

class FakeDevice;

class FakeMemory final : public torch_backend::RecordingMemory {
 public:
  explicit FakeMemory(FakeDevice& device) : device_(device) {}
  void open() override;
  void close() noexcept override;
  void release() noexcept override;
  void trim() noexcept override;
  std::int64_t bytes() const override;

 private:
  FakeDevice& device_;
  bool opened_ = false;
};

class FakeDevice final : public torch_backend::RecordingDevice {
 public:
  bool is_captured() const override { return captured_by_user; }
  void wait() override { log.emplace_back("wait"); }
  void finish() override { log.emplace_back("finish"); }
  std::shared_ptr<void> use_capture_stream() override {
    log.emplace_back("aside");
    return {static_cast<void*>(this), [this](void*) { log.emplace_back("back"); }};
  }
  std::unique_ptr<torch_backend::RecordingMemory> make_memory() override {
    return std::make_unique<FakeMemory>(*this);
  }
  void begin_capture() override {
    fail_at("begin");
    is_capturing = true;
  }
  std::unique_ptr<torch_backend::CapturedRun> end_capture() override {
    is_capturing = false;
    fail_at("end");
    return std::make_unique<FakeRun>(*this, std::exchange(relaunch, nullptr));
  }
  void abandon_capture() noexcept override {
    is_capturing = false;
    log.emplace_back("abandon");
  }

  void fail_at(const std::string& call) {
    log.push_back(call);
    TORCH_CHECK(failing != call, "no ", call, " today\nand a second line");
  }

  std::vector<std::string> log;
  std::string failing;
  bool captured_by_user = false, is_capturing = false;
  std::function<void()> relaunch;  // what the current capture holds
  int references = 0;
  std::int64_t bytes = 0, bytes_per_open = 100;

 private:
  class FakeRun final : public torch_backend::CapturedRun {
   public:
    FakeRun(FakeDevice& device, std::function<void()> run)
        : device_(device), run_(std::move(run)) {}
    void launch() override {
      device_.fail_at("launch");
      run_();
    }

   private:
    FakeDevice& device_;
    const std::function<void()> run_;
  };
};

inline void FakeMemory::open() {
  device_.fail_at("open");
  // The allocator of torch asserts the same.
  TORCH_CHECK(!opened_ || device_.references > 0, "the memory is opened again without references");
  opened_ = true;
  ++device_.references;
  device_.bytes += device_.bytes_per_open;
}
inline void FakeMemory::close() noexcept { device_.log.emplace_back("close"); }
inline void FakeMemory::release() noexcept {
  --device_.references;
  device_.log.emplace_back("release");
}
inline void FakeMemory::trim() noexcept {
  device_.log.emplace_back("trim");
  if (device_.references == 0) device_.bytes = 0;
}
inline std::int64_t FakeMemory::bytes() const { return device_.bytes; }

}  // namespace mithril::tests
