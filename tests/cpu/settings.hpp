// Settings of the CPU backend for one graph, all of which match the reference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/kernels/instruction_set.hpp"
#include "mithril/backend/backend.hpp"

namespace mithril::tests {

struct CpuSetting {
  cpu_backend::Instructions instructions;
  bool fuse = true;  // nodes run together
  int threads = 1;
  bool native = false;  // loops are compiled
};

// "avx2, fused, 2 threads, interpreted"
std::string description(const CpuSetting& setting);

// The settings that this processor supports. Together they cover each pair of options.
const std::vector<CpuSetting>& cpu_settings();

// Limits the instructions for which kernels are chosen, until it is destroyed.
class InstructionsLimit {
 public:
  explicit InstructionsLimit(cpu_backend::Instructions most)
      : before_(cpu_backend::best_instructions()) {
    cpu_backend::limit_instructions(most);
  }
  ~InstructionsLimit() { cpu_backend::limit_instructions(before_); }
  InstructionsLimit(const InstructionsLimit&) = delete;
  InstructionsLimit& operator=(const InstructionsLimit&) = delete;

 private:
  const cpu_backend::Instructions before_;
};

// Also run it under the limit of the setting's instruction set.
std::unique_ptr<Executable> load_with(const CpuSetting& setting, const Graph& graph);

}  // namespace mithril::tests
