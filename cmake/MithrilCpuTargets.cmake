# The vector instructions for which kernels of the CPU backend are compiled.
set(MITHRIL_CPU_TARGETS all CACHE STRING
    "Instructions that the kernels of the CPU backend are compiled for: all, native, portable, avx2 or avx512")
set_property(CACHE MITHRIL_CPU_TARGETS PROPERTY STRINGS all native portable avx2 avx512)

set(mithril_processor_program [[
#include <cstdio>
#include "backends/cpu/kernels/processor.hpp"
using namespace mithril::cpu_backend;
int main() { std::puts(processor_has_avx512() ? "avx512" : processor_has_avx2() ? "avx2" : "portable"); }
]])

# Asked at each configuration: a folder of a build may be on another machine now.
function(mithril_best_instructions variable)
  if(CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "MITHRIL_CPU_TARGETS=native asks the processor that builds, and this build is for another "
                        "one: give portable, avx2, avx512 or all")
  endif()
  try_run(status compiled
          SOURCES "${PROJECT_SOURCE_DIR}/backends/cpu/kernels/processor.cpp"
          SOURCE_FROM_VAR best_instructions.cpp mithril_processor_program
          NO_CACHE
          CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}"
          COMPILE_OUTPUT_VARIABLE output RUN_OUTPUT_VARIABLE best
          CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
  if(NOT compiled OR NOT status EQUAL 0)
    message(FATAL_ERROR "The program that asks for the instructions of the processor failed:\n${output}${best}")
  endif()
  string(STRIP "${best}" best)
  set(${variable} "${best}" PARENT_SCOPE)
endfunction()

set(mithril_cpu_target "${MITHRIL_CPU_TARGETS}")
if(mithril_cpu_target STREQUAL "native")
  mithril_best_instructions(mithril_cpu_target)
endif()

# Definitions for Highway: the one target of a source, or none for its own choice.
if(mithril_cpu_target STREQUAL "all")
  set(mithril_kernel_definitions "")
elseif(mithril_cpu_target STREQUAL "portable")
  set(mithril_kernel_definitions HWY_COMPILE_ONLY_STATIC)
elseif(mithril_cpu_target STREQUAL "avx2")
  set(mithril_kernel_definitions HWY_COMPILE_ONLY_STATIC HWY_BASELINE_TARGETS=HWY_AVX2)
elseif(mithril_cpu_target STREQUAL "avx512")
  set(mithril_kernel_definitions HWY_COMPILE_ONLY_STATIC HWY_BASELINE_TARGETS=HWY_AVX3)
else()
  message(FATAL_ERROR "MITHRIL_CPU_TARGETS is '${MITHRIL_CPU_TARGETS}', expected all, native, portable, avx2 or avx512")
endif()
if(mithril_kernel_definitions)
  message(STATUS "Kernels of the CPU backend are compiled for ${mithril_cpu_target} only")
endif()
