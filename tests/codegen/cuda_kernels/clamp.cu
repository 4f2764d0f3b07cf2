template <int lanes>
__device__ void clamp_1_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 0.5f < (v0 < -0.5f ? -0.5f : v0) ? 0.5f : v0 < -0.5f ? -0.5f : v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_1(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_1_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_1_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_1_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_1_double_items(const double* __restrict__ x0, double* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<double, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const double v0 = a0.at[k];
      const double v1 = 0.5 < (v0 < -0.5 ? -0.5 : v0) ? 0.5 : v0 < -0.5 ? -0.5 : v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_1_double(const double* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  clamp_1_double_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_1_double_lanes(const double* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  clamp_1_double_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_1_half_items(const Half* __restrict__ x0, Half* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<Half, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<Half, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const float v1 = rounded<Half>(0.5f < (v0 < -0.5f ? -0.5f : v0) ? 0.5f : v0 < -0.5f ? -0.5f : v0);
      b0.at[k] = Element<Half>::of(v1);
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_1_half(const Half* __restrict__ x0, Half* __restrict__ y0, const Layout layout) {
  clamp_1_half_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_1_half_lanes(const Half* __restrict__ x0, Half* __restrict__ y0, const Layout layout) {
  clamp_1_half_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_1_bfloat_items(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<BFloat16, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const float v1 = rounded<BFloat16>(0.5f < (v0 < -0.5f ? -0.5f : v0) ? 0.5f : v0 < -0.5f ? -0.5f : v0);
      b0.at[k] = Element<BFloat16>::of(v1);
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_1_bfloat(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout layout) {
  clamp_1_bfloat_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_1_bfloat_lanes(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout layout) {
  clamp_1_bfloat_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_2_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 < -0.5f ? -0.5f : v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_2(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_2_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_2_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_2_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_3_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 0.5f < v0 ? 0.5f : v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_3(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_3_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_3_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_3_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_4_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_4(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_4_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_4_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_4_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_5_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 1.0f < (v0 < -1.0f ? -1.0f : v0) ? 1.0f : v0 < -1.0f ? -1.0f : v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_5(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_5_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_5_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_5_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_6_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = v0 < 0.0f ? 0.0f : v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_6(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_6_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_6_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_6_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_10_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 1.0f < (v0 < 2.0f ? 2.0f : v0) ? 1.0f : v0 < 2.0f ? 2.0f : v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_10(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_10_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_10_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_10_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_11_items(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<int64_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const int64_t v1 = 2 < (v0 < -2 ? -2 : v0) ? 2 : v0 < -2 ? -2 : v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_11(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout layout) {
  clamp_11_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_11_lanes(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout layout) {
  clamp_11_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_12_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = 0.1f < (v0 < -0.1f ? -0.1f : v0) ? 0.1f : v0 < -0.1f ? -0.1f : v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_12(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_12_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_12_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_12_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_13_items(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<int64_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const int64_t v1 = v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_13(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout layout) {
  clamp_13_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_13_lanes(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout layout) {
  clamp_13_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_14_items(const int64_t* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const float v1 = 2.5f < (static_cast<float>(v0) < -1.5f ? -1.5f : static_cast<float>(v0)) ? 2.5f : static_cast<float>(v0) < -1.5f ? -1.5f : static_cast<float>(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_14(const int64_t* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_14_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_14_lanes(const int64_t* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_14_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_15_items(const int32_t* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<int32_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int32_t v0 = a0.at[k];
      const float v1 = 2.5f < (static_cast<float>(v0) < -2.0f ? -2.0f : static_cast<float>(v0)) ? 2.5f : static_cast<float>(v0) < -2.0f ? -2.0f : static_cast<float>(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_15(const int32_t* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_15_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_15_lanes(const int32_t* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_15_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void clamp_16_items(const int64_t* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const float v1 = 0.25f < static_cast<float>(v0) ? 0.25f : static_cast<float>(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) clamp_16(const int64_t* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_16_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) clamp_16_lanes(const int64_t* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  clamp_16_items<4>(x0, y0, layout);
}
