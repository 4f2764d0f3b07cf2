// What generated code for WebAssembly needs in place of a runtime: memory of kernels, which a call
// frees as a whole, and errors, which JavaScript throws.
#include <cstddef>
#include <cstdint>
#include <new>

extern "C" {
extern unsigned char __heap_base;
}

namespace mithril_wasm {

char* scratch = nullptr;  // the next free byte

// Kernels allocate in the memory behind the model's.
inline void free_scratch(char* end_of_model) { scratch = end_of_model; }

inline void* allocate(std::size_t bytes) {
  constexpr std::size_t alignment = 64, page = 65536;
  char* const made = scratch;
  scratch += (bytes + alignment - 1) / alignment * alignment;
  const auto end = reinterpret_cast<std::uintptr_t>(scratch);
  const std::size_t size = __builtin_wasm_memory_size(0) * page;
  if (end <= size) return made;
  const std::size_t pages = (end - size + page - 1) / page;
  if (__builtin_wasm_memory_grow(0, pages) == static_cast<std::size_t>(-1))
    mithril_fail("there is not enough memory");
  return made;
}

}  // namespace mithril_wasm

void* operator new(std::size_t bytes) { return mithril_wasm::allocate(bytes); }
void* operator new[](std::size_t bytes) { return mithril_wasm::allocate(bytes); }
void operator delete(void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}
void operator delete[](void*) noexcept {}
void operator delete[](void*, std::size_t) noexcept {}
