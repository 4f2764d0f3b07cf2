template <int lanes>
__device__ void cast_1_items(const float* __restrict__ x0, double* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<double, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const double v1 = static_cast<double>(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) cast_1(const float* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  cast_1_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) cast_1_lanes(const float* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  cast_1_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void cast_1_double_items(const double* __restrict__ x0, double* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<double, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const double v0 = a0.at[k];
      const double v1 = v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) cast_1_double(const double* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  cast_1_double_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) cast_1_double_lanes(const double* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  cast_1_double_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void cast_1_half_items(const Half* __restrict__ x0, double* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<Half, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<double, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const double v1 = static_cast<double>(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) cast_1_half(const Half* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  cast_1_half_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) cast_1_half_lanes(const Half* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  cast_1_half_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void cast_1_bfloat_items(const BFloat16* __restrict__ x0, double* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<double, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const double v1 = static_cast<double>(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) cast_1_bfloat(const BFloat16* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  cast_1_bfloat_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) cast_1_bfloat_lanes(const BFloat16* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  cast_1_bfloat_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void cast_2_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
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
extern "C" __global__ void __launch_bounds__(256) cast_2(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  cast_2_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) cast_2_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  cast_2_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void cast_4_items(const float* __restrict__ x0, Half* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<Half, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = rounded<Half>(v0);
      b0.at[k] = Element<Half>::of(v1);
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) cast_4(const float* __restrict__ x0, Half* __restrict__ y0, const Layout layout) {
  cast_4_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) cast_4_lanes(const float* __restrict__ x0, Half* __restrict__ y0, const Layout layout) {
  cast_4_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void cast_5_items(const float* __restrict__ x0, int64_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<int64_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const int64_t v1 = to_integer<int64_t>(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) cast_5(const float* __restrict__ x0, int64_t* __restrict__ y0, const Layout layout) {
  cast_5_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) cast_5_lanes(const float* __restrict__ x0, int64_t* __restrict__ y0, const Layout layout) {
  cast_5_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void cast_6_items(const float* __restrict__ x0, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const bool v1 = static_cast<bool>(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) cast_6(const float* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  cast_6_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) cast_6_lanes(const float* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  cast_6_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void cast_7_items(const bool* __restrict__ x0, int32_t* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<int32_t, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const int32_t v1 = static_cast<int32_t>(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) cast_7(const bool* __restrict__ x0, int32_t* __restrict__ y0, const Layout layout) {
  cast_7_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) cast_7_lanes(const bool* __restrict__ x0, int32_t* __restrict__ y0, const Layout layout) {
  cast_7_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void cast_12_items(const int64_t* __restrict__ x0, double* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<int64_t, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<double, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const int64_t v0 = a0.at[k];
      const double v1 = static_cast<double>(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) cast_12(const int64_t* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  cast_12_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) cast_12_lanes(const int64_t* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  cast_12_items<4>(x0, y0, layout);
}
