template <int lanes>
__device__ void layer_norm_of_residual_bfloat_rows(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, const BFloat16* __restrict__ x2, const BFloat16* __restrict__ x3, BFloat16* __restrict__ y0, BFloat16* __restrict__ y1, BFloat16* __restrict__ y2, BFloat16* __restrict__ y3, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[4];
    find_row_offsets(at, layout, row);
    float part_v4 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = number(a1.at[k]);
        const float v2 = v0 + v1;
        const float v3 = rounded<BFloat16>(v2);
        part_v4 = Sum::of<float>(part_v4, v3);
      }
    }
    const float v4 = over_row<Sum>(part_v4);
    const float v5 = v4 / static_cast<float>(width);
    const float v14 = rounded<BFloat16>(v5);
    float part_v6 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = number(a1.at[k]);
        const float v2 = v0 + v1;
        const float v3 = rounded<BFloat16>(v2);
        part_v6 = Sum::of<float>(part_v6, (v3 - v5) * (v3 - v5));
      }
    }
    const float v6 = over_row<Sum>(part_v6);
    const float v7 = 1.0f / std::sqrt(v6 / static_cast<float>(width) + 1e-05f);
    const float v15 = rounded<BFloat16>(v7);
    if (threadIdx.x == 0) {
      y2[row] = Element<BFloat16>::of(v14);
      y3[row] = Element<BFloat16>::of(v15);
    }
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      const int64_t s2 = layout.steps[2][layout.axes - 1];
      const Lanes<BFloat16, lanes> a2 = load_lanes<lanes>(x2 + at[2] + item * lanes * s2, s2);
      const int64_t s3 = layout.steps[3][layout.axes - 1];
      const Lanes<BFloat16, lanes> a3 = load_lanes<lanes>(x3 + at[3] + item * lanes * s3, s3);
      Lanes<BFloat16, lanes> b0;
      Lanes<BFloat16, lanes> b1;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = number(a1.at[k]);
        const float v2 = v0 + v1;
        const float v3 = rounded<BFloat16>(v2);
        const float v8 = (v3 - v5) * v7;
        const float v9 = number(a2.at[k]);
        const float v10 = v8 * v9;
        const float v11 = number(a3.at[k]);
        const float v12 = v10 + v11;
        const float v13 = rounded<BFloat16>(v12);
        b0.at[k] = Element<BFloat16>::of(v3);
        b1.at[k] = Element<BFloat16>::of(v13);
      }
      store_lanes(y0 + row * width + item * lanes, b0);
      store_lanes(y1 + row * width + item * lanes, b1);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) layer_norm_of_residual_bfloat(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, const BFloat16* __restrict__ x2, const BFloat16* __restrict__ x3, BFloat16* __restrict__ y0, BFloat16* __restrict__ y1, BFloat16* __restrict__ y2, BFloat16* __restrict__ y3, const Layout layout) {
  layer_norm_of_residual_bfloat_rows<1>(x0, x1, x2, x3, y0, y1, y2, y3, layout);
}
extern "C" __global__ void __launch_bounds__(512) layer_norm_of_residual_bfloat_lanes(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, const BFloat16* __restrict__ x2, const BFloat16* __restrict__ x3, BFloat16* __restrict__ y0, BFloat16* __restrict__ y1, BFloat16* __restrict__ y2, BFloat16* __restrict__ y3, const Layout layout) {
  layer_norm_of_residual_bfloat_rows<4>(x0, x1, x2, x3, y0, y1, y2, y3, layout);
}
