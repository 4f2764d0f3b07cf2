// How clang compiles the source of a WebAssembly package.
#pragma once
#include <array>

namespace mithril {

// Without exceptions and a main function, because the loader calls the exported functions.
inline constexpr std::array wasm_compiler_flags = {
    "--target=wasm32-wasi", "-msimd128", "-mmutable-globals", "-std=c++17", "-O3",
    // that of clang 14 writes wrong doubles
    "-fno-slp-vectorize", "-fno-exceptions", "-fno-rtti", "-ffunction-sections",
    "-fvisibility=hidden", "-w", "-nostartfiles", "-Wl,--no-entry", "-Wl,--gc-sections",
    "-Wl,--strip-all", "-Wl,--export=__heap_base", "-Wl,--export=__stack_pointer",
    "-Wl,-z,stack-size=262144"};

inline constexpr const char* wasm_compiler_packages =
    "clang, lld, libc++-14-dev-wasm32, libc++abi-14-dev-wasm32, libclang-rt-14-dev-wasm32";

}  // namespace mithril
