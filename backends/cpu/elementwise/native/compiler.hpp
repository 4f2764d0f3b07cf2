// The system's C++ compiler, and shared libraries that are loaded from memory.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

struct Compiler {
  std::vector<std::string> command;  // its path, then its first arguments
  // Identifies the compiler in the cache: the size and modification time of its file, and the
  // command. Its version is not queried, because each process would have to start the compiler for
  // this, and code of another version is valid, too.
  std::string identity;
};

// $CXX, whose words after the first are arguments. If it is not set: the first of c++, g++ and
// clang++ on the PATH. If there is none, returns none and sets `why`.
std::optional<Compiler> find_compiler(std::string& why);

// The flags of the compiler. They forbid contraction to FMA and keep the results of IEEE 754, so
// that results have the same bits as those of the kernels for these instructions.
std::vector<std::string> native_flags(Instructions instructions);

struct Compiled {
  std::string library;  // the bytes of a shared library; empty: compilation failed
  std::string why;      // the reason of a failure
};
Compiled compile_native(const Compiler& compiler, const std::vector<std::string>& flags,
                        const std::string& source,
                        std::chrono::milliseconds limit = std::chrono::seconds(60));

class NativeLibrary {
 public:
  // Loads a library from its bytes. If this fails, returns null and sets `why`. The library is in
  // an anonymous memory file: no other process can change it, and file systems that forbid
  // execution (noexec) do not matter.
  static std::shared_ptr<const NativeLibrary> open(std::string_view bytes, std::string& why);
  ~NativeLibrary();
  NativeLibrary(const NativeLibrary&) = delete;
  NativeLibrary& operator=(const NativeLibrary&) = delete;

  void* find(const std::string& name) const;  // null: no such symbol

 private:
  explicit NativeLibrary(void* handle) : handle_(handle) {}

  void* const handle_;
};

}  // namespace mithril::cpu_backend
