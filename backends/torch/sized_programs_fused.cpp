// Programs whose elementwise nodes are fused on a GPU.
#include "backends/torch/sized_programs.hpp"

namespace mithril::torch_backend {

void SizedPrograms::fuse(Program& program) const {
  Fusion made = fuse_elementwise(graph_, program, *kernels_);
  const std::lock_guard lock(mutex_);
  fusion_.nodes += made.nodes;
  fusion_.kernels += made.kernels;
  if (!made.why.empty()) fusion_.why = std::move(made.why);
}

std::vector<std::string> SizedPrograms::fusion_notes() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes;
  if (fusion_.kernels > 0) {
    notes.push_back("CUDA kernels: " + std::to_string(fusion_.nodes) +
                    " elementwise nodes run as " + std::to_string(fusion_.kernels));
  }
  if (!fusion_.why.empty())
    notes.push_back("CUDA kernels: elementwise nodes run one by one, because " + fusion_.why);
  return notes;
}

}  // namespace mithril::torch_backend
