// What the text of kernels uses. NVRTC has no standard library. tests/cuda_on_cpu.hpp stands in for
// CUDA on a CPU.
typedef int int32_t;
typedef long long int64_t;

// Which elements a kernel computes, and where they are: CudaLayout of codegen/cuda/layout.hpp.
struct Layout {
  int64_t count, axes;
  int64_t sizes[8];
  int64_t steps[16][8];
};

// The tensors that one launch computes: CudaBatch of codegen/cuda/batch.hpp.
struct Batch {
  int64_t tensors, ports;
  int64_t steps[16];
  int64_t counts[48];
  int64_t first_blocks[49];
  void* pointers[384];
};
// The elements that a block computes.
struct Share {
  int64_t tensor, first, end;
};
__device__ Share share_of_block(const Batch& batch) {
  const int64_t block = blockIdx.x, elements = 8192;
  int64_t tensor = 0;
  while (block >= batch.first_blocks[tensor + 1]) ++tensor;
  const int64_t first = (block - batch.first_blocks[tensor]) * elements;
  const int64_t end = first + elements, count = batch.counts[tensor];
  return {tensor, first, end < count ? end : count};
}
template <typename T>
__device__ T* pointer_of(const Batch& batch, int64_t tensor, int64_t port) {
  return static_cast<T*>(batch.pointers[tensor * batch.ports + port]);
}

// Elements that one load or store moves.
template <typename T, int lanes>
struct alignas(lanes * sizeof(T)) Lanes {
  T at[lanes];
};
// `step`: from one element to the next, 0 or 1. All threads agree on it.
template <int lanes, typename T>
__device__ Lanes<T, lanes> load_lanes(const T* from, int64_t step) {
  if (lanes == 1 || step == 1) return *reinterpret_cast<const Lanes<T, lanes>*>(from);
  Lanes<T, lanes> all;
#pragma unroll
  for (int k = 0; k < lanes; ++k) all.at[k] = *from;
  return all;
}
template <int lanes, typename T>
__device__ void store_lanes(T* to, const Lanes<T, lanes>& all) {
  *reinterpret_cast<Lanes<T, lanes>*>(to) = all;
}

// Adds the offset of an index along an axis to the offset of each input.
template <int inputs>
__device__ void add_offsets(int64_t (&offsets)[inputs], const Layout& layout, int64_t axis,
                            int64_t index) {
#pragma unroll
  for (int i = 0; i < inputs; ++i) offsets[i] += index * layout.steps[i][axis];
}
template <typename Index, int inputs>
__device__ void find_offsets_by(int64_t (&offsets)[inputs], const Layout& layout, int64_t axes,
                                Index element) {
#pragma unroll
  for (int i = 0; i < inputs; ++i) offsets[i] = 0;
#pragma unroll 1
  for (int64_t axis = axes - 1; axis > 0; --axis) {
    const Index size = static_cast<Index>(layout.sizes[axis]), outer = element / size;
    add_offsets(offsets, layout, axis, static_cast<int64_t>(element - outer * size));
    element = outer;
  }
  add_offsets(offsets, layout, 0, static_cast<int64_t>(element));
}
// The offset in each input of an index into the first axes. Divisions of 32 bits are several times
// as fast.
template <int inputs>
__device__ void find_offsets_along(int64_t (&offsets)[inputs], const Layout& layout, int64_t axes,
                                   int64_t index) {
  if (layout.count <= 2147483647)
    find_offsets_by(offsets, layout, axes, static_cast<unsigned>(index));
  else
    find_offsets_by(offsets, layout, axes, static_cast<unsigned long long>(index));
}
template <int inputs>
__device__ void find_offsets(int64_t (&offsets)[inputs], const Layout& layout, int64_t element) {
  find_offsets_along(offsets, layout, layout.axes, element);
}
// Of the first element of a row, which is all of the last axis.
template <int inputs>
__device__ void find_row_offsets(int64_t (&offsets)[inputs], const Layout& layout, int64_t row) {
  find_offsets_along(offsets, layout, layout.axes - 1, row);
}
__device__ int64_t first_item() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ int64_t item_step() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }
// A row is computed by the threads along x: a warp, or else all of a block.
__device__ int64_t first_row() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
}
__device__ int64_t row_step() { return static_cast<int64_t>(gridDim.x) * blockDim.y; }

#ifndef MITHRIL_ON_CPU
__device__ float float_of_half(unsigned short bits) {
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
  return number;
}
__device__ unsigned short half_of_float(float number) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(number));
  return bits;
}
#endif

