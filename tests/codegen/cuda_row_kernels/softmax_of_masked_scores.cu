template <int lanes>
__device__ void softmax_of_masked_scores_rows(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    float part_v4 = Largest::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = v0 * 0.125f;
        const float v2 = a1.at[k];
        const float v3 = v1 + v2;
        part_v4 = Largest::of<float>(part_v4, v3);
      }
    }
    const float v4 = over_row<Largest>(part_v4);
    float part_v5 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = v0 * 0.125f;
        const float v2 = a1.at[k];
        const float v3 = v1 + v2;
        part_v5 = Sum::of<float>(part_v5, float_exp(v3 - v4));
      }
    }
    const float v5 = over_row<Sum>(part_v5);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      Lanes<float, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = v0 * 0.125f;
        const float v2 = a1.at[k];
        const float v3 = v1 + v2;
        const float v6 = float_exp(v3 - v4) / v5;
        b0.at[k] = v6;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_masked_scores(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  softmax_of_masked_scores_rows<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_masked_scores_lanes(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  softmax_of_masked_scores_rows<4>(x0, x1, y0, layout);
}
