// Fails each allocation of some scenarios in turn, each in a process of its own. After a failure
// there must be a std::bad_alloc, the objects must be as before the call, and the call must
// succeed when it is made again. A call that has begun to write throws OutOfMemoryError E1102.
//
// Usage: mithril_allocation_failure [--sample N] [--seed N]  N of each scenario, by the seed
//        mithril_allocation_failure --all                    every allocation
//        mithril_allocation_failure --scenario NAME [--at N]
// Ends with the line `N passed, N failed`.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>

#include "mithril/base/error.hpp"
#include "tests/allocation_failure/failing_allocator.hpp"
#include "tests/allocation_failure/scenario.hpp"

namespace mithril::tests {
namespace {

constexpr unsigned seconds_for_one = 120;

// Returns a complaint; empty if the call failed as required.
std::string complaint_about_error(const std::function<void()>& call, bool& failed,
                                  bool& has_written) {
  failed = true;
  FailingAllocator::count(true);
  try {
    call();
    FailingAllocator::count(false);
    failed = false;
  } catch (const OutOfMemoryError& error) {
    FailingAllocator::count(false);
    has_written = error.details().wrote_inputs;
    if (error.code() != "E1102" || !has_written)
      return std::string("another error: ") + error.what();
  } catch (const BackendError& error) {
    FailingAllocator::count(false);
    const std::string text = error.what();
    const char* no_thread =
        "mithril.BackendError[E1211]: the engine cannot start a thread: Resource temporarily "
        "unavailable";
    if (!text.starts_with(no_thread)) return "another error: " + text;
  } catch (const std::bad_alloc&) {
    FailingAllocator::count(false);
  } catch (const std::exception& error) {
    FailingAllocator::count(false);
    return std::string("no std::bad_alloc, but ") + error.what();
  }
  return "";
}

std::vector<NamedScenario> all_scenarios() {
  std::vector<NamedScenario> all = model_scenarios();
  for (const auto& more : {value_scenarios(), serving_scenarios()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

// The first difference of two texts.
std::string difference(const std::string& got, const std::string& expected) {
  const auto [at, other] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  const auto from = static_cast<size_t>(std::max<std::ptrdiff_t>(0, at - got.begin() - 60));
  return "got ..." + got.substr(from, 200) + "...\nexpected ..." + expected.substr(from, 200);
}

// Runs a scenario with one failing request, and returns a complaint; empty if there is none.
std::string complaint(const NamedScenario& named, long request) {
  const auto reference = named.make();  // also allocates permanent memory of the library
  for (const auto& call : reference->calls()) call();
  const std::string expected = reference->state();
  auto scenario = named.make();
  FailingAllocator::fail_at(request);
  for (size_t i = 0; i < scenario->calls().size(); ++i) {
    const auto& call = scenario->calls()[i];
    const std::string before = scenario->state();
    bool failed = false, has_written = false;
    const std::string wrong = complaint_about_error(call, failed, has_written);
    const std::string where = "call " + std::to_string(i) + ": ";
    if (!wrong.empty()) return where + wrong;
    if (!failed) continue;
    if (!FailingAllocator::has_failed()) return where + "an error, but no allocation failed";
    if (has_written) return "";
    const std::string after = scenario->state();
    if (after != before) return where + "the objects have changed: " + difference(after, before);
    try {
      call();
    } catch (const std::exception& error) {
      return where + "it fails again: " + error.what();
    }
  }
  const std::string made = scenario->state();
  if (made != expected) return "another result: " + difference(made, expected);
  FailingAllocator::count(true);
  scenario.reset();
  FailingAllocator::count(false);
  return "";
}

struct Ended {
  bool well = false;
  std::string printed;
};

// Runs the work in a child process, which prints complaints.
Ended in_child(const std::function<std::string()>& work) {
  int printed[2];
  if (pipe(printed) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    close(printed[0]);
    alarm(seconds_for_one);
    const std::string text = work();
    for (size_t done = 0; done < text.size();) {
      const ssize_t now = write(printed[1], text.data() + done, text.size() - done);
      if (now <= 0) _exit(1);
      done += static_cast<size_t>(now);
    }
    _exit(0);
  }
  close(printed[1]);
  Ended ended;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(printed[0], buffer, sizeof buffer)) > 0;)
    ended.printed.append(buffer, static_cast<size_t>(got));
  close(printed[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ended.well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (WIFSIGNALED(status)) ended.printed += std::string("died: ") + strsignal(WTERMSIG(status));
  return ended;
}

// The number of allocations of the calls and the destructor of the scenario.
long count_allocations(const NamedScenario& named) {
  const Ended ended = in_child([&] {
    const std::string wrong = complaint(named, -1);
    return wrong.empty() ? std::to_string(FailingAllocator::counted()) : wrong;
  });
  char* end = nullptr;
  const long count = std::strtol(ended.printed.c_str(), &end, 10);
  if (ended.well && *end == '\0' && end != ended.printed.c_str()) return count;
  std::printf("%s fails by itself: %s\n", named.name, ended.printed.c_str());
  return -1;
}

struct Choice {
  bool all = false;
  long sample = 24;      // of each scenario, if not all
  std::string scenario;  // empty: every one
  long at = -1;
  unsigned seed = 1;
};

// One random number from each of equal ranges.
std::vector<long> sampled(long count, long sample, std::mt19937& random) {
  const long parts = std::min(count, sample);
  std::vector<long> numbers;
  for (long i = 0; i < parts; ++i) {
    const long begin = count * i / parts, end = count * (i + 1) / parts;
    numbers.push_back(std::uniform_int_distribution<long>(begin, end - 1)(random));
  }
  return numbers;
}

std::vector<long> numbers_of(const Choice& choice, long count, std::mt19937& random) {
  if (choice.at >= 0) return {choice.at};
  if (!choice.all && choice.scenario.empty()) return sampled(count, choice.sample, random);
  std::vector<long> numbers;
  for (long i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

int run(const Choice& choice) {
  std::printf("seed %u\n", choice.seed);
  std::mt19937 random(choice.seed);
  size_t passed = 0, failed = 0;
  for (const NamedScenario& named : all_scenarios()) {
    if (!choice.scenario.empty() && choice.scenario != named.name) continue;
    const long count = count_allocations(named);
    failed += count < 0;
    const std::vector<long> numbers = numbers_of(choice, count, random);
    std::printf("%s: %zu of %ld allocations\n", named.name, numbers.size(), count);
    std::fflush(stdout);
    for (const long at : numbers) {
      const Ended ended = in_child([&] { return complaint(named, at); });
      const bool well = ended.well && ended.printed.empty();
      well ? ++passed : ++failed;
      if (!well) std::printf("--scenario %s --at %ld: %s\n", named.name, at, ended.printed.c_str());
    }
  }
  std::printf("%zu passed, %zu failed\n", passed, failed);
  return failed > 0 || passed == 0;
}

std::optional<Choice> choice_of(int count, char** arguments) {
  Choice choice;
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    if (option == "--all") {
      choice.all = true;
    } else if (option == "--scenario" && i + 1 < count) {
      choice.scenario = arguments[++i];
    } else if (option == "--at" && i + 1 < count) {
      choice.at = std::atol(arguments[++i]);
    } else if (option == "--sample" && i + 1 < count) {
      choice.sample = std::atol(arguments[++i]);
    } else if (option == "--seed" && i + 1 < count) {
      choice.seed = static_cast<unsigned>(std::strtoul(arguments[++i], nullptr, 10));
    } else {
      return std::nullopt;
    }
  }
  return choice;
}

}  // namespace
}  // namespace mithril::tests

int main(int count, char** arguments) {
  const auto choice = mithril::tests::choice_of(count, arguments);
  if (choice) return mithril::tests::run(*choice);
  std::fprintf(stderr, "usage: %s [--all] [--scenario NAME] [--at N] [--sample N] [--seed N]\n",
               arguments[0]);
  return 2;
}
