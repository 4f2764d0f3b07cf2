#include "mithril/distributed/gpus.hpp"

#include <unistd.h>

#include <array>
#include <set>
#include <sstream>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/distributed/agree.hpp"
#include "mithril/distributed/errors.hpp"

namespace mithril {
namespace {

// The processes of one machine.
struct Machine {
  int processes = 0;
  std::set<std::string> gpus;  // that at least one of them sees
};

Machine machine_named(const std::string& host, const std::vector<GpuOfProcess>& processes) {
  Machine machine;
  for (const GpuOfProcess& process : processes) {
    if (process.host != host) continue;
    ++machine.processes;
    machine.gpus.insert(process.gpu.visible.begin(), process.gpu.visible.end());
  }
  return machine;
}

[[noreturn]] void refuse(const std::string& group, const std::vector<GpuOfProcess>& processes,
                         std::size_t first, std::size_t second) {
  const auto size = static_cast<int>(processes.size());
  const auto& [host, gpu] = processes[second];
  const Machine machine = machine_named(host, processes);
  const std::string count = std::to_string(machine.gpus.size());
  const bool too_many = machine.processes > static_cast<int>(machine.gpus.size());
  const std::string both = process_of(static_cast<int>(first), size) + " and " +
                           process_of(static_cast<int>(second), size);
  const std::string sharing =
      "; if they are to share one, pass share_gpus to init, which needs gloo for tensors on the "
      "GPU";
  raise({.kind = ErrorKind::distributed,
         .code = too_many ? "E0972" : "E0973",
         .message =
             "compile: " + (too_many ? std::to_string(machine.processes) + " processes of group " +
                                           in_quotes(group) + " run on a machine with " + count +
                                           (count == "1" ? " GPU" : " GPUs")
                                     : both + " of group " + in_quotes(group) + " use one GPU"),
         .facts = {{"machine", host}, {"GPU", gpu.own}, {"used by", both}},
         .help = (too_many ? "start one process for each GPU: torchrun --nproc-per-node " + count
                           : "give each process its own: TorchBackend(\"cuda:\" + "
                             "os.environ[\"LOCAL_RANK\"])") +
                 sharing});
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// One line for each part.
std::string as_text(const GpuOfProcess& process) {
  std::string text = process.host + '\n' + process.gpu.own;
  for (const std::string& each : process.gpu.visible) text += '\n' + each;
  return text;
}

GpuOfProcess parse_process(const std::string& text) {
  std::istringstream lines(text);
  GpuOfProcess process;
  std::getline(lines, process.host);
  std::getline(lines, process.gpu.own);
  for (std::string line; std::getline(lines, line);) process.gpu.visible.push_back(line);
  return process;
}

}  // namespace

void check_gpus(const std::string& group, const std::vector<GpuOfProcess>& processes) {
  for (std::size_t second = 1; second < processes.size(); ++second) {
    const std::string& own = processes[second].gpu.own;
    for (std::size_t first = 0; first < second && !own.empty(); ++first) {
      if (processes[first].gpu.own == own) refuse(group, processes, first, second);
    }
  }
}

void check_gpus(Communicator& group, const Gpu& gpu) {
  std::vector<GpuOfProcess> processes;
  for (const std::string& text : all_gather_text(group, as_text({host_name(), gpu})))
    processes.push_back(parse_process(text));
  check_gpus(group.name(), processes);
}

}  // namespace mithril
