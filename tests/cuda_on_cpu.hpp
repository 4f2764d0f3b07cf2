// Runs the text of CUDA kernels on the CPU. The system's C++ compiler compiles the same formulas
// and indices that run on a GPU. The threads of a block take turns: each runs until it waits for
// others.
#pragma once

#include <dlfcn.h>
#include <ucontext.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "codegen/cuda/kernel.hpp"
#include "codegen/cuda/layout.hpp"
#include "mithril/base/process.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/tensor/float16.hpp"

namespace mithril::tests {

// Declares what CUDA declares. It includes no headers, because the prelude has functions of std of
// its own.
inline constexpr const char* cuda_on_cpu_text = R"(
#define MITHRIL_ON_CPU
#define __global__
#define __device__
#define __launch_bounds__(threads)
#define __shared__ static
struct Index3 { unsigned x, y; };
static Index3 gridDim, blockDim, blockIdx, threadIdx;
extern "C" {
void (*run_threads)(unsigned, void (*)(void*, unsigned), void*);
void (*wait_for_threads)();
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
void __syncthreads() {
  const Index3 here = threadIdx;
  wait_for_threads();
  threadIdx = here;
}
template <typename T> T __shfl_xor_sync(unsigned, T value, int distance) {
  static T values[1024];
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  values[thread] = value;
  __syncthreads();
  const T other = values[thread ^ distance];
  __syncthreads();
  return other;
}
template <int... i> struct Ints {};
template <int n, int... i> struct UpTo : UpTo<n - 1, n - 1, i...> {};
template <int... i> struct UpTo<0, i...> { typedef Ints<i...> type; };
template <typename... P, int... i>
void call(void (*kernel)(P...), void** arguments, Ints<i...>) {
  kernel(*static_cast<P*>(arguments[i])...);
}
template <typename... P>
struct Launch {
  void (*kernel)(P...);
  void** arguments;
  static void run_thread(void* launch, unsigned thread) {
    threadIdx = {thread % blockDim.x, thread / blockDim.x};
    const Launch& self = *static_cast<Launch*>(launch);
    call(self.kernel, self.arguments, typename UpTo<sizeof...(P)>::type());
  }
};
template <typename... P>
void run(void (*kernel)(P...), unsigned blocks, unsigned threads, unsigned rows, void** arguments) {
  Launch<P...> launch{kernel, arguments};
  gridDim.x = blocks, blockDim = {threads, rows};
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
    run_threads(threads * rows, Launch<P...>::run_thread, &launch);
}
)";

// The threads of a block, of which one runs at a time.
class ThreadsOfBlock {
 public:
  static void run(unsigned threads, void (*body)(void*, unsigned), void* argument) {
    ThreadsOfBlock block(body, argument);
    current_ = &block;
    block.run_all(threads);
  }
  // Lets each other thread run until it waits, too, or ends.
  static void wait() { swapcontext(&current_->threads_[current_->at_].context, &current_->main_); }

 private:
  struct Thread {
    ucontext_t context;
    bool ended = false;
  };

  ThreadsOfBlock(void (*body)(void*, unsigned), void* argument)
      : body_(body), argument_(argument) {}

  void run_all(unsigned threads) {
    constexpr std::size_t bytes = 1 << 16;
    threads_.resize(threads);
    while (stacks_.size() < threads) stacks_.push_back(std::make_unique<char[]>(bytes));
    for (std::size_t i = 0; i < threads; ++i) {
      ucontext_t& context = threads_[i].context;
      getcontext(&context);
      context.uc_stack.ss_sp = stacks_[i].get();
      context.uc_stack.ss_size = bytes;
      context.uc_link = &main_;
      makecontext(&context, &ThreadsOfBlock::run_current, 0);
    }
    for (bool waits = true; waits;) {
      waits = false;
      for (at_ = 0; at_ < threads_.size(); ++at_) {
        if (!threads_[at_].ended) swapcontext(&main_, &threads_[at_].context);
        waits = waits || !threads_[at_].ended;
      }
    }
  }

  static void run_current() {
    ThreadsOfBlock& block = *current_;
    block.body_(block.argument_, static_cast<unsigned>(block.at_));
    block.threads_[block.at_].ended = true;
  }

  inline static ThreadsOfBlock* current_ = nullptr;
  inline static std::vector<std::unique_ptr<char[]>> stacks_;
  void (*const body_)(void*, unsigned);
  void* const argument_;
  std::vector<Thread> threads_;
  std::size_t at_ = 0;
  ucontext_t main_ = {};
};

class CudaOnCpu {
 public:
  // `names` are the kernels in the text. The text follows the prelude.
  CudaOnCpu(const std::string& text, std::span<const std::string> names) {
    std::string source = cuda_on_cpu_text + std::string(cuda_prelude()) + text;
    for (const std::string& name : names) {
      source += "extern \"C\" void run_" + name +
                "(unsigned b, unsigned t, unsigned r, void** a) { run(" + name +
                ", b, t, r, a); }\n";
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
    *find<decltype(&ThreadsOfBlock::run)*>("run_threads") = ThreadsOfBlock::run;
    *find<decltype(&ThreadsOfBlock::wait)*>("wait_for_threads") = ThreadsOfBlock::wait;
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
    find<void (*)(unsigned, unsigned, unsigned, void**)>("run_" + name)(grid.blocks, grid.threads,
                                                                        grid.rows, arguments);
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
