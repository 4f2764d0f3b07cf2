#include "mithril/backend/join_group.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/backend/plugin.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril::distributed {
namespace {

// The variables that torchrun sets, and each launcher for torch.
constexpr std::array variables = {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"};

std::string variable(const char* name, const std::string& otherwise = "") {
  const char* const value = std::getenv(name);
  return value ? value : otherwise;
}

[[noreturn]] void refuse_variables(const std::vector<std::string>& given,
                                   const std::vector<std::string>& missing) {
  raise({.kind = ErrorKind::distributed,
         .code = "E0965",
         .message = "init: the variables of the launcher are incomplete: " + join(missing, ", "),
         .facts = {{"set", join(given, ", ")}, {"missing", join(missing, ", ")}},
         .help = "start the program with torchrun, or unset RANK and WORLD_SIZE to run it alone"});
}

bool is_alone() {
  std::vector<std::string> given, missing;
  for (const char* name : variables) (std::getenv(name) ? given : missing).emplace_back(name);
  if (!std::getenv("RANK") && !std::getenv("WORLD_SIZE")) return true;
  if (!missing.empty()) refuse_variables(given, missing);
  return variable("WORLD_SIZE") == "1";
}

int64_t number(const char* name) {
  const std::string text = variable(name);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  raise(
      {.kind = ErrorKind::distributed,
       .code = "E0965",
       .message = std::string("init: the variable ") + name + " is not a number: '" + text + "'"});
}

std::shared_ptr<Communicator> join_job(const InitOptions& options) {
  const std::string restart = variable("TORCHELASTIC_RESTART_COUNT", "0");
  return load_communicator(plugin_path("mithril_torch"),
                           {{"rank", number("RANK")},
                            {"size", number("WORLD_SIZE")},
                            {"host", variable("MASTER_ADDR")},
                            {"port", number("MASTER_PORT")},
                            {"hosted", variable("TORCHELASTIC_USE_AGENT_STORE") == "True"},
                            {"prefix", "mithril/" + restart},
                            {"timeout", options.timeout},
                            {"start_timeout", options.start_timeout},
                            {"share_gpus", options.share_gpus}});
}

}  // namespace

std::shared_ptr<Communicator> init(const InitOptions& options) {
  if (is_alone()) return single_process();
  static std::mutex mutex;
  static std::weak_ptr<Communicator> joined;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Communicator> group = joined.lock();
  if (!group) group = join_job(options);
  joined = group;
  register_communicator(group);
  return group;
}

}  // namespace mithril::distributed
