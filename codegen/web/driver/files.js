// Files at addresses and paths.

// The URL of an address, or in Node of a path.
export async function addressOf(path) {
  if (/^[a-z][a-z+.-]+:/i.test(path)) return new URL(path);
  if (typeof document === "object") return new URL(path, document.baseURI);
  const { pathToFileURL } = await import("node:url");
  return new URL(pathToFileURL(path));
}

export async function bytesAt(url) {
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return new Uint8Array(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
