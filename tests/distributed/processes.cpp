// Processes of a job without Python, which train one model.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "backends/torch/torch.hpp"
#include "mithril/backend/join_group.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/batches.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/serialization/files.hpp"
#include "tests/skip.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

constexpr const char* process_of_job = "a process of a job trains with the others";

TensorMap trained_by_job(const std::shared_ptr<Backend>& backend,
                         const std::shared_ptr<Communicator>& group) {
  Model layers;
  layers |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
  TrainModel train(layers);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  const CompiledModel compiled =
      compile(train, backend, {.shapes = {{"x", {any, 3}}, {"t", {any, 2}}}, .group = group});
  SGD optimizer({.lr = 0.1});
  TrainingStep step(compiled, optimizer);
  TensorMap params = compiled.get_parameters();
  Tensor x(DType::float64, {5, 3});
  for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data<double>()[i] = 0.1 * double(i);
  const TensorMap batch = {{"x", x}, {"t", Tensor::ones({5, 2}).to(DType::float64)}};
  for (int i = 0; i < 3; ++i) step(params, rows_of_process(compiled, batch));
  return params;
}

// A port of this machine that is free.
int free_port() {
  const int listening = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any_address = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(bind(listening, any_address, size) == 0);
  REQUIRE(getsockname(listening, any_address, &size) == 0);
  close(listening);
  return ntohs(address.sin_port);
}

// Starts this program as a process of a job. What it prints goes to the file.
pid_t start_process(int rank, int size, int port, const std::string& file) {
  std::vector<std::string> variables = {
      "RANK=" + std::to_string(rank), "WORLD_SIZE=" + std::to_string(size), "MASTER_ADDR=127.0.0.1",
      "MASTER_PORT=" + std::to_string(port), "OMP_NUM_THREADS=1"};
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  for (char** at = environ; *at; ++at) environment.push_back(*at);
  environment.push_back(nullptr);
  std::vector<std::string> words = {"mithril_tests", "--no-skip",
                                    std::string("--test-case=") + process_of_job};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  REQUIRE(posix_spawn(&process, "/proc/self/exe", &actions, nullptr, arguments.data(),
                      environment.data()) == 0);
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

}  // namespace

TEST_CASE(process_of_job* doctest::skip()) {
  const std::shared_ptr<Communicator> group = distributed::init({.timeout = 30});
  CHECK(group->size() == 2);
  CHECK(distributed::init() == group);
  CHECK(communicator(group->name()) == group);
  unregister_communicator(group->name());
  CHECK(distributed::init() == group);
  CHECK(communicator(group->name()) == group);
  const std::shared_ptr<Backend> on_cpu = cpu({.dtype = DType::float64, .threads = 1});
  const TensorMap expected = trained_by_job(on_cpu, nullptr);
  for (const std::shared_ptr<Backend>& backend : {on_cpu, torch({.dtype = DType::float64})}) {
    for (const auto& [key, tensor] : trained_by_job(backend, group))
      CHECK(difference(tensor.host(), expected.at(key), 1e-12) == "");
  }
}

TEST_CASE("processes without Python train one model, and join their group once") {
  if (!has_torch()) return skip_without_torch();
  const FileFolder folder;
  const int port = free_port();
  std::vector<pid_t> processes;
  for (int rank = 0; rank < 2; ++rank)
    processes.push_back(start_process(rank, 2, port, folder.at(std::to_string(rank))));
  for (size_t rank = 0; rank < processes.size(); ++rank) {
    int status = -1;
    REQUIRE(waitpid(processes[rank], &status, 0) == processes[rank]);
    std::ifstream file(folder.at(std::to_string(rank)));
    const std::string printed{std::istreambuf_iterator<char>(file), {}};
    CAPTURE(printed);
    CHECK(status == 0);
  }
}

TEST_CASE("each call of init in a process alone returns the same group") {
  CHECK(distributed::init() == distributed::init());
}

}  // namespace mithril::tests
