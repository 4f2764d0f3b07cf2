#include "mithril/distributed/errors.hpp"

#include <fmt/format.h>

namespace mithril {
namespace {

std::vector<Fact> place_and_time(const Communicator& group,
                                 std::chrono::steady_clock::duration waited) {
  return {{"here", process_of(group.rank(), group.size()) + " of group '" + group.name() + "'"},
          {"after", seconds_of(waited)}};
}

}  // namespace

std::string process_of(int rank, int size) { return fmt::format("process {} of {}", rank, size); }

std::string seconds_of(std::chrono::steady_clock::duration time) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(time).count());
}

ErrorDetails timed_out(const Communicator& group, const std::string& collective,
                       std::chrono::steady_clock::duration waited, const std::string& waiting_for) {
  ErrorDetails details{.kind = ErrorKind::distributed,
                       .code = "E0962",
                       .message = collective + ": not all processes took part within the timeout",
                       .facts = place_and_time(group, waited)};
  if (!waiting_for.empty()) details.facts.push_back({"waiting for", waiting_for});
  details.help =
      "look for a process that hangs or is much slower, or pass a longer timeout to init";
  return details;
}

ErrorDetails lost_process(const Communicator& group, const std::string& collective,
                          std::chrono::steady_clock::duration waited, const std::string& why) {
  ErrorDetails details{.kind = ErrorKind::distributed,
                       .code = "E0963",
                       .message = collective + ": another process of the group has failed",
                       .facts = place_and_time(group, waited)};
  details.facts.push_back({"why", why});
  details.help = "the output of the process that failed first has the reason";
  return details;
}

ErrorDetails abandoned(const Communicator& group, int rank, const std::string& reason) {
  return {.kind = ErrorKind::distributed,
          .code = "E0963",
          .message = process_of(rank, group.size()) + " of group '" + group.name() +
                     "' has failed with an error",
          .facts = {{"error", reason.substr(0, reason.find('\n'))}},
          .help =
              "the output of this process has the whole error; end all processes, and let the "
              "launcher start them again"};
}

}  // namespace mithril
