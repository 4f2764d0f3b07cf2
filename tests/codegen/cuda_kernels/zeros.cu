template <int lanes>
__device__ void zeros_1_items(float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = 0.0f;
      b0.at[k] = v0;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) zeros_1(float* __restrict__ y0, const Layout layout) {
  zeros_1_items<1>(y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) zeros_1_lanes(float* __restrict__ y0, const Layout layout) {
  zeros_1_items<4>(y0, layout);
}

template <int lanes>
__device__ void zeros_1_double_items(double* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    Lanes<double, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const double v0 = 0.0;
      b0.at[k] = v0;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) zeros_1_double(double* __restrict__ y0, const Layout layout) {
  zeros_1_double_items<1>(y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) zeros_1_double_lanes(double* __restrict__ y0, const Layout layout) {
  zeros_1_double_items<4>(y0, layout);
}

template <int lanes>
__device__ void zeros_1_half_items(Half* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    Lanes<Half, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = rounded<Half>(0.0f);
      b0.at[k] = Element<Half>::of(v0);
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) zeros_1_half(Half* __restrict__ y0, const Layout layout) {
  zeros_1_half_items<1>(y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) zeros_1_half_lanes(Half* __restrict__ y0, const Layout layout) {
  zeros_1_half_items<4>(y0, layout);
}

template <int lanes>
__device__ void zeros_1_bfloat_items(BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    Lanes<BFloat16, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = rounded<BFloat16>(0.0f);
      b0.at[k] = Element<BFloat16>::of(v0);
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) zeros_1_bfloat(BFloat16* __restrict__ y0, const Layout layout) {
  zeros_1_bfloat_items<1>(y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) zeros_1_bfloat_lanes(BFloat16* __restrict__ y0, const Layout layout) {
  zeros_1_bfloat_items<4>(y0, layout);
}

template <int lanes>
__device__ void zeros_5_items(int32_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    Lanes<int32_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int32_t v0 = 0;
      b0.at[k] = v0;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) zeros_5(int32_t* __restrict__ y0, const Layout layout) {
  zeros_5_items<1>(y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) zeros_5_lanes(int32_t* __restrict__ y0, const Layout layout) {
  zeros_5_items<4>(y0, layout);
}

template <int lanes>
__device__ void zeros_6_items(bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = 0;
      b0.at[k] = v0;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) zeros_6(bool* __restrict__ y0, const Layout layout) {
  zeros_6_items<1>(y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) zeros_6_lanes(bool* __restrict__ y0, const Layout layout) {
  zeros_6_items<4>(y0, layout);
}
