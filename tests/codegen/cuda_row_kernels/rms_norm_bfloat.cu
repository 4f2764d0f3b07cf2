template <int lanes>
__device__ void rms_norm_bfloat_rows(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    float part_v3 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = v0 * v0;
        const float v2 = rounded<BFloat16>(v1);
        part_v3 = Sum::of<float>(part_v3, v2);
      }
    }
    const float v3 = over_row<Sum>(part_v3);
    const float v4 = v3 / static_cast<float>(width);
    const float v5 = rounded<BFloat16>(v4);
    const float v6 = v5 + 1e-06f;
    const float v7 = rounded<BFloat16>(v6);
    const float v8 = std::sqrt(v7);
    const float v9 = rounded<BFloat16>(v8);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      Lanes<BFloat16, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v10 = v0 / v9;
        const float v11 = rounded<BFloat16>(v10);
        const float v12 = number(a1.at[k]);
        const float v13 = v11 * v12;
        const float v14 = rounded<BFloat16>(v13);
        b0.at[k] = Element<BFloat16>::of(v14);
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) rms_norm_bfloat(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout layout) {
  rms_norm_bfloat_rows<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) rms_norm_bfloat_lanes(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout layout) {
  rms_norm_bfloat_rows<4>(x0, x1, y0, layout);
}
