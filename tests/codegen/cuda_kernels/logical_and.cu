template <int lanes>
__device__ void logical_and_1_items(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[2];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<bool, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = a1.at[k];
      const bool v2 = v0 && v1;
      b0.at[k] = v2;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) logical_and_1(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  logical_and_1_items<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) logical_and_1_lanes(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0, const Layout layout) {
  logical_and_1_items<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void logical_and_5_items(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = v0 && true;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) logical_and_5(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  logical_and_5_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) logical_and_5_lanes(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  logical_and_5_items<4>(x0, y0, layout);
}

template <int lanes>
__device__ void logical_and_6_items(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = false && v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) logical_and_6(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  logical_and_6_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) logical_and_6_lanes(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  logical_and_6_items<4>(x0, y0, layout);
}
