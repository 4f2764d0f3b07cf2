template <int lanes>
__device__ void power_1_items(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = std::pow(v0, v1);
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_1(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  power_1_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_1_lanes(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  power_1_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void power_1_double_items(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<double, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = std::pow(v0, v1);
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_1_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout layout) {
  power_1_double_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_1_double_lanes(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout layout) {
  power_1_double_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void power_1_half_items(const Half* __restrict__ x0, const Half* __restrict__ x1, Half* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<Half, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<Half, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<Half, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const float v1 = number(a1.at[k]);
      const float v2 = rounded<Half>(std::pow(v0, v1));
      b0.at[k] = Element<Half>::of(v2);
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_1_half(const Half* __restrict__ x0, const Half* __restrict__ x1, Half* __restrict__ y0, const Layout layout) {
  power_1_half_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_1_half_lanes(const Half* __restrict__ x0, const Half* __restrict__ x1, Half* __restrict__ y0, const Layout layout) {
  power_1_half_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void power_1_bfloat_items(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<BFloat16, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const float v1 = number(a1.at[k]);
      const float v2 = rounded<BFloat16>(std::pow(v0, v1));
      b0.at[k] = Element<BFloat16>::of(v2);
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_1_bfloat(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout layout) {
  power_1_bfloat_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_1_bfloat_lanes(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout layout) {
  power_1_bfloat_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void power_5_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::pow(v0, 2.0f);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_5(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_5_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_5_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_5_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void power_6_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::pow(v0, 3.0f);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_6(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_6_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_6_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_6_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void power_7_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::pow(v0, -1.0f);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_7(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_7_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_7_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_7_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void power_8_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::pow(v0, 0.5f);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_8(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_8_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_8_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_8_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void power_9_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::pow(v0, 0.0f);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_9(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_9_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_9_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_9_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void power_11_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::pow(2.0f, v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_11(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_11_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_11_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_11_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void power_12_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::pow(2.5f, v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_12(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_12_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_12_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  power_12_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void power_16_items(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<int64_t, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<int64_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const int64_t v1 = a1.at[k];
      const int64_t v2 = whole_power<int64_t>(v0, v1);
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_16(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0, const Layout layout) {
  power_16_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_16_lanes(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, int64_t* __restrict__ y0, const Layout layout) {
  power_16_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void power_17_items(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<int32_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<int32_t, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<int32_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int32_t v0 = a0.at[k];
      const int32_t v1 = a1.at[k];
      const int32_t v2 = whole_power<int32_t>(v0, v1);
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_17(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0, const Layout layout) {
  power_17_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_17_lanes(const int32_t* __restrict__ x0, const int32_t* __restrict__ x1, int32_t* __restrict__ y0, const Layout layout) {
  power_17_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void power_18_items(const int64_t* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = std::pow(static_cast<float>(v0), v1);
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_18(const int64_t* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  power_18_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_18_lanes(const int64_t* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  power_18_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void power_26_items(const int32_t* __restrict__ x0, int32_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<int32_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<int32_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int32_t v0 = a0.at[k];
      const int32_t v1 = whole_power<int32_t>(-1, v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) power_26(const int32_t* __restrict__ x0, int32_t* __restrict__ y0, const Layout layout) {
  power_26_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) power_26_lanes(const int32_t* __restrict__ x0, int32_t* __restrict__ y0, const Layout layout) {
  power_26_items<4>(x0, y0, layout);
}
