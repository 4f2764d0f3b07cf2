// The points of a receiver operating characteristic.

// The fractions of positive and of negative samples whose score is at least that of each sample,
// from the highest score down, as two rows.
export function auc_core(output, scores, labels) {
  const count = scores.size;
  const order = Array.from({ length: count }, (_, i) => i);
  order.sort((a, b) => scores.data[b] - scores.data[a]);
  const positive = labels.data.reduce((sum, label) => sum + (label ? 1 : 0), 0);
  let found = 0;
  let wrong = 0;
  let next = 0;
  for (let i = 0; i < count; ++i) {
    const score = scores.data[order[i]];
    for (; next < count && scores.data[order[next]] === score; ++next) {
      if (labels.data[order[next]]) ++found;
      else ++wrong;
    }
    output.data[i] = found / positive;
    output.data[count + i] = wrong / (count - positive);
  }
}
