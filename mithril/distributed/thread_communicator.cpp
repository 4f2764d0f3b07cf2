#include "mithril/distributed/thread_communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "mithril/base/interrupt.hpp"
#include "mithril/base/text.hpp"
#include "mithril/distributed/errors.hpp"
#include "mithril/distributed/reduce.hpp"

namespace mithril {
namespace {

using Clock = std::chrono::steady_clock;

// A call of one thread. All threads have to make the same call.
struct CollectiveCall {
  enum class Kind : std::uint8_t { all_reduce, all_gather, broadcast, barrier };
  Kind kind;
  DType dtype = DType::uint8;
  std::int64_t count = 0;  // elements of one thread
  Reduction reduction = Reduction::sum;
  int root = 0;

  bool operator==(const CollectiveCall&) const = default;

  std::string collective() const {
    constexpr const char* names[] = {"all_reduce", "all_gather", "broadcast", "barrier"};
    return names[static_cast<std::size_t>(kind)];
  }
  std::string text() const {
    if (kind == Kind::barrier) return collective();
    const std::string what =
        fmt::format("{} of {} elements of {}", collective(), count, mithril::name(dtype));
    if (kind == Kind::all_reduce) return what + " by " + std::string(mithril::name(reduction));
    return kind == Kind::broadcast ? fmt::format("{} from process {}", what, root) : what;
  }
};

// The memory of one thread.
struct Memory {
  void* data = nullptr;      // that a reduction or a broadcast replaces, or that is gathered
  std::byte* all = nullptr;  // of all_gather
};

// One collective, in which `arrived` threads take part so far.
struct Meeting {
  CollectiveCall call;
  std::vector<std::optional<Memory>> memories = {};  // per rank
  int arrived = 0, left = 0;
  bool done = false;

  void exchange() {
    const auto bytes = static_cast<std::size_t>(call.count) * size_of(call.dtype);
    if (call.kind == CollectiveCall::Kind::all_reduce) {
      std::vector<void*> addresses;
      for (const auto& memory : memories) addresses.push_back(memory->data);
      reduce_in_order(addresses, call.dtype, call.count, call.reduction);
    } else if (call.kind != CollectiveCall::Kind::barrier && bytes > 0) {
      for (std::size_t to = 0; to < memories.size(); ++to) copy_to(to, bytes);
    }
    done = true;
  }

 private:
  void copy_to(std::size_t to, std::size_t bytes) {
    if (call.kind == CollectiveCall::Kind::broadcast) {
      const auto root = static_cast<std::size_t>(call.root);
      if (to != root) std::memcpy(memories[to]->data, memories[root]->data, bytes);
      return;
    }
    for (std::size_t from = 0; from < memories.size(); ++from)
      std::memcpy(memories[to]->all + from * bytes, memories[from]->data, bytes);
  }
};

// What the threads of a group share. Meetings are numbered: the n-th call of each thread is for
// meeting n.
class ThreadGroup {
 public:
  ThreadGroup(int size, std::string name, std::chrono::milliseconds timeout)
      : size(size),
        name(std::move(name)),
        timeout(timeout),
        next_(static_cast<std::size_t>(size)) {}

  const int size;
  const std::string name;
  const std::chrono::milliseconds timeout;

  // Returns the number of the meeting. The last thread that arrives does the work.
  std::uint64_t arrive(const Communicator& at, const CollectiveCall& call, const Memory& memory) {
    const std::lock_guard lock(mutex_);
    check_whole();
    const std::uint64_t number = next_[rank(at)]++;
    const auto [found, first] = meetings_.try_emplace(number, Meeting{.call = call});
    Meeting& meeting = found->second;
    meeting.memories.resize(static_cast<std::size_t>(size));
    if (!(meeting.call == call)) break_group(different(at, call, meeting));
    meeting.memories[rank(at)] = memory;
    if (++meeting.arrived == size) {
      meeting.exchange();
      changed_.notify_all();
    }
    return number;
  }

  void wait(const Communicator& at, std::uint64_t number, Clock::time_point start) {
    constexpr auto between_interrupts = std::chrono::milliseconds(50);
    std::unique_lock lock(mutex_);
    Meeting& meeting = meetings_.at(number);
    while (!meeting.done) {
      if (failure_) {
        changed_.notify_all();
        raise(*failure_);
      }
      if (Clock::now() - start >= timeout)
        break_group(
            timed_out(at, meeting.call.collective(), Clock::now() - start, missing(meeting)));
      changed_.wait_for(lock, between_interrupts);
      lock.unlock();
      check_interrupt();
      lock.lock();
    }
  }

  // Ends the use of the memory of this thread.
  void leave(const Communicator& at, std::uint64_t number, Clock::time_point start) {
    const std::lock_guard lock(mutex_);
    Meeting& meeting = meetings_.at(number);
    if (!meeting.done) {
      lose(at, meeting.call.collective(), start);
      meeting.memories[rank(at)].reset();
    }
    if (++meeting.left == meeting.arrived && (meeting.done || failure_)) meetings_.erase(number);
  }

  void abandon(const Communicator& at, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = abandoned(at, at.rank(), reason);
    changed_.notify_all();
  }

