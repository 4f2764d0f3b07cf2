template <int lanes>
__device__ void adam_w_double_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const double* const x0 = pointer_of<const double>(batch, share.tensor, 0);
  const double* const x1 = pointer_of<const double>(batch, share.tensor, 1);
  const double* const x2 = pointer_of<const double>(batch, share.tensor, 2);
  const double* const x3 = pointer_of<const double>(batch, share.tensor, 3);
  const double* const x4 = pointer_of<const double>(batch, share.tensor, 4);
  const double* const x5 = pointer_of<const double>(batch, share.tensor, 5);
  const double* const x6 = pointer_of<const double>(batch, share.tensor, 6);
  double* const y0 = pointer_of<double>(batch, share.tensor, 7);
  double* const y1 = pointer_of<double>(batch, share.tensor, 8);
  double* const y2 = pointer_of<double>(batch, share.tensor, 9);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<double, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<double, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    const Lanes<double, lanes> a4 = load_lanes<lanes>(x4 + item * lanes * batch.steps[4], batch.steps[4]);
    const Lanes<double, lanes> a5 = load_lanes<lanes>(x5 + item * lanes * batch.steps[5], batch.steps[5]);
    const Lanes<double, lanes> a6 = load_lanes<lanes>(x6 + item * lanes * batch.steps[6], batch.steps[6]);
    Lanes<double, lanes> b0;
    Lanes<double, lanes> b1;
    Lanes<double, lanes> b2;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v3 = a2.at[k];
      const double v4 = a3.at[k];
      const double v8 = a4.at[k];
      const double v13 = a5.at[k];
      const double v16 = a6.at[k];
      const double v2 = v0 * v1;
      const double v5 = v3 - v4;
      const double v6 = v5 * 0.09999999999999998;
      const double v7 = v4 + v6;
      const double v9 = v8 * 0.999;
      const double v10 = v3 * 0.0010000000000000009;
      const double v11 = v10 * v3;
      const double v12 = v9 + v11;
      const double v14 = v7 * v13;
      const double v15 = std::sqrt(v12);
      const double v17 = v15 * v16;
      const double v18 = v17 + 1e-08;
      const double v19 = v14 / v18;
      const double v20 = v2 - v19;
      b0.at[k] = v20;
      b1.at[k] = v7;
      b2.at[k] = v12;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
    store_lanes(y2 + item * lanes, b2);
  }
}
extern "C" __global__ void __launch_bounds__(256) adam_w_double(const Batch batch) {
  adam_w_double_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) adam_w_double_lanes(const Batch batch) {
  adam_w_double_batch<4>(batch);
}
