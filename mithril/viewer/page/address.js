// The place of a page in its address: the graph, the one beside it, the path of the box, and whether
// ops that compute values have boxes.

/** @typedef {{graph: string, beside: string, at: string, values: boolean}} Address */

/**
 * "#graph=gradient&beside=graph&at=h.0.attn".
 * @param {Address} address
 */
export function fragmentOf({ graph, beside, at, values }) {
  const fields = new URLSearchParams();
  if (graph && graph !== "model") fields.set("graph", graph);
  if (beside) fields.set("beside", beside);
  if (values) fields.set("values", "1");
  if (at) fields.set("at", at);
  const text = fields.toString();
  return text ? `#${text}` : "";
}

/**
 * @param {string} fragment
 * @returns {Address}
 */
export function addressOf(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  return {
    graph: fields.get("graph") ?? "model",
    beside: fields.get("beside") ?? "",
    at: fields.get("at") ?? "",
    values: fields.has("values"),
  };
}