  // The state of a subgroup, which its threads share. ranks.front() identifies it.
  std::shared_ptr<ThreadGroup> subgroup(const std::string& name, const std::vector<int>& ranks) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<ThreadGroup>& group = subgroups_[{name, ranks.front()}];
    if (!group)
      group = std::make_shared<ThreadGroup>(static_cast<int>(ranks.size()), name, timeout);
    return group;
  }

  // The thread leaves the group.
  void end(const Communicator& at) {
    const std::lock_guard lock(mutex_);
    lose(at, "collective", Clock::now());
  }

 private:
  static std::size_t rank(const Communicator& at) { return static_cast<std::size_t>(at.rank()); }

  void lose(const Communicator& at, const std::string& collective, Clock::time_point start) {
    if (failure_) return;
    failure_ = lost_process(at, collective, Clock::now() - start,
                            process_of(at.rank(), size) + " has left the group");
    changed_.notify_all();
  }

  void check_whole() const {
    if (failure_) raise(*failure_);
  }

  [[noreturn]] void break_group(ErrorDetails details) {
    if (!failure_) failure_ = std::move(details);
    changed_.notify_all();
    raise(*failure_);
  }

  std::string missing(const Meeting& meeting) const {
    std::vector<std::string> ranks;
    for (std::size_t i = 0; i < meeting.memories.size(); ++i) {
      if (!meeting.memories[i]) ranks.push_back("process " + std::to_string(i));
    }
    return join(ranks, ", ");
  }

  ErrorDetails different(const Communicator& at, const CollectiveCall& call,
                         const Meeting& meeting) const {
    const auto first = std::find_if(meeting.memories.begin(), meeting.memories.end(),
                                    [](const auto& memory) { return memory.has_value(); });
    const auto other = static_cast<int>(first - meeting.memories.begin());
    return {.kind = ErrorKind::distributed,
            .code = "E0961",
            .message = "the processes of group '" + name + "' call different collectives",
            .facts = {{process_of(other, size), meeting.call.text()},
                      {process_of(at.rank(), size), call.text()}},
            .help = "all processes run the same program, with the same models and options"};
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> next_;  // per rank
  std::map<std::uint64_t, Meeting> meetings_;
  std::optional<ErrorDetails> failure_;  // none: the group is whole
  std::map<std::pair<std::string, int>, std::shared_ptr<ThreadGroup>> subgroups_;
};

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(std::shared_ptr<ThreadGroup> group, int rank)
      : group_(std::move(group)), rank_(rank) {}
  ~ThreadCommunicator() override { group_->end(*this); }

  int rank() const override { return rank_; }
  int size() const override { return group_->size; }
  const std::string& name() const override { return group_->name; }
  bool shares_gpus() const override { return true; }  // that of their process

  std::unique_ptr<PendingCollective> start_all_reduce(void* data, DType dtype, std::int64_t count,
                                                      Reduction reduction) override {
    check_reduction(dtype, reduction);
    return start({.kind = CollectiveCall::Kind::all_reduce,
                  .dtype = dtype,
                  .count = count,
                  .reduction = reduction},
                 {.data = data});
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    // Only read.
    auto* const data = const_cast<std::byte*>(mine.data());
    start(
        {.kind = CollectiveCall::Kind::all_gather, .count = static_cast<std::int64_t>(mine.size())},
        {.data = data, .all = all.data()})
        ->wait();
  }

  void broadcast(std::span<std::byte> data, int root) override {
    start({.kind = CollectiveCall::Kind::broadcast,
           .count = static_cast<std::int64_t>(data.size()),
           .root = root},
          {.data = data.data()})
        ->wait();
  }

  void barrier() override { start({.kind = CollectiveCall::Kind::barrier}, {})->wait(); }

  void abandon(const std::string& reason) noexcept override {
    group_->abandon(*this, reason);
    abandon_subgroups(reason);
  }

 protected:
  std::shared_ptr<Communicator> make_subgroup(const std::string& name,
                                              const std::vector<int>& ranks) override {
    const auto own = std::find(ranks.begin(), ranks.end(), rank_);
    return std::make_shared<ThreadCommunicator>(group_->subgroup(name, ranks),
                                                static_cast<int>(own - ranks.begin()));
  }

 private:
  class Pending final : public PendingCollective {
   public:
    Pending(const ThreadCommunicator& at, std::uint64_t number) : at_(at), number_(number) {}
    ~Pending() override { at_.group_->leave(at_, number_, start_); }
    void wait() override { at_.group_->wait(at_, number_, start_); }

   private:
    const ThreadCommunicator& at_;
    const std::uint64_t number_;
    const Clock::time_point start_ = Clock::now();
  };

  std::unique_ptr<PendingCollective> start(const CollectiveCall& call, const Memory& memory) const {
    return std::make_unique<Pending>(*this, group_->arrive(*this, call, memory));
  }

  const std::shared_ptr<ThreadGroup> group_;  // shared by the communicators of the group
  const int rank_;
};

}  // namespace

std::vector<std::shared_ptr<Communicator>> thread_communicators(int size, const std::string& name,
                                                                std::chrono::milliseconds timeout) {
  const auto group = std::make_shared<ThreadGroup>(size, name, timeout);
  std::vector<std::shared_ptr<Communicator>> communicators;
  for (int rank = 0; rank < size; ++rank)
    communicators.push_back(std::make_shared<ThreadCommunicator>(group, rank));
  return communicators;
}

}  // namespace mithril
