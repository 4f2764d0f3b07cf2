// Starts the page.

import { byId } from "./controls.js";
import { Page } from "./page.js";
import { followTheme } from "./theme.js";

async function start() {
  const data = JSON.parse(byId("data").textContent ?? "");
  const script = byId("layout").textContent ?? "";
  followTheme(document.documentElement);
  const page = new Page(data, script, /** @type {any} */ (globalThis).layOut);
  /** @type {any} */ (globalThis).mithrilPage = page; // for consoles and tests
  await page.goTo(location.hash);
}

start()
  .catch((error) => (byId("status").textContent = `the page cannot be shown: ${error}`))
  .finally(() => (document.documentElement.dataset.ready = "true"));
