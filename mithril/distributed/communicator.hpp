// A group of processes that exchange tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/tensor/dtype.hpp"

namespace mithril {

// How a collective combines the elements of all processes.
enum class Reduction : std::uint8_t { sum, max, min };

std::string_view name(Reduction reduction);  // "sum"
// ValueError E0494 for another name than "sum", "max" and "min".
Reduction parse_reduction(std::string_view text);

// A collective that has started.
class PendingCollective {
 public:
  PendingCollective() = default;
  PendingCollective(const PendingCollective&) = delete;
  PendingCollective& operator=(const PendingCollective&) = delete;
  // Blocks until the communicator no longer uses the memory of the collective. Without a call of
  // wait(), the contents of that memory are undefined.
  virtual ~PendingCollective() = default;

  // Blocks until the result is in the memory. Called once. DistributedError if the collective
  // failed, and if it did not end within the timeout of the communicator.
  virtual void wait() = 0;
};

// The processes of a group call the same collectives in the same order, with the same sizes, dtypes
// and reductions. One thread at a time may use a communicator. It outlives its pending collectives.
// After a DistributedError the group is broken: further collectives raise one, too.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const = 0;  // of this process, from 0
  virtual int size() const = 0;  // number of processes
  virtual const std::string& name() const = 0;
  // Whether several processes may use one GPU.
  virtual bool shares_gpus() const { return false; }

  // Replaces the `count` elements of `data` by their reduction over all processes. The elements
  // belong to the communicator until the end of wait(), or of the destructor of the result.
  // ValueError E0495 for a dtype that has no such reduction: sums of bools.
  virtual std::unique_ptr<PendingCollective> start_all_reduce(void* data, DType dtype,
                                                              std::int64_t count,
                                                              Reduction reduction) = 0;
  // Writes the bytes of process i to all[i * mine.size()] and on. `all` has size() * mine.size()
  // bytes.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  // Replaces the bytes by those of process `root`.
  virtual void broadcast(std::span<std::byte> data, int root) = 0;
  // Returns when every process has called it.
  virtual void barrier() = 0;

  // Breaks the group: this process cannot go on. Collectives of all processes, those under way
  // included, raise E0963, which quotes the first line of `reason`. A group of one process stays
  // whole. Never throws. Abandons the subgroups, too.
  virtual void abandon(const std::string& reason) noexcept = 0;

  // The group of some processes of this one, which all of them call with the same arguments.
  // `ranks`: theirs in this group, in ascending order, that of this process included; their
  // positions are the ranks in the subgroup. Later calls with the name return the same subgroup.
  // Graphs find it by its name. It lives as long as this group.
  std::shared_ptr<Communicator> subgroup(const std::string& name, const std::vector<int>& ranks);
  std::shared_ptr<Communicator> find_subgroup(std::string_view name) const;  // or null
  // Breaks the subgroups of this process, because one of them or this group is broken.
  void abandon_subgroups(const std::string& reason) noexcept;

 protected:
  virtual std::shared_ptr<Communicator> make_subgroup(const std::string& name,
                                                      const std::vector<int>& ranks) = 0;

 private:
  // Shared with callers of `subgroup`.
  std::map<std::string, std::shared_ptr<Communicator>, std::less<>> subgroups_;
};

// ValueError E0495 if the elements have no such reduction.
void check_reduction(DType dtype, Reduction reduction);

// The group of this process alone, named "alone". Its collectives return what they are given.
std::shared_ptr<Communicator> single_process();

// Puts `communicator` into the table of this process under its name, in place of another one of
// this name. Graphs name the group of a collective by such a name. Shared (shared_ptr) with the
// caller.
void register_communicator(std::shared_ptr<Communicator> communicator);
void unregister_communicator(std::string_view name);
// The communicator of this thread (CommunicatorScope), or else of this process, or a subgroup of
// one of them. "alone" always exists. DistributedError E0960 with the nearest names if there is
// none.
std::shared_ptr<Communicator> communicator(std::string_view name);

// During its lifetime the communicator has its name on this thread only, so that threads can be the
// processes of a group.
class CommunicatorScope {
 public:
  explicit CommunicatorScope(std::shared_ptr<Communicator> communicator);
  ~CommunicatorScope();
  CommunicatorScope(const CommunicatorScope&) = delete;
  CommunicatorScope& operator=(const CommunicatorScope&) = delete;

 private:
  std::shared_ptr<Communicator> outer_;  // null: none
  std::string name_;
};

}  // namespace mithril