// Elements of half precision are computed as floats, and each result is rounded to its dtype.
struct Half { unsigned short bits; };
struct BFloat16 { unsigned short bits; };
template <typename T>
__device__ T number(T element) { return element; }
__device__ float number(Half element) { return float_of_half(element.bits); }
__device__ float number(BFloat16 element) {
  return __int_as_float(static_cast<int>(static_cast<unsigned>(element.bits) << 16));
}
template <typename T>
struct Element {
  template <typename Number>
  __device__ static T of(Number number) { return number; }
};
template <>
struct Element<Half> {
  __device__ static Half of(float number) { return Half{half_of_float(number)}; }
};
template <>
struct Element<BFloat16> {
  // To the nearest, ties to even.
  __device__ static BFloat16 of(float number) {
    const unsigned bits = static_cast<unsigned>(__float_as_int(number));
    if (number != number) return BFloat16{0x7fff};
    return BFloat16{static_cast<unsigned short>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
  }
};
template <typename T>
__device__ float rounded(float value) { return number(Element<T>::of(value)); }

// Ints wrap, as everywhere in Mithril.
template <typename T> struct Unsigned;
template <> struct Unsigned<int32_t> { typedef unsigned type; };
template <> struct Unsigned<int64_t> { typedef unsigned long long type; };
template <typename T>
__device__ T wrapping_sum(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}
template <typename T>
__device__ T wrapping_difference(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
}
template <typename T>
__device__ T wrapping_product(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}
template <typename T>
__device__ T wrapping_magnitude(T a) {
  return a < 0 ? wrapping_difference<T>(0, a) : a;
}
template <typename T>
__device__ T shifted_left(T a, T shift) {
  typedef typename Unsigned<T>::type U;
  return shift < 0 || shift >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<U>(a) << shift);
}
template <typename T>
__device__ T shifted_right(T a, T shift) {
  if (shift < 0 || shift >= 8 * sizeof(T)) return a < 0 ? T(-1) : T(0);
  return static_cast<T>(a >> shift);
}
template <typename T>
__device__ T whole_power(T base, T exponent) {
  if (exponent < 0 && base == T(-1)) return exponent % 2 == 0 ? T(1) : T(-1);
  if (exponent < 0) return base == 1;
  T result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = wrapping_product<T>(result, base);
    base = wrapping_product<T>(base, base);
  }
  return result;
}
__device__ float float_exp(float x) { return ::expf(x); }
__device__ float float_tanh(float x) { return ::tanhf(x); }
__device__ float float_erf(float x) { return ::erff(x); }

namespace std {
template <typename T> struct numeric_limits;
template <> struct numeric_limits<float> {
  __device__ static float infinity() { return __int_as_float(0x7f800000); }
  __device__ static float quiet_NaN() { return __int_as_float(0x7fffffff); }
};
template <> struct numeric_limits<double> {
  __device__ static double infinity() { return __longlong_as_double(0x7ff0000000000000LL); }
  __device__ static double quiet_NaN() { return __longlong_as_double(0x7fffffffffffffffLL); }
};
template <> struct numeric_limits<int32_t> {
  __device__ static constexpr int32_t min() { return -2147483647 - 1; }
};
template <> struct numeric_limits<int64_t> {
  __device__ static constexpr int64_t min() { return -9223372036854775807LL - 1; }
};
#define FUNCTION(name)                                     \
  __device__ float name(float x) { return ::name##f(x); } \
  __device__ double name(double x) { return ::name(x); }
FUNCTION(atan) FUNCTION(cos) FUNCTION(erf) FUNCTION(erfc) FUNCTION(exp) FUNCTION(expm1)
FUNCTION(floor) FUNCTION(lgamma) FUNCTION(log) FUNCTION(log1p) FUNCTION(rint) FUNCTION(sin)
FUNCTION(sqrt) FUNCTION(tanh) FUNCTION(trunc)
#undef FUNCTION
__device__ float abs(float x) { return ::fabsf(x); }
__device__ double abs(double x) { return ::fabs(x); }
__device__ float atan2(float y, float x) { return ::atan2f(y, x); }
__device__ double atan2(double y, double x) { return ::atan2(y, x); }
__device__ float pow(float x, float y) { return ::powf(x, y); }
__device__ double pow(double x, double y) { return ::pow(x, y); }
template <typename T>
__device__ T max(T a, T b) { return a < b ? b : a; }
template <typename T>
__device__ T min(T a, T b) { return b < a ? b : a; }
}  // namespace std

template <typename T, typename From>
__device__ T to_integer(From number) {
  const T least = std::numeric_limits<T>::min();
  const double limit = -static_cast<double>(least);
  const double whole = ::trunc(static_cast<double>(number));
  return whole >= -limit && whole < limit ? static_cast<T>(whole) : least;
}

struct Sum {
  template <typename T>
  __device__ static T start() { return T(0); }
  template <typename T>
  __device__ static T of(T a, T b) { return a + b; }
};
struct Largest {
  template <typename T>
  __device__ static T start() { return -std::numeric_limits<T>::infinity(); }
  template <typename T>
  __device__ static T of(T a, T b) { return std::max<T>(a, b); }
};
// The sum or the largest of what the threads of a row have, in each of them. All of them call it.
template <typename Reduction, typename T>
__device__ T over_row(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = Reduction::of(value, __shfl_xor_sync(0xffffffffu, value, distance));
  if (blockDim.x == 32) return value;
  __shared__ T of_warps[32];
  __syncthreads();  // a thread may still read those of the reduction before
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warps[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
    value = Reduction::of(value, of_warps[warp]);
  return value;
}
