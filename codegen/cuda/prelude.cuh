// What the text of kernels uses. NVRTC has no standard library.
typedef int int32_t;
typedef long long int64_t;

template <typename T>
struct alignas(4 * sizeof(T)) Lanes {
  T at[4];
};
template <typename T>
__device__ const Lanes<T>* lanes_of(const T* elements) {
  return reinterpret_cast<const Lanes<T>*>(elements);
}
template <typename T>
__device__ Lanes<T>* lanes_of(T* elements) {
  return reinterpret_cast<Lanes<T>*>(elements);
}
__device__ int64_t first_item() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ int64_t item_step() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

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
