// Runs the text of CUDA kernels on the CPU, one thread after the other. The system's C++ compiler
// compiles the same formulas and indices that run on a GPU.
#pragma once

#include <dlfcn.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "codegen/cuda_kernel.hpp"
#include "codegen/cuda_layout.hpp"
#include "mithril/base/process.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/tensor/float16.hpp"

namespace mithril::tests {

// What CUDA declares, without headers: the prelude has functions of std of its own.
inline constexpr const char* cuda_on_cpu_text = R"(
#define MITHRIL_ON_CPU
#define __global__
#define __device__
struct Index3 { unsigned x; };
static thread_local Index3 gridDim, blockDim, blockIdx, threadIdx;
extern "C" {
float (*float_of_half)(unsigned short);
unsigned short (*half_of_float)(float);
double fabs(double); float fabsf(float);
double atan2(double, double); float atan2f(float, float);
double pow(double, double); float powf(float, float);
#define DECLARE(name) double name(double); float name##f(float);
DECLARE(atan) DECLARE(cos) DECLARE(erf) DECLARE(erfc) DECLARE(exp) DECLARE(expm1)
DECLARE(floor) DECLARE(lgamma) DECLARE(log) DECLARE(log1p) DECLARE(rint) DECLARE(sin)
DECLARE(sqrt) DECLARE(tanh) DECLARE(trunc)
}
template <typename To, typename From> To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}
int __float_as_int(float x) { return same_bits<int>(x); }
float __int_as_float(int x) { return same_bits<float>(x); }
double __longlong_as_double(long long x) { return same_bits<double>(x); }
template <int... i> struct Ints {};
template <int n, int... i> struct UpTo : UpTo<n - 1, n - 1, i...> {};
template <int... i> struct UpTo<0, i...> { typedef Ints<i...> type; };
template <typename... P, int... i>
void call(void (*kernel)(P...), void** arguments, Ints<i...>) {
  kernel(*static_cast<P*>(arguments[i])...);
}
template <typename... P>
void run(void (*kernel)(P...), unsigned blocks, unsigned threads, void** arguments) {
  gridDim.x = blocks, blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x)
      call(kernel, arguments, typename UpTo<sizeof...(P)>::type());
}
)";

class CudaOnCpu {
 public:
  // `names`: of the kernels in the text, which follows the prelude.
  CudaOnCpu(const std::string& text, std::span<const std::string> names) {
    std::string source = cuda_on_cpu_text + std::string(cuda_prelude()) + text;
    for (const std::string& name : names) {
      source += "extern \"C\" void run_" + name + "(unsigned b, unsigned t, void** a) { run(" +
                name + ", b, t, a); }\n";
    }
    std::ofstream(folder_.path("kernels.cpp")) << source;
    const std::string log = folder_.path("log"), library = folder_.path("kernels.so");
    const ProcessOptions options{
        .log = log, .temporary_folder = folder_.path(), .limit = std::chrono::minutes(10)};
    const std::string command = "c++ -std=c++17 -O0 -w -fPIC -shared -ffp-contract=off -o " +
                                library + " " + folder_.path("kernels.cpp") + " -lm";
    run_process({"/bin/sh", "-c", command}, options);
    library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) {
      std::ifstream said(log);
      throw std::runtime_error(std::string(std::istreambuf_iterator<char>(said), {}));
    }
    *find<float (**)(unsigned short)>("float_of_half") = [](unsigned short bits) {
      return static_cast<float>(float16::from_bits(bits));
    };
    *find<unsigned short (**)(float)>("half_of_float") = [](float number) {
      return static_cast<unsigned short>(float16(number).bits);
    };
  }
  ~CudaOnCpu() { ::dlclose(library_); }
  CudaOnCpu(const CudaOnCpu&) = delete;
  CudaOnCpu& operator=(const CudaOnCpu&) = delete;

  void launch(const std::string& name, CudaGrid grid, void** arguments) const {
    find<void (*)(unsigned, unsigned, void**)>("run_" + name)(grid.blocks, grid.threads, arguments);
  }

 private:
  template <typename Found>
  Found find(const std::string& name) const {
    void* found = ::dlsym(library_, name.c_str());
    if (!found) throw std::runtime_error("the kernels have no " + name);
    return reinterpret_cast<Found>(found);
  }

  TemporaryFolder folder_{"mithril-cuda-"};
  void* library_ = nullptr;
};

}  // namespace mithril::tests
