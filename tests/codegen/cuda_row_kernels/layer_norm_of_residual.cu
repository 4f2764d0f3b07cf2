template <int lanes>
__device__ void layer_norm_of_residual_rows(const float* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, const float* __restrict__ x3, float* __restrict__ y0, float* __restrict__ y1, float* __restrict__ y2, float* __restrict__ y3, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[4];
    find_row_offsets(at, layout, row);
    float part_v3 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = a1.at[k];
        const float v2 = v0 + v1;
        part_v3 = Sum::of<float>(part_v3, v2);
      }
    }
    const float v3 = over_row<Sum>(part_v3);
    const float v4 = v3 / static_cast<float>(width);
    float part_v5 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = a1.at[k];
        const float v2 = v0 + v1;
        part_v5 = Sum::of<float>(part_v5, (v2 - v4) * (v2 - v4));
      }
    }
    const float v5 = over_row<Sum>(part_v5);
    const float v6 = 1.0f / std::sqrt(v5 / static_cast<float>(width) + 1e-05f);
    if (threadIdx.x == 0) {
      y2[row] = v4;
      y3[row] = v6;
    }
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      const int64_t s2 = layout.steps[2][layout.axes - 1];
      const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + at[2] + item * lanes * s2, s2);
      const int64_t s3 = layout.steps[3][layout.axes - 1];
      const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + at[3] + item * lanes * s3, s3);
      Lanes<float, lanes> b0;
      Lanes<float, lanes> b1;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = a1.at[k];
        const float v2 = v0 + v1;
        const float v7 = (v2 - v4) * v6;
        const float v8 = a2.at[k];
        const float v9 = v7 * v8;
        const float v10 = a3.at[k];
        const float v11 = v9 + v10;
        b0.at[k] = v2;
        b1.at[k] = v11;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
      store_lanes(y1 + row * width + item * lanes, b1);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) layer_norm_of_residual(const float* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, const float* __restrict__ x3, float* __restrict__ y0, float* __restrict__ y1, float* __restrict__ y2, float* __restrict__ y3, const Layout layout) {
  layer_norm_of_residual_rows<1>(x0, x1, x2, x3, y0, y1, y2, y3, layout);
}
extern "C" __global__ void __launch_bounds__(512) layer_norm_of_residual_lanes(const float* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, const float* __restrict__ x3, float* __restrict__ y0, float* __restrict__ y1, float* __restrict__ y2, float* __restrict__ y3, const Layout layout) {
  layer_norm_of_residual_rows<4>(x0, x1, x2, x3, y0, y1, y2, y3, layout);
}
