// `mithril serve`: the models of packages over HTTP.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include "backends/cpu/cpu.hpp"
#include "mithril/backend/memory.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/run_python.hpp"
#include "mithril/cli/stated.hpp"
#include "mithril/server/http_server.hpp"

namespace mithril::cli {
namespace {

// SIGINT and SIGTERM while the command runs. All threads block them, and one waits for them: it
// ends the process if the server has not begun, and else begins to stop the server. The system ends
// the process at the second signal.
class StopSignals {
 public:
  explicit StopSignals(bool json) : json_(json) {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM}) {
      struct sigaction action {};
      sigaction(signal, nullptr, &action);
      // A shell without job control starts background jobs with SIGINT ignored.
      if (action.sa_handler != SIG_IGN) sigaddset(&signals_, signal);
    }
    sigaddset(&signals_, SIGUSR1);  // of the destructor
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    thread_ = std::thread([this] { wait(); });
  }
  ~StopSignals() {
    pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Stops the server at a signal. It outlives this object.
  void stop_at_signal(HttpServer& server) {
    const std::lock_guard lock(mutex_);
    server_ = &server;
  }

 private:
  void wait() {
    int number = 0;
    sigwait(&signals_, &number);
    if (number == SIGUSR1) return;
    const std::lock_guard lock(mutex_);
    if (!server_) std::_Exit(done);
    for (const int signal : {SIGINT, SIGTERM}) {
      if (sigismember(&signals_, signal) == 1) std::signal(signal, SIG_DFL);
    }
    sigdelset(&signals_, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
    if (!json_) std::fputs("stopping\n", stdout);
    std::fflush(stdout);
    server_->begin_stop();
    server_->wait();
  }

  const bool json_;
  sigset_t signals_;
  std::mutex mutex_;  // guards the next
  HttpServer* server_ = nullptr;
  std::thread thread_;
};

std::chrono::milliseconds seconds_of(const Arguments& arguments, const char* option) {
  constexpr double most = 1e9;  // 30 years
  const std::chrono::duration<double> seconds(*arguments.real(option, 0, most));
  return std::chrono::duration_cast<std::chrono::milliseconds>(seconds);
}

std::size_t count_of(const Arguments& arguments, const char* option) {
  return static_cast<std::size_t>(*arguments.number(option, 0));
}

ServerOptions server_options(const Arguments& arguments) {
  constexpr long most_port = 65535;
  return {.host = arguments.value("--host"),
          .port = static_cast<int>(*arguments.number("--port", 0, most_port)),
          .max_request_bytes = count_of(arguments, "--max-request-bytes"),
          .max_buffered_bytes = count_of(arguments, "--max-buffered-bytes"),
          .max_connections = count_of(arguments, "--max-connections"),
          .max_requests = count_of(arguments, "--max-requests"),
          .request_timeout = seconds_of(arguments, "--request-timeout"),
          .idle_timeout = seconds_of(arguments, "--idle-timeout"),
          .stop_timeout = seconds_of(arguments, "--stop-timeout"),
          .arrival_timeout = seconds_of(arguments, "--arrival-timeout")};
}

ServingOptions serving_options(const Arguments& arguments) {
  return {.max_batch_size = *arguments.number("--max-batch-size", 1),
          .max_delay = seconds_of(arguments, "--max-delay"),
          .max_queue = count_of(arguments, "--max-queue"),
          .mask = arguments.value_or("--mask", "")};
}

// "name=path", or a path whose model has the name of the package.
void register_package(Engine& engine, const std::string& text, const ServingOptions& options) {
  const std::size_t equals = text.rfind('=');
  const std::string path = equals == text.npos ? text : text.substr(equals + 1);
  if (path.empty()) {
    throw UsageError{fmt::format("PACKAGE is '{}', expected [NAME=]PACKAGE", printable(text))};
  }
  std::string name = equals == text.npos ? "" : text.substr(0, equals);
  if (name.empty()) name = load_package(path, {.verify = PackageChecks::lazy}).info().name;
  const std::vector<std::string> others = engine.list_models();
  if (std::binary_search(others.begin(), others.end(), name)) {
    throw UsageError{fmt::format("two models have the name '{}'", printable(name)),
                     fmt::format("give one another name: other={}", printable(path))};
  }
  const auto load = [path] {
    const Package package = load_package(path);
    return ServableModel{package.compile(cpu()), package.params().share(), package.state()};
  };
  engine.register_model(name, load, options);
}

}  // namespace

int serve(const Arguments& arguments, Output& output) {
  // Native code of a package may need torch.
  if (arguments.has("--allow-native")) return run_python("serve", arguments.values("arguments"));
  std::optional<HttpServer> server;  // outlives the signals that stop it
  StopSignals signals(output.is_json());
  EngineOptions limits;
  if (arguments.has("--memory-limit"))
    limits.memory_limit =
        stated([&] { return read_bytes(arguments.value("--memory-limit"), "--memory-limit"); });
  const auto engine = std::make_shared<Engine>(limits);  // shared with the server
  for (const std::string& text : arguments.values("PACKAGE"))
    register_package(*engine, text, serving_options(arguments));
  server.emplace(engine, server_options(arguments));
  signals.stop_at_signal(*server);  // before a client can know the address
  const std::vector<std::string> models = engine->list_models();
  const std::string address = fmt::format("{}:{}", arguments.value("--host"), server->port());
  if (output.is_json()) {
    output.object("serve",
                  {{"models", Json::Array(models.begin(), models.end())}, {"address", address}});
  } else {
    output.text(fmt::format("serving {} at http://{}\n", join(models, ", "), address));
  }
  output.write();
  server->wait();
  if (server->has_answered_all()) return done;
  std::fputs("some requests were not answered in time\n", stderr);
  std::_Exit(check_failed);  // without waiting for evaluations that still run
}

}  // namespace mithril::cli
