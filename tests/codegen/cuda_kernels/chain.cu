template <int lanes>
__device__ void chain_items(const float* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0, float* __restrict__ y1, const Layout& layout) {
  const int64_t items = layout.count / lanes;
  for (int64_t item = first_item(); item < items; item += item_step()) {
    int64_t at[3];
    find_offsets(at, layout, item * lanes);
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0], layout.steps[0][layout.axes - 1]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1], layout.steps[1][layout.axes - 1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + at[2], layout.steps[2][layout.axes - 1]);
    Lanes<float, lanes> b0;
    Lanes<float, lanes> b1;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v3 = a2.at[k];
      const float v2 = v0 * v1;
      const float v4 = v2 + v3;
      const float v5 = v4 / 2.0f * (1.0f + float_tanh(0.7978846f * (v4 + 0.044715f * v4 * v4 * v4)));
      const float v6 = v5 + v0;
      b0.at[k] = v4;
      b1.at[k] = v6;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
  }
}
extern "C" __global__ void __launch_bounds__(256) chain(const float* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0, float* __restrict__ y1, const Layout layout) {
  chain_items<1>(x0, x1, x2, y0, y1, layout);
}
extern "C" __global__ void __launch_bounds__(256) chain_lanes(const float* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, float* __restrict__ y0, float* __restrict__ y1, const Layout layout) {
  chain_items<4>(x0, x1, x2, y0, y1, layout);
}
