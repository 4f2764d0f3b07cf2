template <int lanes>
__device__ void where_1_items(const bool* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[3];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + at[2], layout.steps[2][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = a2.at[k];
      const float v3 = v0 ? v1 : v2;
      b0.at[k] = v3;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) where_1(const bool* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0, const Layout layout) {
  where_1_items<1>(x0, x1, x2, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) where_1_lanes(const bool* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0, const Layout layout) {
  where_1_items<4>(x0, x1, x2, y0, layout);
}

template <int lanes>
__device__ void where_1_double_items(const bool* __restrict__ x0, const double* __restrict__ x1, const double* __restrict__ x2, double* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[3];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    const Lanes<double, lanes> a2 = load_lanes<lanes>(x2 + at[2], layout.steps[2][layout.axes - 1]);
    Lanes<double, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v2 = a2.at[k];
      const double v3 = v0 ? v1 : v2;
      b0.at[k] = v3;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) where_1_double(const bool* __restrict__ x0, const double* __restrict__ x1, const double* __restrict__ x2, double* __restrict__ y0, const Layout layout) {
  where_1_double_items<1>(x0, x1, x2, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) where_1_double_lanes(const bool* __restrict__ x0, const double* __restrict__ x1, const double* __restrict__ x2, double* __restrict__ y0, const Layout layout) {
  where_1_double_items<4>(x0, x1, x2, y0, layout);
}

template <int lanes>
__device__ void where_1_half_items(const bool* __restrict__ x0, const Half* __restrict__ x1, const Half* __restrict__ x2, Half* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[3];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<Half, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    const Lanes<Half, lanes> a2 = load_lanes<lanes>(x2 + at[2], layout.steps[2][layout.axes - 1]);
    Lanes<Half, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const float v1 = number(a1.at[k]);
      const float v2 = number(a2.at[k]);
      const float v3 = rounded<Half>(v0 ? v1 : v2);
      b0.at[k] = Element<Half>::of(v3);
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) where_1_half(const bool* __restrict__ x0, const Half* __restrict__ x1, const Half* __restrict__ x2, Half* __restrict__ y0, const Layout layout) {
  where_1_half_items<1>(x0, x1, x2, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) where_1_half_lanes(const bool* __restrict__ x0, const Half* __restrict__ x1, const Half* __restrict__ x2, Half* __restrict__ y0, const Layout layout) {
  where_1_half_items<4>(x0, x1, x2, y0, layout);
}

template <int lanes>
__device__ void where_1_bfloat_items(const bool* __restrict__ x0, const BFloat16* __restrict__ x1, const BFloat16* __restrict__ x2, BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[3];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    const Lanes<BFloat16, lanes> a2 = load_lanes<lanes>(x2 + at[2], layout.steps[2][layout.axes - 1]);
    Lanes<BFloat16, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const float v1 = number(a1.at[k]);
      const float v2 = number(a2.at[k]);
      const float v3 = rounded<BFloat16>(v0 ? v1 : v2);
      b0.at[k] = Element<BFloat16>::of(v3);
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) where_1_bfloat(const bool* __restrict__ x0, const BFloat16* __restrict__ x1, const BFloat16* __restrict__ x2, BFloat16* __restrict__ y0, const Layout layout) {
  where_1_bfloat_items<1>(x0, x1, x2, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) where_1_bfloat_lanes(const bool* __restrict__ x0, const BFloat16* __restrict__ x1, const BFloat16* __restrict__ x2, BFloat16* __restrict__ y0, const Layout layout) {
  where_1_bfloat_items<4>(x0, x1, x2, y0, layout);
}

template <int lanes>
__device__ void where_6_items(const bool* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 ? 0.5f : v1;
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) where_6(const bool* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  where_6_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) where_6_lanes(const bool* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  where_6_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void where_7_items(const bool* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v2 = v0 ? v1 : 0.0f;
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) where_7(const bool* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  where_7_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) where_7_lanes(const bool* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  where_7_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void where_8_items(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const int64_t* __restrict__ x2, int64_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[3];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<int64_t, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    const Lanes<int64_t, lanes> a2 = load_lanes<lanes>(x2 + at[2], layout.steps[2][layout.axes - 1]);
    Lanes<int64_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const int64_t v1 = a1.at[k];
      const int64_t v2 = a2.at[k];
      const int64_t v3 = v0 ? v1 : v2;
      b0.at[k] = v3;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) where_8(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const int64_t* __restrict__ x2, int64_t* __restrict__ y0, const Layout layout) {
  where_8_items<1>(x0, x1, x2, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) where_8_lanes(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const int64_t* __restrict__ x2, int64_t* __restrict__ y0, const Layout layout) {
  where_8_items<4>(x0, x1, x2, y0, layout);
}

template <int lanes>
__device__ void where_9_items(const bool* __restrict__ x0, const bool* __restrict__ x1, const bool* __restrict__ x2, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[3];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<bool, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    const Lanes<bool, lanes> a2 = load_lanes<lanes>(x2 + at[2], layout.steps[2][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = a1.at[k];
      const bool v2 = a2.at[k];
      const bool v3 = v0 ? v1 : v2;
      b0.at[k] = v3;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) where_9(const bool* __restrict__ x0, const bool* __restrict__ x1, const bool* __restrict__ x2, bool* __restrict__ y0, const Layout layout) {
  where_9_items<1>(x0, x1, x2, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) where_9_lanes(const bool* __restrict__ x0, const bool* __restrict__ x1, const bool* __restrict__ x2, bool* __restrict__ y0, const Layout layout) {
  where_9_items<4>(x0, x1, x2, y0, layout);
}

template <int lanes>
__device__ void where_10_items(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[3];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<int64_t, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + at[2], layout.steps[2][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const int64_t v1 = a1.at[k];
      const float v2 = a2.at[k];
      const float v3 = v0 ? static_cast<float>(v1) : v2;
      b0.at[k] = v3;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) where_10(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0, const Layout layout) {
  where_10_items<1>(x0, x1, x2, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) where_10_lanes(const bool* __restrict__ x0, const int64_t* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0, const Layout layout) {
  where_10_items<4>(x0, x1, x2, y0, layout);
}
