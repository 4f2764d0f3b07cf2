template <int lanes>
__device__ void plain_layer_norm_bfloat_rows(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[1];
    find_row_offsets(at, layout, row);
    float part_v1 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        part_v1 = Sum::of<float>(part_v1, v0);
      }
    }
    const float v1 = over_row<Sum>(part_v1);
    const float v2 = v1 / static_cast<float>(width);
    const float v9 = rounded<BFloat16>(v2);
    float part_v3 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        part_v3 = Sum::of<float>(part_v3, (v0 - v2) * (v0 - v2));
      }
    }
    const float v3 = over_row<Sum>(part_v3);
    const float v4 = 1.0f / std::sqrt(v3 / static_cast<float>(width) + 1e-05f);
    const float v10 = rounded<BFloat16>(v4);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      Lanes<BFloat16, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v5 = (v0 - v2) * v4;
        const float v6 = v5;
        const float v7 = v6;
        const float v8 = rounded<BFloat16>(v7);
        const float v11 = v8 < 0.0f ? 0.0f : v8;
        const float v12 = rounded<BFloat16>(v11);
        b0.at[k] = Element<BFloat16>::of(v12);
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) plain_layer_norm_bfloat(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout layout) {
  plain_layer_norm_bfloat_rows<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) plain_layer_norm_bfloat_lanes(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout layout) {
  plain_layer_norm_bfloat_rows<4>(x0, y0, layout);
}
