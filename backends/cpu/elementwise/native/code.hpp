// The elementwise programs of a plan as native code. One run of the compiler builds all of them,
// unless the cache holds the library.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/elementwise/native/compiler.hpp"
#include "backends/cpu/elementwise/native/text.hpp"
#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

class NativeCode {
 public:
  // Adds a program during lowering.
  void add(const ShapedGraph& shaped, const ElementwiseProgram& program);
  // Builds the library after all programs were added. If this fails, the programs are interpreted:
  // `note` tells why.
  void build();
  // The step of the program; null: there is no native code for it. The library must outlive its
  // steps.
  std::unique_ptr<ElementStep> step(const ShapedGraph& shaped, const ElementwiseProgram& program,
                                    int threads, const BufferRefs& refs) const;

  const std::shared_ptr<const NativeLibrary>& library() const { return library_; }
  // A note for the summary: what was compiled, or why nothing was.
  std::string note() const;

 private:
  std::vector<std::string> texts_;
  std::map<std::string, size_t, std::less<>> index_of_;  // by text: the index in texts_
  size_t programs_ = 0, unsuitable_ = 0;
  std::string compiler_, why_;
  std::shared_ptr<const NativeLibrary> library_;
};

// The note for the summary while the sizes are unknown.
std::string native_note_before_sizes();

}  // namespace mithril::cpu_backend
