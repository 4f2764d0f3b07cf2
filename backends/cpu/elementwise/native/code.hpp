// The loops of a plan as native code: one run of the compiler for all of them, or none where the
// cache knows them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/elementwise/native/library.hpp"
#include "backends/cpu/elementwise/native/text.hpp"

namespace mithril::cpu_backend {

class NativeCode {
 public:
  // While steps are lowered.
  void add(const ShapedGraph& shaped, const ElementwiseProgram& program);
  // Once all are known. Never fails: loops are interpreted where there is no code for them.
  void build();
  // The step of the loop, null where there is none; the library lives longer than its steps.
  std::unique_ptr<ElementStep> step(const ShapedGraph& shaped, const ElementwiseProgram& program,
                                    int threads, const BufferRefs& refs) const;

  const std::shared_ptr<const NativeLibrary>& library() const { return library_; }
  // For the summary: what was compiled, or why it was not.
  std::string note() const;

 private:
  std::vector<std::string> texts_;
  std::map<std::string, size_t, std::less<>> index_of_;  // per text
  size_t loops_ = 0, unsuitable_ = 0;
  std::string compiler_, why_;
  std::shared_ptr<const NativeLibrary> library_;
};

// For the summary, as long as no sizes are known.
std::string native_outlook();

}  // namespace mithril::cpu_backend
