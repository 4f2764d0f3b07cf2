template <int lanes>
__device__ void round_1_items(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = std::rint(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) round_1(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  round_1_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) round_1_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  round_1_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void round_1_double_items(const double* __restrict__ x0, double* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<double, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const double v0 = a0.at[k];
      const double v1 = std::rint(v0);
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) round_1_double(const double* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  round_1_double_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) round_1_double_lanes(const double* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  round_1_double_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void round_1_half_items(const Half* __restrict__ x0, Half* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<Half, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<Half, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const float v1 = rounded<Half>(std::rint(v0));
      b0.at[k] = Element<Half>::of(v1);
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) round_1_half(const Half* __restrict__ x0, Half* __restrict__ y0, const Layout layout) {
  round_1_half_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) round_1_half_lanes(const Half* __restrict__ x0, Half* __restrict__ y0, const Layout layout) {
  round_1_half_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void round_1_bfloat_items(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<BFloat16, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const float v1 = rounded<BFloat16>(std::rint(v0));
      b0.at[k] = Element<BFloat16>::of(v1);
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) round_1_bfloat(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout layout) {
  round_1_bfloat_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) round_1_bfloat_lanes(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout layout) {
  round_1_bfloat_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void round_6_items(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout& layout) {
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
extern "C" __global__ void __launch_bounds__(256) round_6(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout layout) {
  round_6_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) round_6_lanes(const int64_t* __restrict__ x0, int64_t* __restrict__ y0, const Layout layout) {
  round_6_items<4>(x0, y0, layout);
}
