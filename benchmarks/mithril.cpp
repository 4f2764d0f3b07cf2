// The command line: mithril bench WORKLOAD [--rounds N] [--threads T] [--data DIR].
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "runner/bench.hpp"

namespace {

using mithril::bench::BenchOptions;

constexpr const char* usage =
    "usage: mithril bench WORKLOAD [--rounds N] [--threads T] [--data DIR]";

BenchOptions read_options(const std::vector<std::string>& words) {
  if (words.size() < 2 || words[0] != "bench" || words.size() % 2 != 0) {
    throw std::runtime_error(usage);
  }
  BenchOptions options{.workload = words[1]};
  for (size_t i = 2; i < words.size(); i += 2) {
    const std::string &name = words[i], &value = words[i + 1];
    if (name == "--data") {
      options.data = value;
    } else if (name == "--rounds") {
      options.rounds = std::stoi(value);
    } else if (name == "--threads") {
      options.threads = std::stoi(value);
    } else {
      throw std::runtime_error(usage);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::printf("%s\n", mithril::bench::bench(read_options({argv + 1, argv + argc})).c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
