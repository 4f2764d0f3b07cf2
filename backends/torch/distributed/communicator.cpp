#include "backends/torch/distributed/communicator.hpp"

#include <ATen/ops/from_blob.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/torch/device/dtypes.hpp"
#include "backends/torch/device/tensor_communicator.hpp"
#include "backends/torch/distributed/options.hpp"
#include "backends/torch/distributed/start_group.hpp"
#include "backends/torch/distributed/torch_text.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/distributed/errors.hpp"

namespace mithril::torch_backend {
namespace {

using Clock = std::chrono::steady_clock;
using ProcessGroup = c10::intrusive_ptr<c10d::ProcessGroup>;

c10d::ReduceOp reduce_op(Reduction reduction) {
  if (reduction == Reduction::max) return c10d::ReduceOp::MAX;
  return reduction == Reduction::min ? c10d::ReduceOp::MIN : c10d::ReduceOp::SUM;
}

at::Tensor over(void* data, std::int64_t count, c10::ScalarType type) {
  return at::from_blob(data, {count}, at::TensorOptions().dtype(type).device(at::kCPU));
}

class TorchCommunicator final : public Communicator, public TensorCommunicator {
 public:
  TorchCommunicator(ProcessGroup group, std::string name, std::chrono::milliseconds timeout,
                    bool shares_gpus)
      : group_(std::move(group)),
        name_(std::move(name)),
        timeout_(timeout),
        shares_gpus_(shares_gpus) {}

  int rank() const override { return group_->getRank(); }
  int size() const override { return group_->getSize(); }
  const std::string& name() const override { return name_; }
  bool shares_gpus() const override { return shares_gpus_; }

  std::unique_ptr<PendingCollective> start_all_reduce(void* data, DType dtype, std::int64_t count,
                                                      Reduction reduction) override {
    return start_all_reduce(over(data, count, scalar_type(dtype)), reduction);
  }

  bool reaches(c10::DeviceType type) const override {
    const std::vector<c10::Device> devices = group_->getDeviceTypes();
    return std::any_of(devices.begin(), devices.end(),
                       [&](const c10::Device& device) { return device.type() == type; });
  }

  std::unique_ptr<PendingCollective> start_all_reduce(const at::Tensor& tensor,
                                                      Reduction reduction) override {
    const DType dtype = *dtype_of(tensor.scalar_type());
    check_reduction(dtype, reduction);
    check_transport(dtype);
    const bool is_on_host = tensor.is_cpu();
    return start("all_reduce", is_on_host, [&] {
      // gloo does not reduce bools; as bytes they have the same maximum and minimum.
      const bool is_bool = tensor.scalar_type() == at::kBool;
      std::vector<at::Tensor> tensors{is_bool ? tensor.view(at::kByte) : tensor};
      c10d::AllreduceOptions options;
      options.reduceOp = reduce_op(reduction);
      options.timeout = timeout_;
      return group_->allreduce(tensors, options);
    });
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    if (mine.empty()) return;
    start("all_gather", true, [&] {
      // Only read.
      at::Tensor from = bytes({const_cast<std::byte*>(mine.data()), mine.size()});
      at::Tensor to = bytes(all);
      c10d::AllgatherOptions options;
      options.timeout = timeout_;
      return group_->_allgather_base(to, from, options);
    })->wait();
  }

  void broadcast(std::span<std::byte> data, int root) override {
    if (data.empty()) return;
    start("broadcast", true, [&] {
      std::vector<at::Tensor> tensors{bytes(data)};
      c10d::BroadcastOptions options;
      options.rootRank = root;
      options.timeout = timeout_;
      return group_->broadcast(tensors, options);
    })->wait();
  }

  void barrier() override {
    std::uint8_t nothing = 0;
    start_all_reduce(&nothing, DType::uint8, 1, Reduction::max)->wait();
  }

  void abandon(const std::string& reason) noexcept override {
    if (failure_ || size() == 1) return;
    try {
      failure_ = abandoned(*this, rank(), reason);
      const std::string text = std::to_string(rank()) + ' ' + reason;
      if (const auto store = group_->getStore())
        store->set(abandoned_key, std::vector<std::uint8_t>(text.begin(), text.end()));
      close_connections();
    } catch (...) {
      // The others find out when this process ends.
    }
    abandon_subgroups(reason);
  }

 protected:
  std::shared_ptr<Communicator> make_subgroup(const std::string& name,
                                              const std::vector<int>& ranks) override {
    return std::make_shared<TorchCommunicator>(start_subgroup(group_, name, ranks, timeout_), name,
                                               timeout_, shares_gpus_);
  }

 private:
  static constexpr const char* abandoned_key = "mithril/abandoned";

  static void check_transport(DType dtype) {
    if (dtype != DType::int16 && (!is_unsigned(dtype) || dtype == DType::uint8)) return;
    raise({.kind = ErrorKind::value,
           .code = "E0496",
           .message = "gloo does not reduce elements of " + std::string(mithril::name(dtype)),
           .help = "cast to " + std::string(mithril::name(widened(dtype)))});
  }

  // Collectives of the other processes fail at once, not after their timeout. gloo closes all
  // connections when it has waited in vain for a message: nobody sends one with this tag.
  void close_connections() {
    constexpr int tag = 0x6D697468;
    std::vector<at::Tensor> nothing{at::zeros({1})};
    try {
      group_->recv(nothing, (rank() + 1) % size(), tag)->wait(std::chrono::milliseconds(5));
    } catch (const std::exception&) {
      // As expected.
    }
  }

