// The code around the work of every interface function.
#pragma once
#include <new>

#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

// Calls work(workspace). Allocates the workspace if the caller passes none.
template <typename Work>
const char* run(void* workspace, size_t bytes, Work work) {
  char* own = nullptr;
  const char* problem = nullptr;
#ifdef __cpp_exceptions
  try {
    if (!workspace) own = new char[bytes];
    work(own ? own : static_cast<char*>(workspace));
  } catch (const Failure& failure) {
    problem = failure.message;
  } catch (const std::bad_alloc&) {
    problem = "there is not enough memory";
  }
#else
  if (!workspace) own = new char[bytes];
  work(own ? own : static_cast<char*>(workspace));
#endif
  delete[] own;
  return problem;
}

template <typename T, typename From, size_t rank>
void copy(T* to, Tensor<From, rank> from) {
  for (int64_t i = 0; i < from.size(); ++i) to[i] = static_cast<T>(from[i]);
}

}  // namespace mithril::snippets
