template <int lanes>
__device__ void nadam_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const float* const x0 = pointer_of<const float>(batch, share.tensor, 0);
  const float* const x1 = pointer_of<const float>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  const float* const x3 = pointer_of<const float>(batch, share.tensor, 3);
  const float* const x4 = pointer_of<const float>(batch, share.tensor, 4);
  const float* const x5 = pointer_of<const float>(batch, share.tensor, 5);
  const float* const x6 = pointer_of<const float>(batch, share.tensor, 6);
  float* const y0 = pointer_of<float>(batch, share.tensor, 7);
  float* const y1 = pointer_of<float>(batch, share.tensor, 8);
  float* const y2 = pointer_of<float>(batch, share.tensor, 9);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    const Lanes<float, lanes> a4 = load_lanes<lanes>(x4 + item * lanes * batch.steps[4], batch.steps[4]);
    const Lanes<float, lanes> a5 = load_lanes<lanes>(x5 + item * lanes * batch.steps[5], batch.steps[5]);
    const Lanes<float, lanes> a6 = load_lanes<lanes>(x6 + item * lanes * batch.steps[6], batch.steps[6]);
    Lanes<float, lanes> b0;
    Lanes<float, lanes> b1;
    Lanes<float, lanes> b2;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v5 = a2.at[k];
      const float v11 = a3.at[k];
      const float v14 = a4.at[k];
      const float v16 = a5.at[k];
      const float v20 = a6.at[k];
      const float v2 = v0 - v1;
      const float v3 = v2 * 0.1f;
      const float v4 = v1 + v3;
      const float v6 = v5 * 0.999f;
      const float v7 = v0 * 0.001f;
      const float v8 = v7 * v0;
      const float v9 = v6 + v8;
      const float v10 = std::sqrt(v9);
      const float v12 = v10 * v11;
      const float v13 = v12 + 1e-08f;
      const float v15 = v0 * v14;
      const float v17 = v4 * v16;
      const float v18 = v15 + v17;
      const float v19 = v18 / v13;
      const float v21 = v20 - v19;
      b0.at[k] = v21;
      b1.at[k] = v4;
      b2.at[k] = v9;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
    store_lanes(y2 + item * lanes, b2);
  }
}
extern "C" __global__ void __launch_bounds__(256) nadam(const Batch batch) {
  nadam_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) nadam_lanes(const Batch batch) {
  nadam_batch<4>(batch);
}
