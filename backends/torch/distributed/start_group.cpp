#define USE_C10D_GLOO
#include "backends/torch/distributed/start_group.hpp"

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "backends/torch/distributed/options.hpp"
#include "backends/torch/distributed/torch_text.hpp"
#include "mithril/base/error.hpp"
#include "mithril/distributed/errors.hpp"

namespace mithril::torch_backend {
namespace {

constexpr const char* name_of_group = "0";

c10::intrusive_ptr<c10d::ProcessGroup> start(int rank, int size, const Arguments& options) {
  c10d::TCPStoreOptions at;
  at.port = static_cast<std::uint16_t>(option(options, "port").integer());
  at.isServer = rank == 0 && !option(options, "hosted").flag();
  at.waitWorkers = false;
  at.timeout = milliseconds(option(options, "start_timeout").real());
  const auto store = c10::make_intrusive<c10d::PrefixStore>(
      option(options, "prefix").text(),
      c10::make_intrusive<c10d::TCPStore>(option(options, "host").text(), at));
  const auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(
      store, rank, size, c10d::ProcessGroupGloo::Options::create_default(at.timeout));
  const auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank, size);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  group->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO, gloo);
  group->setGroupName(name_of_group);
  c10d::register_process_group(name_of_group, group);
  return group;
}

}  // namespace

c10::intrusive_ptr<c10d::ProcessGroup> start_group(const Arguments& options) {
  const auto rank = static_cast<int>(option(options, "rank").integer());
  const auto size = static_cast<int>(option(options, "size").integer());
  try {
    return start(rank, size, options);
  } catch (const std::exception& error) {
    raise({.kind = ErrorKind::distributed,
           .code = "E0969",
           .message = "init: the processes did not find each other",
           .facts = {{"here", process_of(rank, size)},
                     {"at", option(options, "host").text() + ":" +
                                std::to_string(option(options, "port").integer())},
                     {"why", torch_text(error)}},
           .help = "look for a process that has ended, or pass a longer start_timeout"});
  }
}

}  // namespace mithril::torch_backend
