// Functions of libraries that are opened while the program runs.
#pragma once

#include <dlfcn.h>

namespace mithril::torch_backend {

// Sets `function` to the symbol `name` of an open library, or to null, and returns whether it is
// there.
template <typename Function>
bool find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace mithril::torch_backend
