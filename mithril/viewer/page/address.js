// The place of a page in its address: the graph, the one beside it, and the path of the box.

/** @typedef {{graph: string, beside: string, at: string}} Address */

/**
 * "#graph=gradient&beside=graph&at=h.0.attn".
 * @param {Address} address
 */
export function fragmentOf({ graph, beside, at }) {
  const fields = new URLSearchParams();
  if (graph && graph !== "model") fields.set("graph", graph);
  if (beside) fields.set("beside", beside);
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
  };
}