  // The error of a process that has abandoned the group, if one has.
  std::optional<ErrorDetails> find_abandoned() const {
    try {
      const auto store = group_->getStore();
      if (!store || !store->check({abandoned_key})) return {};
      const std::vector<std::uint8_t> bytes = store->get(abandoned_key);
      const std::string text(bytes.begin(), bytes.end());
      return abandoned(*this, std::stoi(text), text.substr(text.find(' ') + 1));
    } catch (const std::exception&) {
      return {};  // the process of the store has ended
    }
  }

  static at::Tensor bytes(std::span<std::byte> span) {
    return over(span.data(), static_cast<std::int64_t>(span.size()), at::kByte);
  }

  class Pending final : public PendingCollective {
   public:
    Pending(TorchCommunicator& at, const char* collective, bool is_on_host,
            c10::intrusive_ptr<c10d::Work> work, Clock::time_point start)
        : at_(at),
          collective_(collective),
          is_on_host_(is_on_host),
          start_(start),
          work_(std::move(work)) {}
    // The transport ends the work after the timeout at the latest.
    ~Pending() override {
      if (!work_) return;
      try {
        work_->wait();
      } catch (...) {
        // Whoever called wait() on another collective of the group has its error.
      }
    }
    void wait() override {
      at_.convert_errors(collective_, start_, [&] {
        if (is_on_host_) wait_for_host();
        const c10::intrusive_ptr<c10d::Work> work = std::exchange(work_, {});
        return work->wait();
      });
    }

   private:
    // Returns when the work has ended. wait() raises its error again. An interrupt abandons the
    // group, so that the work ends: until then it uses the memory of the caller.
    void wait_for_host() {
      constexpr auto between_interrupts = std::chrono::milliseconds(50);
      while (!work_->isCompleted()) {
        const Clock::time_point now = Clock::now();
        try {
          // isCompleted() of a fake group stays false.
          if (work_->wait(between_interrupts)) return;
        } catch (const std::exception&) {
          const bool has_timed_out = Clock::now() - now >= between_interrupts;
          if (!has_timed_out) return;
        }
        try {
          check_interrupt();
        } catch (const Interrupted&) {
          at_.abandon("the process was interrupted");
          throw;
        }
      }
    }

    TorchCommunicator& at_;
    const char* const collective_;
    const bool is_on_host_;  // whether the calling thread waits for the end of the work
    const Clock::time_point start_;
    c10::intrusive_ptr<c10d::Work> work_;  // null: wait() has been called
  };

  template <typename Begin>
  std::unique_ptr<PendingCollective> start(const char* collective, bool is_on_host,
                                           const Begin& begin) {
    if (failure_) raise(*failure_);
    const Clock::time_point now = Clock::now();
    return std::make_unique<Pending>(*this, collective, is_on_host,
                                     convert_errors(collective, now, begin), now);
  }

  // Calls `call`, and raises the exceptions of torch and of its transport as DistributedErrors.
  template <typename Call>
  auto convert_errors(const char* collective, Clock::time_point start, const Call& call)
      -> decltype(call()) {
    try {
      return call();
    } catch (const std::exception& error) {
      const Clock::duration waited = Clock::now() - start;
      if (failure_) raise(*failure_);  // this process has abandoned the group
      if (waited >= timeout_) {
        failure_ = timed_out(*this, collective, waited, "");
      } else if (failure_ = find_abandoned(); !failure_) {
        failure_ = lost_process(*this, collective, waited, torch_text(error));
      }
      raise(*failure_);
    }
  }

  const ProcessGroup group_;
  const std::string name_;
  const std::chrono::milliseconds timeout_;
  const bool shares_gpus_;
  std::optional<ErrorDetails> failure_;  // none: the group is whole
};

[[noreturn]] void refuse_group(const std::string& name, const std::string& what,
                               const std::string& why) {
  raise({.kind = ErrorKind::distributed,
         .code = "E0966",
         .message = "the process group '" + name + "' of torch " + what,
         .facts = {{"torch says", why}},
         .help = "make one with torch.distributed.new_group(backend=\"gloo\")"});
}

ProcessGroup group_named(const std::string& name) {
  try {
    return c10d::resolve_process_group(name);
  } catch (const std::exception& error) {
    refuse_group(name, "does not exist", torch_text(error));
  }
}

void check_cpu(const std::string& name, const ProcessGroup& group) {
  try {
    group->getBackend(c10::DeviceType::CPU);
  } catch (const std::exception& error) {
    refuse_group(name, "has no transport for tensors on the CPU", torch_text(error));
  }
}

}  // namespace

std::shared_ptr<Communicator> make_communicator(const Arguments& options) {
  const Datum* const given = find_option(options, "group");
  ProcessGroup group = given ? group_named(given->text()) : start_group(options);
  const std::string name = given ? given->text() : group->getGroupName();
  check_cpu(name, group);
  return std::make_shared<TorchCommunicator>(std::move(group), name,
                                             milliseconds(option(options, "timeout").real()),
                                             option(options, "share_gpus").flag());
}

}  // namespace mithril::torch_backend
