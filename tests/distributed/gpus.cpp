// Processes that use the same GPU, without a GPU: backends that say that they have one.
#include "mithril/distributed/gpus.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/backend/runs_on_gpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/train_model/train_model.hpp"
#include "tests/distributed/on_each_rank.hpp"

namespace mithril {
namespace {

using tests::no_errors;
using tests::on_each_rank;

GpuOfProcess process_at(const std::string& host, const std::string& own,
                        const std::vector<std::string>& visible) {
  return {.host = host, .gpu = {.own = own, .visible = visible}};
}

// A backend on a GPU, as the group sees it.
class OnGpu final : public Backend, public RunsOnGpu {
 public:
  OnGpu(std::string device, Gpu gpu) : device_(std::move(device)), gpu_(std::move(gpu)) {}
  std::string_view name() const override { return "torch"; }
  DType default_dtype() const override { return cpu_->default_dtype(); }
  std::vector<std::string> missing(const Graph& graph) const override {
    return cpu_->missing(graph);
  }
  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override {
    return cpu_->load(graph, options);
  }
  std::string default_device() const override { return device_; }
  std::optional<Gpu> gpu() const override {
    return device_ == "cpu" ? std::nullopt : std::optional(gpu_);
  }

 private:
  const std::shared_ptr<Backend> cpu_ = cpu();
  const std::string device_;
  const Gpu gpu_;
};

// Threads in the place of processes, which may not share a GPU unless `shares` is set.
class Process final : public Communicator {
 public:
  Process(Communicator& thread, bool shares) : thread_(thread), shares_(shares) {}
  int rank() const override { return thread_.rank(); }
  int size() const override { return thread_.size(); }
  const std::string& name() const override { return thread_.name(); }
  bool shares_gpus() const override { return shares_; }
  std::unique_ptr<PendingCollective> start_all_reduce(void* data, DType dtype, std::int64_t count,
                                                      Reduction reduction) override {
    return thread_.start_all_reduce(data, dtype, count, reduction);
  }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    thread_.all_gather(mine, all);
  }
  void broadcast(std::span<std::byte> data, int root) override { thread_.broadcast(data, root); }
  void barrier() override { thread_.barrier(); }
  void abandon(const std::string& reason) noexcept override { thread_.abandon(reason); }

 private:
  std::shared_ptr<Communicator> make_subgroup(const std::string& name,
                                              const std::vector<int>& ranks) override {
    return thread_.subgroup(name, ranks);
  }
  Communicator& thread_;
  const bool shares_;
};

// The errors of compiling in two processes that see the GPUs "a" and "b".
std::vector<std::string> errors_of(const std::vector<std::string>& devices,
                                   const std::vector<std::string>& own, bool shares = false) {
  return on_each_rank(2, [&](Communicator& thread) {
    const auto rank = static_cast<std::size_t>(thread.rank());
    Model layers;
    layers |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
    TrainModel train(layers);
    train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
    const auto backend = std::make_shared<OnGpu>(devices[rank], Gpu{own[rank], {"a", "b"}});
    compile(train, backend,
            {.shapes = {{"x", {any, 3}}}, .group = std::make_shared<Process>(thread, shares)});
  });
}

}  // namespace

TEST_CASE("processes with GPUs of their own, or unknown ones, are accepted") {
  CHECK_NOTHROW(check_gpus("0", {}));
  CHECK_NOTHROW(check_gpus("0", {process_at("m", "a", {"a", "b"}), process_at("m", "b", {"b"})}));
  CHECK_NOTHROW(check_gpus("0", {process_at("m", "a", {"a"}), process_at("n", "b", {"b"})}));
  CHECK_NOTHROW(check_gpus("0", {process_at("m", "", {}), process_at("m", "", {})}));
  CHECK(errors_of({"cuda:0", "cuda:1"}, {"a", "b"}) == no_errors(2));
}

TEST_CASE("a GPU that two processes use is refused") {
  CHECK_THROWS_WITH(
      check_gpus("0", {process_at("m", "a", {"a", "b", "c"}), process_at("m", "b", {"b"}),
                       process_at("m", "a", {"a"})}),
      "mithril.DistributedError[E0973]: compile: process 0 of 3 and process 2 of 3 of group '0' "
      "use one GPU\n"
      "  machine : m\n"
      "  GPU     : a\n"
      "  used by : process 0 of 3 and process 2 of 3\n"
      "  help: give each process its own: TorchBackend(\"cuda:\" + os.environ[\"LOCAL_RANK\"]); if "
      "they are to share one, pass share_gpus to init, which needs gloo for tensors on the GPU");
}

TEST_CASE("more processes on a machine than it has GPUs are refused") {
  const GpuOfProcess elsewhere = process_at("n", "c", {"c"});
  CHECK_THROWS_WITH(
      check_gpus("0", {elsewhere, process_at("m", "a", {"a", "b"}),
                       process_at("m", "b", {"a", "b"}), process_at("m", "b", {"a", "b"})}),
      "mithril.DistributedError[E0972]: compile: 3 processes of group '0' run on a machine with 2 "
      "GPUs\n"
      "  machine : m\n"
      "  GPU     : b\n"
      "  used by : process 2 of 4 and process 3 of 4\n"
      "  help: start one process for each GPU: torchrun --nproc-per-node 2; if they are to share "
      "one, pass share_gpus to init, which needs gloo for tensors on the GPU");
  CHECK_THROWS_WITH(
      check_gpus("0", {process_at("m", "a", {"a"}), process_at("m", "a", {"a"})}),
      doctest::Contains("E0972]: compile: 2 processes of group '0' run on a machine with 1 GPU\n"));
}

TEST_CASE("compiling for one GPU in two processes is an error on both, unless they may share it") {
  for (const std::string& error : errors_of({"cuda:0", "cuda:0"}, {"a", "a"})) {
    CAPTURE(error);
    CHECK(
        error.starts_with("mithril.DistributedError[E0973]: compile: process 0 of 2 and process "
                          "1 of 2 of group 'threads' use one GPU\n"));
  }
  CHECK(errors_of({"cuda:0", "cuda:0"}, {"a", "a"}, true) == no_errors(2));
}

TEST_CASE("processes on a CPU and on a GPU are refused") {
  for (const std::string& error : errors_of({"cpu", "cuda:0"}, {"a", "a"})) {
    CAPTURE(error);
    CHECK(
        error.starts_with("mithril.DistributedError[E0964]: compile: the processes of group "
                          "'threads' differ in 'device'\n"));
  }
}

}  // namespace mithril
