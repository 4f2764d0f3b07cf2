// Surroundings in which the CPU backend compiles loops.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>

#include "backends/cpu/cpu.hpp"
#include "tests/compile/cache_folder.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/skip.hpp"

namespace mithril::tests {

// Sets an environment variable, and restores its value when it is destroyed.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    value ? setenv(name_, value->c_str(), 1) : unsetenv(name_);
  }

  const char* const name_;
  std::optional<std::string> before_;
};

// A shell script in a temporary folder, which replaces a compiler and counts its runs.
class Script {
 public:
  explicit Script(const std::string& text) {
    REQUIRE(mkdtemp(folder_.data()));
    path_ = folder_ + "/compiler";
    log_ = folder_ + "/log";
    std::ofstream(path_) << "#!/bin/sh\necho run >> " << log_ << "\n" << text << "\n";
    REQUIRE(chmod(path_.c_str(), 0700) == 0);
  }
  ~Script() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  const std::string& path() const { return path_; }
  const std::string& folder() const { return folder_; }
  std::ptrdiff_t runs() const {
    const std::string log = contents(log_);
    return std::count(log.begin(), log.end(), '\n');
  }

 private:
  std::string folder_ = std::filesystem::temp_directory_path() / "mithril_compiler_XXXXXX";
  std::string path_, log_;
};

inline bool has_compiler() { return system("c++ --version > /dev/null 2>&1") == 0; }

inline void skip_without_compiler() { skip("there is no C++ compiler"); }

inline std::unique_ptr<Executable> load_native(const Graph& graph, CpuOptions options = {}) {
  return cpu(options)->load(graph, {.max = true});
}

// Returns the last note, which is about native code.
inline std::string native_note(const Executable& executable) {
  const std::vector<std::string> notes = executable.notes();
  return notes.empty() ? "" : notes.back();
}

// Returns an empty text if all elements have the same bits; all NaNs are equal.
inline std::string bits_difference(const Tensor& got, const Tensor& expected) {
  if (got.dtype() != expected.dtype() || got.dims() != expected.dims()) return "of another kind";
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double a = got.at_as_double(i), b = expected.at_as_double(i);
    const bool same = std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
    if (!same) return fmt::format("element {} is {}, expected {}", i, a, b);
  }
  return {};
}

// A program with calls of kernels, two outputs and a broadcast input, of these dims.
inline std::string gelu_text(int64_t rows, int64_t columns) {
  return fmt::format(
      "graph {{\n"
      "  input x: float32[{0}, {1}]\n"
      "  input row: float32[{1}]\n"
      "  input column: float32[{0}, 1]\n"
      "  a: float32[{0}, {1}] = add(left: x, right: row)\n"
      "  g: float32[{0}, {1}] = gelu(input: a)\n"
      "  b: bool[{0}, {1}] = less(left: g, right: column)\n"
      "  t: float32[{0}, {1}] = tanh(input: g)\n"
      "  y: float32[{0}, {1}] = where(cond: b, input1: t, input2: 2.5)\n"
      "  output b = b\n"
      "  output y = y\n"
      "}}\n",
      rows, columns);
}

inline std::vector<Tensor> gelu_inputs(int64_t rows, int64_t columns) {
  return {random({rows, columns}, 1), random({columns}, 2), random({rows, 1}, 3)};
}

// Returns an empty text if the results have the bits of the interpreter.
inline std::string apart_from_interpreted(const Executable& native, const std::string& text,
                                          const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> got = native.run(inputs);
  const std::vector<Tensor> expected = cpu()->load(parse_graph(text), {})->run(inputs);
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string wrong = bits_difference(got[i], expected[i]);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

inline const std::string one_loop = gelu_text(3, 100);

}  // namespace mithril::tests
