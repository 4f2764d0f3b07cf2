// The command line: mithril bench WORKLOAD [...], mithril peak, and mithril accuracy.
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "runner/accuracy.hpp"
#include "runner/bench.hpp"
#include "runner/peak.hpp"

namespace {

using mithril::bench::BenchOptions;

constexpr const char* usage =
    "usage: mithril bench WORKLOAD [--rounds N] [--threads T] [--data DIR] [--turns]"
    " [--native]\n"
    "                              [--dtype D] [--weight-dtype D] [--amp]\n"
    "       mithril peak [--threads T]\n"
    "       mithril accuracy [FUNCTION ...]";

bool* flag_of(BenchOptions& options, const std::string& name) {
  if (name == "--turns") return &options.takes_turns;
  if (name == "--native") return &options.native;
  return name == "--amp" ? &options.mixed : nullptr;
}

BenchOptions read_options(const std::vector<std::string>& words) {
  BenchOptions options;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& name = words[i];
    if (bool* flag = flag_of(options, name)) {
      *flag = true;
      continue;
    }
    if (++i == words.size()) throw std::runtime_error(usage);
    if (name == "--data") {
      options.data = words[i];
    } else if (name == "--rounds") {
      options.rounds = std::stoi(words[i]);
    } else if (name == "--threads") {
      options.threads = std::stoi(words[i]);
    } else if (name == "--dtype") {
      options.dtype = mithril::parse_dtype(words[i]);
    } else if (name == "--weight-dtype") {
      options.weight_dtype = mithril::parse_dtype(words[i]);
    } else {
      throw std::runtime_error(usage);
    }
  }
  return options;
}

void run(const std::vector<std::string>& words) {
  if (words.size() >= 2 && words[0] == "bench") {
    BenchOptions options = read_options({words.begin() + 2, words.end()});
    options.workload = words[1];
    mithril::bench::bench(options);
  } else if (!words.empty() && words[0] == "peak") {
    mithril::bench::peak(read_options({words.begin() + 1, words.end()}).threads);
  } else if (!words.empty() && words[0] == "accuracy") {
    mithril::bench::accuracy({words.begin() + 1, words.end()});
  } else {
    throw std::runtime_error(usage);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
