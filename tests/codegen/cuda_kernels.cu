// Written by tests/codegen/cuda_kernels.cpp.
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

extern "C" __global__ void abs_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::abs(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void abs_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::abs(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void abs_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::abs(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void abs_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::abs(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void abs_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = wrapping_magnitude<int64_t>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void add_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 + v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void add_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 + v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void add_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const float v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = v0 + v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void add_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const double v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = v0 + v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void add_6(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 + 2.5f;
    y0[n] = v1;
  }
}

extern "C" __global__ void add_6_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 + 2.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void add_7(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = 2.5f + v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void add_7_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = 2.5 + v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void add_8(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 + 3.0f;
    y0[n] = v1;
  }
}

extern "C" __global__ void add_8_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 + 3.0;
    y0[n] = v1;
  }
}

extern "C" __global__ void add_9_double(const float* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[((n) % 3)];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) + v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void add_15(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const int64_t v0 = x0[((n) % 3)];
    const int64_t v1 = x1[n];
    const int64_t v2 = wrapping_sum<int64_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void add_16(const int32_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const int64_t v1 = x1[n];
    const int64_t v2 = wrapping_sum<int64_t>(static_cast<int64_t>(v0), v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void add_17(const int64_t* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = static_cast<float>(v0) + v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void add_17_double(const int64_t* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) + v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void add_18(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = static_cast<float>(v0) + 0.5f;
    y0[n] = v1;
  }
}

extern "C" __global__ void add_18_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = static_cast<double>(v0) + 0.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void add_19(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<bool> a0 = lanes_of(x0)[n];
    const Lanes<bool> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = a1.at[k];
      const bool v2 = v0 || v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void add_20(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const int32_t v0 = x0[0];
    const int32_t v1 = x1[0];
    const int32_t v2 = wrapping_sum<int32_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void at_least1d_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void at_least1d_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void at_least1d_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void at_least1d_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void at_least1d_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const int64_t v0 = x0[0];
    const int64_t v1 = v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void at_least1d_7(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const bool v0 = x0[0];
    const bool v1 = v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void atan_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::atan(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void atan_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::atan(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void atan_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::atan(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void atan_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::atan(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void atan_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = std::atan(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void atan_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::atan(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void atan2_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = std::atan2(v0, v1);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void atan2_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = std::atan2(v0, v1);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void atan2_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const float v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = std::atan2(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void atan2_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const double v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = std::atan2(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void atan2_6(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = x1[n];
    const float v2 = std::atan2(static_cast<float>(v0), static_cast<float>(v1));
    y0[n] = v2;
  }
}

extern "C" __global__ void atan2_6_double(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = x1[n];
    const double v2 = std::atan2(static_cast<double>(v0), static_cast<double>(v1));
    y0[n] = v2;
  }
}

extern "C" __global__ void cast_1(const float* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const double v1 = static_cast<double>(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void cast_2_double(const double* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const float v1 = static_cast<float>(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void cast_5(const float* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const float v0 = x0[n];
    const int64_t v1 = to_integer<int64_t>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void cast_5_double(const double* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const double v0 = x0[n];
    const int64_t v1 = to_integer<int64_t>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void cast_6(const float* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const float v0 = x0[n];
    const bool v1 = static_cast<bool>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void cast_6_double(const double* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const double v0 = x0[n];
    const bool v1 = static_cast<bool>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void cast_7(const bool* __restrict__ x0, int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const int32_t v1 = static_cast<int32_t>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void cast_8(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = static_cast<double>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void cast_9(const float* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const double v1 = static_cast<double>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 0.5f < (v0 < -0.5f ? -0.5f : v0) ? 0.5f : v0 < -0.5f ? -0.5f : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = 0.5 < (v0 < -0.5 ? -0.5 : v0) ? 0.5 : v0 < -0.5 ? -0.5 : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 < -0.5f ? -0.5f : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 < -0.5 ? -0.5 : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_3(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 0.5f < v0 ? 0.5f : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_3_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = 0.5 < v0 ? 0.5 : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_5(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 1.0f < (v0 < -1.0f ? -1.0f : v0) ? 1.0f : v0 < -1.0f ? -1.0f : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_5_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = 1.0 < (v0 < -1.0 ? -1.0 : v0) ? 1.0 : v0 < -1.0 ? -1.0 : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_6(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = v0 < 0.0f ? 0.0f : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_6_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = v0 < 0.0 ? 0.0 : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_8(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 < 0.0f ? 0.0f : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_8_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 < 0.0 ? 0.0 : v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void clamp_10(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = 1.0f < (v0 < 2.0f ? 2.0f : v0) ? 1.0f : v0 < 2.0f ? 2.0f : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_10_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = 1.0 < (v0 < 2.0 ? 2.0 : v0) ? 1.0 : v0 < 2.0 ? 2.0 : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_11(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = 2 < (v0 < -2 ? -2 : v0) ? 2 : v0 < -2 ? -2 : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_12(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = 0.1f < (v0 < -0.1f ? -0.1f : v0) ? 0.1f : v0 < -0.1f ? -0.1f : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_14(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = 2.5f < (static_cast<float>(v0) < -1.5f ? -1.5f : static_cast<float>(v0)) ? 2.5f : static_cast<float>(v0) < -1.5f ? -1.5f : static_cast<float>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_14_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = 2.5 < (static_cast<double>(v0) < -1.5 ? -1.5 : static_cast<double>(v0)) ? 2.5 : static_cast<double>(v0) < -1.5 ? -1.5 : static_cast<double>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_15(const int32_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int32_t v0 = x0[n];
    const float v1 = 2.5f < (static_cast<float>(v0) < -2.0f ? -2.0f : static_cast<float>(v0)) ? 2.5f : static_cast<float>(v0) < -2.0f ? -2.0f : static_cast<float>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_15_double(const int32_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int32_t v0 = x0[n];
    const double v1 = 2.5 < (static_cast<double>(v0) < -2.0 ? -2.0 : static_cast<double>(v0)) ? 2.5 : static_cast<double>(v0) < -2.0 ? -2.0 : static_cast<double>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_16(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = 0.25f < static_cast<float>(v0) ? 0.25f : static_cast<float>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void clamp_16_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = 0.25 < static_cast<double>(v0) ? 0.25 : static_cast<double>(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void cos_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::cos(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void cos_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::cos(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void cos_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::cos(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void cos_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::cos(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void cos_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = std::cos(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void cos_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::cos(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 / v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void divide_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 / v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void divide_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const float v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = v0 / v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const double v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = v0 / v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_6(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 / 2.5f;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_6_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 / 2.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_7(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = 2.5f / v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_7_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = 2.5 / v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_8(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 / 3.0f;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_8_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 / 3.0;
    y0[n] = v1;
  }
}

extern "C" __global__ void divide_9_double(const float* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[((n) % 3)];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) / v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_15(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = x1[0];
    const float v2 = static_cast<float>(v0) / static_cast<float>(v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_15_double(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = x1[0];
    const double v2 = static_cast<double>(v0) / static_cast<double>(v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_16(const int64_t* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = static_cast<float>(v0) / v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void divide_16_double(const int64_t* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) / v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void equal_1(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const bool v2 = v0 == v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void equal_1_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const bool v2 = v0 == v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void equal_2(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const int64_t v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const int64_t v1 = x1[((n / 4) % 2)];
    const bool v2 = v0 == v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void equal_3(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = x1[0];
    const bool v2 = v0 == v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void equal_3_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = x1[0];
    const bool v2 = v0 == v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void equal_7(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = v0 == 1;
    y0[n] = v1;
  }
}

extern "C" __global__ void equal_8(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = static_cast<double>(v0) == 1.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void equal_9(const float* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const bool v1 = 0.1f == v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void equal_10(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = static_cast<int64_t>(v0) == 2;
    y0[n] = v1;
  }
}

extern "C" __global__ void equal_11(const int32_t* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const float v1 = x1[n];
    const bool v2 = static_cast<float>(v0) == v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void equal_11_double(const int32_t* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const double v1 = x1[n];
    const bool v2 = static_cast<double>(v0) == v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void erf_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = float_erf(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void erf_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::erf(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void erf_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = float_erf(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void erf_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::erf(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void erf_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = float_erf(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void erf_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::erf(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void erfc_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::erfc(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void erfc_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::erfc(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void erfc_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::erfc(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void erfc_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::erfc(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void erfc_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = std::erfc(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void erfc_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::erfc(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void exp_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = float_exp(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void exp_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::exp(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void exp_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = float_exp(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void exp_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::exp(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void exp_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = float_exp(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void exp_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::exp(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void exp_8(const bool* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const bool v0 = x0[n];
    const float v1 = float_exp(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void exp_8_double(const bool* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const bool v0 = x0[n];
    const double v1 = std::exp(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void expm1_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::expm1(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void expm1_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::expm1(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void expm1_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::expm1(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void expm1_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::expm1(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void expm1_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = std::expm1(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void expm1_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::expm1(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void fill_like_1(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = 0.5f;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_1_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = 0.5;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_2(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const float v0 = 3.0f;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_2_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const double v0 = 3.0;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_3(int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = 3;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_4(bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = true;
    y0[n] = v0;
  }
}

extern "C" __global__ void fill_like_7(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = 0.5f;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void fill_like_7_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = 0.5;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void floor_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::floor(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void floor_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::floor(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void floor_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::floor(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void floor_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::floor(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void full_1(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = 1.5f;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void full_1_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = 1.5;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void full_2(int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = 7;
    y0[n] = v0;
  }
}

extern "C" __global__ void full_4(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = 7.0f;
    y0[n] = v0;
  }
}

extern "C" __global__ void full_5(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = 1.0f;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void full_5_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = 1.0;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 / 2.0f * (1.0f + float_erf(v0 * 0.70710677f));
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 / 2.0 * (1.0 + std::erf(v0 * 0.7071067811865476));
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = v0 / 2.0f * (1.0f + float_erf(v0 * 0.70710677f));
    y0[n] = v1;
  }
}

extern "C" __global__ void gelu_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = v0 / 2.0 * (1.0 + std::erf(v0 * 0.7071067811865476));
    y0[n] = v1;
  }
}

extern "C" __global__ void gelu_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = static_cast<float>(v0) / 2.0f * (1.0f + float_erf(static_cast<float>(v0) * 0.70710677f));
    y0[n] = v1;
  }
}

extern "C" __global__ void gelu_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = static_cast<double>(v0) / 2.0 * (1.0 + std::erf(static_cast<double>(v0) * 0.7071067811865476));
    y0[n] = v1;
  }
}

extern "C" __global__ void gelu_8(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 / 2.0f * (1.0f + float_tanh(0.7978846f * (v0 + 0.044715f * v0 * v0 * v0)));
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_8_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 / 2.0 * (1.0 + std::tanh(0.7978845608028654 * (v0 + 0.044715 * v0 * v0 * v0)));
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_9(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 / 2.0f * (1.0f + float_tanh(0.7978846f * (v0 + 0.044715f * v0 * v0 * v0)));
    y0[n] = v1;
  }
}

extern "C" __global__ void gelu_9_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 / 2.0 * (1.0 + std::tanh(0.7978845608028654 * (v0 + 0.044715 * v0 * v0 * v0)));
    y0[n] = v1;
  }
}

extern "C" __global__ void gelu_grad_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 * ((1.0f + float_erf(v1 * 0.70710677f)) / 2.0f + v1 * 0.3989423f * float_exp(-v1 * v1 / 2.0f));
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_grad_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 * ((1.0 + std::erf(v1 * 0.7071067811865476)) / 2.0 + v1 * 0.3989422804014327 * std::exp(-v1 * v1 / 2.0));
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_grad_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = x1[0];
    const float v2 = v0 * ((1.0f + float_erf(v1 * 0.70710677f)) / 2.0f + v1 * 0.3989423f * float_exp(-v1 * v1 / 2.0f));
    y0[n] = v2;
  }
}

extern "C" __global__ void gelu_grad_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = x1[0];
    const double v2 = v0 * ((1.0 + std::erf(v1 * 0.7071067811865476)) / 2.0 + v1 * 0.3989422804014327 * std::exp(-v1 * v1 / 2.0));
    y0[n] = v2;
  }
}

extern "C" __global__ void gelu_grad_6_double(const double* __restrict__ x0, const float* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const float v1 = a1.at[k];
      const double v2 = v0 * ((1.0 + std::erf(static_cast<double>(v1) * 0.7071067811865476)) / 2.0 + static_cast<double>(v1) * 0.3989422804014327 * std::exp(-static_cast<double>(v1) * static_cast<double>(v1) / 2.0));
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_grad_8(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 * (1.0f + float_tanh(0.7978846f * (v1 + 0.044715f * v1 * v1 * v1)) + v1 * (1.0f - std::pow(float_tanh(0.7978846f * (v1 + 0.044715f * v1 * v1 * v1)), 2.0f)) * 0.7978846f * (1.0f + 0.134145f * v1 * v1)) / 2.0f;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_grad_8_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 * (1.0 + std::tanh(0.7978845608028654 * (v1 + 0.044715 * v1 * v1 * v1)) + v1 * (1.0 - std::pow(std::tanh(0.7978845608028654 * (v1 + 0.044715 * v1 * v1 * v1)), 2.0)) * 0.7978845608028654 * (1.0 + 0.134145 * v1 * v1)) / 2.0;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void gelu_grad_9(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = v0 * (1.0f + float_tanh(0.7978846f * (v1 + 0.044715f * v1 * v1 * v1)) + v1 * (1.0f - std::pow(float_tanh(0.7978846f * (v1 + 0.044715f * v1 * v1 * v1)), 2.0f)) * 0.7978846f * (1.0f + 0.134145f * v1 * v1)) / 2.0f;
    y0[n] = v2;
  }
}

extern "C" __global__ void gelu_grad_9_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = v0 * (1.0 + std::tanh(0.7978845608028654 * (v1 + 0.044715 * v1 * v1 * v1)) + v1 * (1.0 - std::pow(std::tanh(0.7978845608028654 * (v1 + 0.044715 * v1 * v1 * v1)), 2.0)) * 0.7978845608028654 * (1.0 + 0.134145 * v1 * v1)) / 2.0;
    y0[n] = v2;
  }
}

extern "C" __global__ void greater_1(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const bool v2 = v0 > v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void greater_1_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const bool v2 = v0 > v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void greater_2(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const int64_t v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const int64_t v1 = x1[((n / 4) % 2)];
    const bool v2 = v0 > v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void greater_3(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = x1[0];
    const bool v2 = v0 > v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void greater_3_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = x1[0];
    const bool v2 = v0 > v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void greater_7(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = v0 > 1;
    y0[n] = v1;
  }
}

extern "C" __global__ void greater_8(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = static_cast<double>(v0) > 1.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void greater_9(const float* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const bool v1 = 0.1f > v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void greater_10(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = static_cast<int64_t>(v0) > 2;
    y0[n] = v1;
  }
}

extern "C" __global__ void greater_11(const int32_t* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const float v1 = x1[n];
    const bool v2 = static_cast<float>(v0) > v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void greater_11_double(const int32_t* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const double v1 = x1[n];
    const bool v2 = static_cast<double>(v0) > v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void greater_equal_1(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const bool v2 = v0 >= v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void greater_equal_1_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const bool v2 = v0 >= v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void greater_equal_2(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const int64_t v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const int64_t v1 = x1[((n / 4) % 2)];
    const bool v2 = v0 >= v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void greater_equal_3(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = x1[0];
    const bool v2 = v0 >= v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void greater_equal_3_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = x1[0];
    const bool v2 = v0 >= v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void greater_equal_7(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = v0 >= 1;
    y0[n] = v1;
  }
}

extern "C" __global__ void greater_equal_8(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = static_cast<double>(v0) >= 1.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void greater_equal_9(const float* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const bool v1 = 0.1f >= v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void greater_equal_10(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = static_cast<int64_t>(v0) >= 2;
    y0[n] = v1;
  }
}

extern "C" __global__ void greater_equal_11(const int32_t* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const float v1 = x1[n];
    const bool v2 = static_cast<float>(v0) >= v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void greater_equal_11_double(const int32_t* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const double v1 = x1[n];
    const bool v2 = static_cast<double>(v0) >= v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void leaky_relu_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 > 0.0f ? v0 : v0 * 0.01f;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 > 0.0 ? v0 : v0 * 0.01;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = v0 > 0.0f ? v0 : v0 * 0.01f;
    y0[n] = v1;
  }
}

extern "C" __global__ void leaky_relu_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = v0 > 0.0 ? v0 : v0 * 0.01;
    y0[n] = v1;
  }
}

extern "C" __global__ void leaky_relu_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = static_cast<float>(v0) > 0.0f ? static_cast<float>(v0) : static_cast<float>(v0) * 0.01f;
    y0[n] = v1;
  }
}

extern "C" __global__ void leaky_relu_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = static_cast<double>(v0) > 0.0 ? static_cast<double>(v0) : static_cast<double>(v0) * 0.01;
    y0[n] = v1;
  }
}

extern "C" __global__ void leaky_relu_7(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 > 0.0f ? v0 : v0 * 0.5f;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_7_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 > 0.0 ? v0 : v0 * 0.5;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_8(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 > 0.0f ? v0 : v0 * 0.3f;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_8_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 > 0.0 ? v0 : v0 * 0.3;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_9(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 > 0.0f ? v0 : v0 * -2.0f;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void leaky_relu_9_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 > 0.0 ? v0 : v0 * -2.0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void less_1(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const bool v2 = v0 < v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void less_1_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const bool v2 = v0 < v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void less_2(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const int64_t v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const int64_t v1 = x1[((n / 4) % 2)];
    const bool v2 = v0 < v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void less_3(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = x1[0];
    const bool v2 = v0 < v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void less_3_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = x1[0];
    const bool v2 = v0 < v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void less_7(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = v0 < 1;
    y0[n] = v1;
  }
}

extern "C" __global__ void less_8(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = static_cast<double>(v0) < 1.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void less_9(const float* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const bool v1 = 0.1f < v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void less_10(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = static_cast<int64_t>(v0) < 2;
    y0[n] = v1;
  }
}

extern "C" __global__ void less_11(const int32_t* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const float v1 = x1[n];
    const bool v2 = static_cast<float>(v0) < v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void less_11_double(const int32_t* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const double v1 = x1[n];
    const bool v2 = static_cast<double>(v0) < v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void less_equal_1(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const bool v2 = v0 <= v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void less_equal_1_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const bool v2 = v0 <= v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void less_equal_2(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const int64_t v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const int64_t v1 = x1[((n / 4) % 2)];
    const bool v2 = v0 <= v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void less_equal_3(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = x1[0];
    const bool v2 = v0 <= v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void less_equal_3_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = x1[0];
    const bool v2 = v0 <= v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void less_equal_7(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = v0 <= 1;
    y0[n] = v1;
  }
}

extern "C" __global__ void less_equal_8(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = static_cast<double>(v0) <= 1.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void less_equal_9(const float* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const bool v1 = 0.1f <= v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void less_equal_10(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = static_cast<int64_t>(v0) <= 2;
    y0[n] = v1;
  }
}

extern "C" __global__ void less_equal_11(const int32_t* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const float v1 = x1[n];
    const bool v2 = static_cast<float>(v0) <= v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void less_equal_11_double(const int32_t* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const double v1 = x1[n];
    const bool v2 = static_cast<double>(v0) <= v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void lgamma_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::lgamma(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void lgamma_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::lgamma(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void lgamma_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = std::lgamma(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void lgamma_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = std::lgamma(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void lgamma_7(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = std::lgamma(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void lgamma_7_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::lgamma(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void log_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::log(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void log_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::log(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void log_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::log(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void log_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::log(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void log_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = std::log(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void log_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::log(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void log1p_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::log1p(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void log1p_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::log1p(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void log1p_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::log1p(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void log1p_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::log1p(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void log1p_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = std::log1p(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void log1p_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::log1p(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void logical_and_1(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 4; n += item_step()) {
    const bool v0 = x0[(n / 2)];
    const bool v1 = x1[((n) % 2)];
    const bool v2 = v0 && v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void logical_and_5(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = v0 && true;
    y0[n] = v1;
  }
}

extern "C" __global__ void logical_and_6(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = false && v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void logical_not_1(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = !v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void logical_not_4(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    const Lanes<bool> a0 = lanes_of(x0)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = !v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void logical_or_1(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 4; n += item_step()) {
    const bool v0 = x0[(n / 2)];
    const bool v1 = x1[((n) % 2)];
    const bool v2 = v0 || v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void logical_or_5(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = v0 || true;
    y0[n] = v1;
  }
}

extern "C" __global__ void logical_or_6(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = false || v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void logical_xor_1(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 4; n += item_step()) {
    const bool v0 = x0[(n / 2)];
    const bool v1 = x1[((n) % 2)];
    const bool v2 = v0 != v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void logical_xor_5(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = v0 != true;
    y0[n] = v1;
  }
}

extern "C" __global__ void logical_xor_6(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = false != v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void maximum_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 > v1 || (v0 != v0) ? v0 : v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void maximum_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 > v1 || (v0 != v0) ? v0 : v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void maximum_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const float v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = v0 > v1 || (v0 != v0) ? v0 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void maximum_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const double v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = v0 > v1 || (v0 != v0) ? v0 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void maximum_5(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 > 0.5f || (v0 != v0) ? v0 : 0.5f;
    y0[n] = v1;
  }
}

extern "C" __global__ void maximum_5_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 > 0.5 || (v0 != v0) ? v0 : 0.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void maximum_6(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = 0.5f > v0 || (0.5f != 0.5f) ? 0.5f : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void maximum_6_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = 0.5 > v0 || (0.5 != 0.5) ? 0.5 : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void maximum_7_double(const float* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[((n) % 3)];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) > v1 || (static_cast<double>(v0) != static_cast<double>(v0)) ? static_cast<double>(v0) : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void maximum_10(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const int64_t v0 = x0[((n) % 3)];
    const int64_t v1 = x1[n];
    const int64_t v2 = v0 > v1 || (v0 != v0) ? v0 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void maximum_11(const int64_t* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = static_cast<float>(v0) > v1 || (static_cast<float>(v0) != static_cast<float>(v0)) ? static_cast<float>(v0) : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void maximum_11_double(const int64_t* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) > v1 || (static_cast<double>(v0) != static_cast<double>(v0)) ? static_cast<double>(v0) : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void maximum_12(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<bool> a0 = lanes_of(x0)[n];
    const Lanes<bool> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = a1.at[k];
      const bool v2 = v0 > v1 || (v0 != v0) ? v0 : v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void minimum_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void minimum_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void minimum_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const float v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const double v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_5(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 < 0.5f || (v0 != v0) ? v0 : 0.5f;
    y0[n] = v1;
  }
}

extern "C" __global__ void minimum_5_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 < 0.5 || (v0 != v0) ? v0 : 0.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void minimum_6(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = 0.5f < v0 || (0.5f != 0.5f) ? 0.5f : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void minimum_6_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = 0.5 < v0 || (0.5 != 0.5) ? 0.5 : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void minimum_7_double(const float* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[((n) % 3)];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) < v1 || (static_cast<double>(v0) != static_cast<double>(v0)) ? static_cast<double>(v0) : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_10(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const int64_t v0 = x0[((n) % 3)];
    const int64_t v1 = x1[n];
    const int64_t v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_11(const int64_t* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = static_cast<float>(v0) < v1 || (static_cast<float>(v0) != static_cast<float>(v0)) ? static_cast<float>(v0) : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_11_double(const int64_t* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) < v1 || (static_cast<double>(v0) != static_cast<double>(v0)) ? static_cast<double>(v0) : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void minimum_12(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<bool> a0 = lanes_of(x0)[n];
    const Lanes<bool> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = a1.at[k];
      const bool v2 = v0 < v1 || (v0 != v0) ? v0 : v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void multiply_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 * v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void multiply_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 * v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void multiply_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const float v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = v0 * v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void multiply_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const double v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = v0 * v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void multiply_6(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 * 2.5f;
    y0[n] = v1;
  }
}

extern "C" __global__ void multiply_6_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 * 2.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void multiply_7(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = 2.5f * v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void multiply_7_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = 2.5 * v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void multiply_8(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 * 3.0f;
    y0[n] = v1;
  }
}

extern "C" __global__ void multiply_8_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 * 3.0;
    y0[n] = v1;
  }
}

extern "C" __global__ void multiply_9_double(const float* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[((n) % 3)];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) * v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void multiply_15(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const int64_t v0 = x0[((n) % 3)];
    const int64_t v1 = x1[n];
    const int64_t v2 = wrapping_product<int64_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void multiply_16(const int64_t* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = static_cast<float>(v0) * v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void multiply_16_double(const int64_t* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) * v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void multiply_17(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<bool> a0 = lanes_of(x0)[n];
    const Lanes<bool> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = a1.at[k];
      const bool v2 = v0 && v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void multiply_18(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const int32_t v0 = x0[0];
    const int32_t v1 = x1[0];
    const int32_t v2 = wrapping_product<int32_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void negate_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = -v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void negate_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = -v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void negate_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = -v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void negate_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = -v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void negate_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = wrapping_difference<int64_t>(0, v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void negate_8(const int32_t* __restrict__ x0, int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const int32_t v0 = x0[0];
    const int32_t v1 = wrapping_difference<int32_t>(0, v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void not_equal_1(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const bool v2 = v0 != v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void not_equal_1_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const bool v2 = v0 != v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void not_equal_2(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const int64_t v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const int64_t v1 = x1[((n / 4) % 2)];
    const bool v2 = v0 != v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void not_equal_3(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = x1[0];
    const bool v2 = v0 != v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void not_equal_3_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = x1[0];
    const bool v2 = v0 != v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void not_equal_7(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = v0 != 1;
    y0[n] = v1;
  }
}

extern "C" __global__ void not_equal_8(const int64_t* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = static_cast<double>(v0) != 1.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void not_equal_9(const float* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const bool v1 = 0.1f != v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void not_equal_10(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = static_cast<int64_t>(v0) != 2;
    y0[n] = v1;
  }
}

extern "C" __global__ void not_equal_11(const int32_t* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const float v1 = x1[n];
    const bool v2 = static_cast<float>(v0) != v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void not_equal_11_double(const int32_t* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const double v1 = x1[n];
    const bool v2 = static_cast<double>(v0) != v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void ones_1(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = 1.0f;
    y0[n] = v0;
  }
}

extern "C" __global__ void ones_1_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = 1.0;
    y0[n] = v0;
  }
}

extern "C" __global__ void ones_5(int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const int32_t v0 = 1;
    y0[n] = v0;
  }
}

extern "C" __global__ void ones_6(bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = 1;
    y0[n] = v0;
  }
}

extern "C" __global__ void power_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = std::pow(v0, v1);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void power_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = std::pow(v0, v1);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void power_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const float v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = std::pow(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void power_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const double v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = std::pow(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void power_5(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = std::pow(v0, 2.0f);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_5_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = std::pow(v0, 2.0);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_6(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = std::pow(v0, 3.0f);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_6_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = std::pow(v0, 3.0);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_7(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = std::pow(v0, -1.0f);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_7_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = std::pow(v0, -1.0);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_8(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = std::pow(v0, 0.5f);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_8_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = std::pow(v0, 0.5);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_9(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = std::pow(v0, 0.0f);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_9_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = std::pow(v0, 0.0);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_11(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = std::pow(2.0f, v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_11_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = std::pow(2.0, v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_12(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = std::pow(2.5f, v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_12_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = std::pow(2.5, v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void power_13_double(const float* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[((n) % 3)];
    const double v1 = x1[n];
    const double v2 = std::pow(static_cast<double>(v0), v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void power_16(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = x1[n];
    const int64_t v2 = whole_power<int64_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void power_17(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const int32_t v0 = x0[0];
    const int32_t v1 = x1[0];
    const int32_t v2 = whole_power<int32_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void power_18(const int64_t* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = std::pow(static_cast<float>(v0), v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void power_18_double(const int64_t* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = std::pow(static_cast<double>(v0), v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void power_26(const int32_t* __restrict__ x0, int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int32_t v0 = x0[n];
    const int32_t v1 = whole_power<int32_t>(-1, v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void relu_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = v0 < 0 ? 0 : v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void relu_grad_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 <= 0.0f ? 0.0f : v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void relu_grad_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 <= 0.0 ? 0.0 : v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void relu_grad_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = x1[0];
    const float v2 = v0 <= 0.0f ? 0.0f : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void relu_grad_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = x1[0];
    const double v2 = v0 <= 0.0 ? 0.0 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void robust_log_grad_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = v0 < 0.0f ? -v1 / std::max<float>(std::abs(v0), 0.1f) : v1 / std::max<float>(std::abs(v0), 0.1f);
    y0[n] = v2;
  }
}

extern "C" __global__ void robust_log_grad_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = v0 < 0.0 ? -v1 / std::max<double>(std::abs(v0), 0.1) : v1 / std::max<double>(std::abs(v0), 0.1);
    y0[n] = v2;
  }
}

extern "C" __global__ void robust_log_grad_3(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 < 0.0f ? -v1 / std::max<float>(std::abs(v0), 0.1f) : v1 / std::max<float>(std::abs(v0), 0.1f);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void robust_log_grad_3_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 < 0.0 ? -v1 / std::max<double>(std::abs(v0), 0.1) : v1 / std::max<double>(std::abs(v0), 0.1);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void robust_log_grad_5(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 < 0.0f ? -v1 / std::max<float>(std::abs(v0), 0.5f) : v1 / std::max<float>(std::abs(v0), 0.5f);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void robust_log_grad_5_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 < 0.0 ? -v1 / std::max<double>(std::abs(v0), 0.5) : v1 / std::max<double>(std::abs(v0), 0.5);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void round_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::rint(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void round_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::rint(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void round_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::rint(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void round_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::rint(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void shift_left_1(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<int64_t> a0 = lanes_of(x0)[n];
    const Lanes<int64_t> a1 = lanes_of(x1)[n];
    Lanes<int64_t> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int64_t v0 = a0.at[k];
      const int64_t v1 = a1.at[k];
      const int64_t v2 = shifted_left<int64_t>(v0, v1);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void shift_left_2(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const int64_t v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const int64_t v1 = x1[((n / 4) % 2)];
    const int64_t v2 = shifted_left<int64_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void shift_left_5(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int32_t v0 = x0[n];
    const int32_t v1 = x1[n];
    const int32_t v2 = shifted_left<int32_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void shift_left_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = shifted_left<int64_t>(v0, 3);
    y0[n] = v1;
  }
}

extern "C" __global__ void shift_left_7(const int64_t* __restrict__ x0, const bool* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = x1[n];
    const int64_t v2 = shifted_left<int64_t>(v0, static_cast<int64_t>(v1));
    y0[n] = v2;
  }
}

extern "C" __global__ void shift_right_1(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<int64_t> a0 = lanes_of(x0)[n];
    const Lanes<int64_t> a1 = lanes_of(x1)[n];
    Lanes<int64_t> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int64_t v0 = a0.at[k];
      const int64_t v1 = a1.at[k];
      const int64_t v2 = shifted_right<int64_t>(v0, v1);
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void shift_right_2(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const int64_t v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const int64_t v1 = x1[((n / 4) % 2)];
    const int64_t v2 = shifted_right<int64_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void shift_right_5(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int32_t v0 = x0[n];
    const int32_t v1 = x1[n];
    const int32_t v2 = shifted_right<int32_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void shift_right_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = shifted_right<int64_t>(v0, 3);
    y0[n] = v1;
  }
}

extern "C" __global__ void shift_right_7(const int64_t* __restrict__ x0, const bool* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const int64_t v0 = x0[n];
    const bool v1 = x1[n];
    const int64_t v2 = shifted_right<int64_t>(v0, static_cast<int64_t>(v1));
    y0[n] = v2;
  }
}

extern "C" __global__ void sigmoid_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 1.0f / (1.0f + float_exp(-v0));
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void sigmoid_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = 1.0 / (1.0 + std::exp(-v0));
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void sigmoid_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = 1.0f / (1.0f + float_exp(-v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void sigmoid_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = 1.0 / (1.0 + std::exp(-v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void sigmoid_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = 1.0f / (1.0f + float_exp(-static_cast<float>(v0)));
    y0[n] = v1;
  }
}

extern "C" __global__ void sigmoid_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = 1.0 / (1.0 + std::exp(-static_cast<double>(v0)));
    y0[n] = v1;
  }
}

extern "C" __global__ void sign_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 > 0.0f ? 1.0f : v0 < 0.0f ? -1.0f : 0.0f;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void sign_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 > 0.0 ? 1.0 : v0 < 0.0 ? -1.0 : 0.0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void sign_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = v0 > 0.0f ? 1.0f : v0 < 0.0f ? -1.0f : 0.0f;
    y0[n] = v1;
  }
}

extern "C" __global__ void sign_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = v0 > 0.0 ? 1.0 : v0 < 0.0 ? -1.0 : 0.0;
    y0[n] = v1;
  }
}

extern "C" __global__ void sign_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = v0 > 0 ? 1 : v0 < 0 ? -1 : 0;
    y0[n] = v1;
  }
}

extern "C" __global__ void sin_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::sin(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void sin_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::sin(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void sin_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::sin(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void sin_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::sin(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void sin_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = std::sin(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void sin_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::sin(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void softplus_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = (v0 > 0.0f ? v0 : 0.0f) + std::log1p(float_exp(-std::abs(v0)));
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void softplus_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = (v0 > 0.0 ? v0 : 0.0) + std::log1p(std::exp(-std::abs(v0)));
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void softplus_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = (v0 > 0.0f ? v0 : 0.0f) + std::log1p(float_exp(-std::abs(v0)));
    y0[n] = v1;
  }
}

extern "C" __global__ void softplus_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = (v0 > 0.0 ? v0 : 0.0) + std::log1p(std::exp(-std::abs(v0)));
    y0[n] = v1;
  }
}

extern "C" __global__ void softplus_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = (static_cast<float>(v0) > 0.0f ? static_cast<float>(v0) : 0.0f) + std::log1p(float_exp(-std::abs(static_cast<float>(v0))));
    y0[n] = v1;
  }
}

extern "C" __global__ void softplus_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = (static_cast<double>(v0) > 0.0 ? static_cast<double>(v0) : 0.0) + std::log1p(std::exp(-std::abs(static_cast<double>(v0))));
    y0[n] = v1;
  }
}

extern "C" __global__ void sqrt_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::sqrt(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void sqrt_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::sqrt(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void sqrt_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::sqrt(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void sqrt_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::sqrt(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void sqrt_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = std::sqrt(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void sqrt_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::sqrt(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void sqrt_14(const bool* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const float v1 = std::sqrt(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void sqrt_14_double(const bool* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const double v1 = std::sqrt(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void square_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 * v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void square_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0 * v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void square_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = v0 * v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void square_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = v0 * v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void square_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const int64_t v1 = wrapping_product<int64_t>(v0, v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void subtract_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 - v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void subtract_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = v0 - v1;
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void subtract_2(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const float v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = v0 - v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void subtract_2_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const double v0 = x0[(n / 8) * 4 + ((n) % 4)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = v0 - v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void subtract_6(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 - 2.5f;
    y0[n] = v1;
  }
}

extern "C" __global__ void subtract_6_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 - 2.5;
    y0[n] = v1;
  }
}

extern "C" __global__ void subtract_7(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = 2.5f - v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void subtract_7_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = 2.5 - v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void subtract_8(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = v0 - 3.0f;
    y0[n] = v1;
  }
}

extern "C" __global__ void subtract_8_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = x0[n];
    const double v1 = v0 - 3.0;
    y0[n] = v1;
  }
}

extern "C" __global__ void subtract_9_double(const float* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = x0[((n) % 3)];
    const double v1 = x1[n];
    const double v2 = static_cast<double>(v0) - v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void subtract_13(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const int64_t v0 = x0[((n) % 3)];
    const int64_t v1 = x1[n];
    const int64_t v2 = wrapping_difference<int64_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void subtract_14(const int64_t* __restrict__ x0, const bool* __restrict__ x1, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const Lanes<int64_t> a0 = lanes_of(x0)[n];
    const Lanes<bool> a1 = lanes_of(x1)[n];
    Lanes<int64_t> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int64_t v0 = a0.at[k];
      const bool v1 = a1.at[k];
      const int64_t v2 = wrapping_difference<int64_t>(v0, static_cast<int64_t>(v1));
      b0.at[k] = v2;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void subtract_15(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const int32_t v0 = x0[0];
    const int32_t v1 = x1[0];
    const int32_t v2 = wrapping_difference<int32_t>(v0, v1);
    y0[n] = v2;
  }
}

extern "C" __global__ void tanh_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = float_tanh(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void tanh_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::tanh(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void tanh_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = float_tanh(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void tanh_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::tanh(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void tanh_6(const int64_t* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const float v1 = float_tanh(static_cast<float>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void tanh_6_double(const int64_t* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const int64_t v0 = x0[n];
    const double v1 = std::tanh(static_cast<double>(v0));
    y0[n] = v1;
  }
}

extern "C" __global__ void trunc_1(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<float> a0 = lanes_of(x0)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::trunc(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void trunc_1_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<double> a0 = lanes_of(x0)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::trunc(v0);
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void trunc_2(const float* __restrict__ x0, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const float v0 = x0[0];
    const float v1 = std::trunc(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void trunc_2_double(const double* __restrict__ x0, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const double v0 = x0[0];
    const double v1 = std::trunc(v0);
    y0[n] = v1;
  }
}

extern "C" __global__ void where_1(const bool* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<bool> a0 = lanes_of(x0)[n];
    const Lanes<float> a1 = lanes_of(x1)[n];
    const Lanes<float> a2 = lanes_of(x2)[n];
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = a2.at[k];
      const float v3 = v0 ? v1 : v2;
      b0.at[k] = v3;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void where_1_double(const bool* __restrict__ x0, const double* __restrict__ x1, const double* __restrict__ x2, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 3; n += item_step()) {
    const Lanes<bool> a0 = lanes_of(x0)[n];
    const Lanes<double> a1 = lanes_of(x1)[n];
    const Lanes<double> a2 = lanes_of(x2)[n];
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = a2.at[k];
      const double v3 = v0 ? v1 : v2;
      b0.at[k] = v3;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void where_2(const bool* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const bool v0 = x0[(n / 8)];
    const float v1 = x1[((n / 4) % 2)];
    const float v2 = x2[((n) % 4)];
    const float v3 = v0 ? v1 : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_2_double(const bool* __restrict__ x0, const double* __restrict__ x1, const double* __restrict__ x2, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 24; n += item_step()) {
    const bool v0 = x0[(n / 8)];
    const double v1 = x1[((n / 4) % 2)];
    const double v2 = x2[((n) % 4)];
    const double v3 = v0 ? v1 : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_6(const bool* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = v0 ? 0.5f : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void where_6_double(const bool* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = v0 ? 0.5 : v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void where_7(const bool* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const float v1 = x1[n];
    const float v2 = v0 ? v1 : 0.0f;
    y0[n] = v2;
  }
}

extern "C" __global__ void where_7_double(const bool* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const double v1 = x1[n];
    const double v2 = v0 ? v1 : 0.0;
    y0[n] = v2;
  }
}

extern "C" __global__ void where_8(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const int64_t* __restrict__ x2, int64_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const int64_t v1 = x1[n];
    const int64_t v2 = x2[n];
    const int64_t v3 = v0 ? v1 : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_9(const bool* __restrict__ x0, const bool* __restrict__ x1, const bool* __restrict__ x2, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = x1[n];
    const bool v2 = x2[0];
    const bool v3 = v0 ? v1 : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_10(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const int64_t v1 = x1[n];
    const float v2 = x2[n];
    const float v3 = v0 ? static_cast<float>(v1) : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_10_double(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const double* __restrict__ x2, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const int64_t v1 = x1[n];
    const double v2 = x2[n];
    const double v3 = v0 ? static_cast<double>(v1) : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void where_11_double(const bool* __restrict__ x0, const float* __restrict__ x1, const double* __restrict__ x2, double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const bool v0 = x0[n];
    const float v1 = x1[((n) % 3)];
    const double v2 = x2[n];
    const double v3 = v0 ? static_cast<double>(v1) : v2;
    y0[n] = v3;
  }
}

extern "C" __global__ void zeros_1(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const float v0 = 0.0f;
    y0[n] = v0;
  }
}

extern "C" __global__ void zeros_1_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 6; n += item_step()) {
    const double v0 = 0.0;
    y0[n] = v0;
  }
}

extern "C" __global__ void zeros_4(float* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<float> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v0 = 0.0f;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void zeros_4_double(double* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    Lanes<double> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double v0 = 0.0;
      b0.at[k] = v0;
    }
    lanes_of(y0)[n] = b0;
  }
}

extern "C" __global__ void zeros_5(int32_t* __restrict__ y0) {
  for (int64_t n = first_item(); n < 1; n += item_step()) {
    const int32_t v0 = 0;
    y0[n] = v0;
  }
}

extern "C" __global__ void zeros_6(bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = 0;
    y0[n] = v0;
  }
}

extern "C" __global__ void chain(const float* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0, float* __restrict__ y1) {
  for (int64_t n = first_item(); n < 48; n += item_step()) {
    const float v0 = x0[n];
    const float v1 = x1[((n) % 8)];
    const float v3 = x2[0];
    const float v2 = v0 * v1;
    const float v4 = v2 + v3;
    const float v5 = v4 / 2.0f * (1.0f + float_tanh(0.7978846f * (v4 + 0.044715f * v4 * v4 * v4)));
    const float v6 = v5 + v0;
    y0[n] = v4;
    y1[n] = v6;
  }
}
