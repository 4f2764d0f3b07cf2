template <int lanes>
__device__ void adam_w_batch(const Batch& batch) {
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
      const float v3 = a2.at[k];
      const float v4 = a3.at[k];
      const float v8 = a4.at[k];
      const float v13 = a5.at[k];
      const float v16 = a6.at[k];
      const float v2 = v0 * v1;
      const float v5 = v3 - v4;
      const float v6 = v5 * 0.1f;
      const float v7 = v4 + v6;
      const float v9 = v8 * 0.999f;
      const float v10 = v3 * 0.001f;
      const float v11 = v10 * v3;
      const float v12 = v9 + v11;
      const float v14 = v7 * v13;
      const float v15 = std::sqrt(v12);
      const float v17 = v15 * v16;
      const float v18 = v17 + 1e-08f;
      const float v19 = v14 / v18;
      const float v20 = v2 - v19;
      b0.at[k] = v20;
      b1.at[k] = v7;
      b2.at[k] = v12;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
    store_lanes(y2 + item * lanes, b2);
  }
}
extern "C" __global__ void __launch_bounds__(256) adam_w(const Batch batch) {
  adam_w_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) adam_w_lanes(const Batch batch) {
  adam_w_batch<4>(batch);
}
