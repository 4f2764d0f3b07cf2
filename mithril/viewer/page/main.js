// Starts the page.

import { addressOf } from "./address.js";
import { byId } from "./controls.js";
import { Page } from "./page.js";
import { followTheme } from "./theme.js";

async function start() {
  const data = JSON.parse(byId("data").textContent ?? "");
  const script = byId("layout").textContent ?? "";
  followTheme(document.documentElement);
  const page = new Page(data, script, /** @type {any} */ (globalThis).layOut);
  /** @type {any} */ (globalThis).mithrilPage = page; // for consoles and tests
  const address = addressOf(location.hash);
  await page.show(address.graph, address.beside);
  const box = page.active.graph?.byPath.get(address.at);
  page.fragment = location.hash;
  if (box) await page.open(box);
  document.documentElement.dataset.ready = "true";
}

start();
