template <int lanes>
__device__ void logical_not_1_items(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[1];
    find_offsets(at, layout, item * lanes);
    const Lanes<bool, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    Lanes<bool, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = !v0;
      b0.at[k] = v1;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) logical_not_1(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  logical_not_1_items<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(256) logical_not_1_lanes(const bool* __restrict__ x0, bool* __restrict__ y0, const Layout layout) {
  logical_not_1_items<4>(x0, y0, layout);
}
