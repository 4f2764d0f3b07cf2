// A backend whose evaluations wait or fail when a test wants it.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "mithril/backend/backend.hpp"
#include "tests/engine/served_models.hpp"

namespace mithril::tests {

// Stops evaluations until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    thread_ = std::this_thread::get_id();
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    if (std::exchange(fails_, false)) throw std::runtime_error("no error of Mithril");
  }
  void close() { set(false); }
  void open() { set(true); }
  void fail_next() {
    const std::lock_guard lock(mutex_);
    fails_ = true;
  }
  void wait_for(int arrived) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= arrived; });
  }
  std::thread::id thread() {
    const std::lock_guard lock(mutex_);
    return thread_;
  }

 private:
  void set(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    arrived_ = 0;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  bool fails_ = false;      // the next evaluation, with an exception that is not an Error
  int arrived_ = 0;         // since it was opened or closed
  std::thread::id thread_;  // of the last evaluation
};

inline Gate gate;

// The CPU backend, whose evaluations call a function first: by default they pass the gate.
class GatedBackend final : public Backend {
 public:
  explicit GatedBackend(std::function<void()> before = [] { gate.pass(); })
      : before_(std::move(before)) {}
  std::string_view name() const override { return inner_->name(); }
  DType default_dtype() const override { return inner_->default_dtype(); }
  std::vector<std::string> missing(const Graph& graph) const override {
    return inner_->missing(graph);
  }
  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override {
    struct Gated final : Executable {
      Gated(std::unique_ptr<Executable> inner, std::function<void()> before)
          : inner_(std::move(inner)), before_(std::move(before)) {}
      std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
        before_();
        return inner_->run(inputs);
      }
      std::unique_ptr<Executable> inner_;
      std::function<void()> before_;
    };
    return std::make_unique<Gated>(inner_->load(graph, options), before_);
  }

 private:
  std::function<void()> before_;
  std::shared_ptr<Backend> inner_ = cpu();
};

// y [N, 3] is twice x [N, 3].
inline CompiledModel gated(std::shared_ptr<Backend> backend = std::make_shared<GatedBackend>()) {
  Model model;
  model |= Model::op("add")({{"left", "x"}, {"right", "x"}, {"output", "y"}});
  model.expose_keys({"y"});
  return compile(model, std::move(backend),
                 {.shapes = {{"x", {"N", 3}}}, .data_keys = {"x"}, .inference = true});
}

}  // namespace mithril::tests
