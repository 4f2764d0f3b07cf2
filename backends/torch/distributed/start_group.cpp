#define USE_C10D_GLOO
#include "backends/torch/distributed/start_group.hpp"

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backends/torch/distributed/options.hpp"
#include "backends/torch/distributed/torch_text.hpp"
#include "mithril/base/error.hpp"
#include "mithril/distributed/errors.hpp"

namespace mithril::torch_backend {
namespace {

using ProcessGroup = c10::intrusive_ptr<c10d::ProcessGroup>;

constexpr const char* name_of_group = "0";

// Waits until each process of the group has called this with the same store.
void wait_for_all(c10d::Store& store, int rank, int size, std::chrono::milliseconds timeout) {
  std::vector<std::string> keys;
  for (int i = 0; i < size; ++i) keys.push_back("came/" + std::to_string(i));
  store.set(keys[static_cast<size_t>(rank)], std::vector<std::uint8_t>{1});
  store.wait(keys, timeout);
}

// A group that exchanges tensors by gloo. gloo waits for a connection five times as long as its
// timeout says, and as long as it says for an address: it gets a fifth of the time that is left
// once all processes have come.
ProcessGroup gloo_group(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                        std::chrono::milliseconds limit) {
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + limit;
  wait_for_all(*store, rank, size, limit);
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_clock::now());
  const auto timeout = std::max(left / 5, std::chrono::milliseconds(1));
  const auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(
      store, rank, size, c10d::ProcessGroupGloo::Options::create_default(timeout));
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank, size);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  group->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO, gloo);
  return group;
}

ProcessGroup start(int rank, int size, const Arguments& options) {
  c10d::TCPStoreOptions at;
  at.port = static_cast<std::uint16_t>(option(options, "port").integer());
  at.isServer = rank == 0 && !option(options, "hosted").flag();
  at.waitWorkers = false;
  at.timeout = milliseconds(option(options, "start_timeout").real());
  const auto store = c10::make_intrusive<c10d::PrefixStore>(
      option(options, "prefix").text(),
      c10::make_intrusive<c10d::TCPStore>(option(options, "host").text(), at));
  ProcessGroup group = gloo_group(store, rank, size, at.timeout);
  group->setGroupName(name_of_group);
  c10d::register_process_group(name_of_group, group);
  return group;
}

[[noreturn]] void refuse_start(const std::string& call, int rank, int size, const std::string& at,
                               const std::string& why) {
  raise({.kind = ErrorKind::distributed,
         .code = "E0969",
         .message = call + ": the processes did not find each other",
         .facts = {{"here", process_of(rank, size)}, {"at", at}, {"why", why}},
         .help = "look for a process that has ended, or pass a longer start_timeout"});
}

// The number of groups of this name that this process has started in the group before. Addresses
// of earlier ones are still in the store.
int count_of(const std::string& group, const std::string& name) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, int> counts;
  const std::lock_guard lock(mutex);
  return counts[{group, name}]++;
}

}  // namespace

ProcessGroup start_group(const Arguments& options) {
  const auto rank = static_cast<int>(option(options, "rank").integer());
  const auto size = static_cast<int>(option(options, "size").integer());
  try {
    return start(rank, size, options);
  } catch (const std::exception& error) {
    refuse_start(
        "init", rank, size,
        option(options, "host").text() + ":" + std::to_string(option(options, "port").integer()),
        torch_text(error));
  }
}

ProcessGroup start_subgroup(const ProcessGroup& group, const std::string& name,
                            const std::vector<int>& ranks, std::chrono::milliseconds timeout) {
  const auto own = std::find(ranks.begin(), ranks.end(), group->getRank());
  const auto rank = static_cast<int>(own - ranks.begin());
  const auto size = static_cast<int>(ranks.size());
  const std::string prefix = "mithril/" + name + "/" + std::to_string(ranks.front()) + "/" +
                             std::to_string(count_of(group->getGroupName(), name));
  try {
    const auto store = c10::make_intrusive<c10d::PrefixStore>(prefix, group->getStore());
    return gloo_group(store, rank, size, timeout);
  } catch (const std::exception& error) {
    refuse_start("compile", rank, size, prefix, torch_text(error));
  }
}

}  // namespace mithril::torch_backend
