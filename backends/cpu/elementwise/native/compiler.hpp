// The system's C++ compiler.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

struct Compiler {
  std::vector<std::string> command;  // its path, and what comes before other arguments
  // The path, and of the file behind it the size and when it changed. What it says of its version
  // is not asked for: each process would start it once more, and what another version made is
  // right as well.
  std::string identity;
};

// $CXX, words of which after the first are arguments; where that is not set, the first of c++, g++
// and clang++ that is on the PATH. Nothing where there is none, and `why` says so.
std::optional<Compiler> find_compiler(std::string& why);

// What the compiler is told besides files: products are not contracted with sums, and nothing of
// what IEEE 754 says is left out, so that the bits are those of the kernels for these instructions.
std::vector<std::string> native_flags(Instructions instructions);

struct Compiled {
  std::string library;  // the bytes of a shared library; empty where there is none
  std::string why;      // it failed
};
Compiled compile_native(const Compiler& compiler, const std::vector<std::string>& flags,
                        const std::string& source,
                        std::chrono::milliseconds limit = std::chrono::seconds(60));

}  // namespace mithril::cpu_backend
