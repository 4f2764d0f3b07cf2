template <int lanes>
__device__ void less_equal_1_items(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const bool v2 = v0 <= v1;
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) less_equal_1(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_1_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) less_equal_1_lanes(const float* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_1_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void less_equal_1_double_items(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const bool v2 = v0 <= v1;
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) less_equal_1_double(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_1_double_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) less_equal_1_double_lanes(const double* __restrict__ x0, const double* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_1_double_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void less_equal_1_half_items(const Half* __restrict__ x0, const Half* __restrict__ x1, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<Half, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<Half, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const float v1 = number(a1.at[k]);
      const bool v2 = v0 <= v1;
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) less_equal_1_half(const Half* __restrict__ x0, const Half* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_1_half_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) less_equal_1_half_lanes(const Half* __restrict__ x0, const Half* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_1_half_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void less_equal_1_bfloat_items(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const float v1 = number(a1.at[k]);
      const bool v2 = v0 <= v1;
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) less_equal_1_bfloat(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_1_bfloat_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) less_equal_1_bfloat_lanes(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_1_bfloat_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void less_equal_2_items(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<int64_t, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const int64_t v1 = a1.at[k];
      const bool v2 = v0 <= v1;
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) less_equal_2(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_2_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) less_equal_2_lanes(const int64_t* __restrict__ x0, const int64_t* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_2_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void less_equal_7_items(const int64_t* __restrict__ x0, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const bool v1 = v0 <= 1;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) less_equal_7(const int64_t* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  less_equal_7_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) less_equal_7_lanes(const int64_t* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  less_equal_7_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void less_equal_8_items(const int64_t* __restrict__ x0, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const bool v1 = static_cast<double>(v0) <= 1.5;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) less_equal_8(const int64_t* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  less_equal_8_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) less_equal_8_lanes(const int64_t* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  less_equal_8_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void less_equal_9_items(const float* __restrict__ x0, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const bool v1 = 0.1f <= v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) less_equal_9(const float* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  less_equal_9_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) less_equal_9_lanes(const float* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  less_equal_9_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void less_equal_10_items(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = static_cast<int64_t>(v0) <= 2;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) less_equal_10(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  less_equal_10_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) less_equal_10_lanes(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  less_equal_10_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void less_equal_11_items(const int32_t* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<int32_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int32_t v0 = a0.at[k];
      const float v1 = a1.at[k];
      const bool v2 = static_cast<float>(v0) <= v1;
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) less_equal_11(const int32_t* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_11_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) less_equal_11_lanes(const int32_t* __restrict__ x0, const float* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  less_equal_11_items<4>(x0, x1, y0, layout);
}
