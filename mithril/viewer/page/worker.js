// In the worker: lays levels out, one after the other. The library is above in the same script.

/** @param {{nodes: object[], edges: object[]}} request */
function layOut(request) {
  const size = { width: 0, height: 0 };
  layout(request.nodes, request.edges, { nodesep: 18, edgesep: 12, ranksep: 26 }, size);
  return { nodes: request.nodes, edges: request.edges };
}

if (typeof window === "undefined") {
  onmessage = ({ data }) => {
    try {
      postMessage({ id: data.id, result: layOut(data.request) });
    } catch (error) {
      postMessage({ id: data.id, error: String(error) });
    }
  };
}
