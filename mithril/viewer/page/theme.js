// The colours of the page: light or dark.

const NAMES = ["canvas", "group", "folded", "box", "port", "line", "edge", "text", "muted", "accent", "added", "removed", "changed"];
for (let i = 0; i < 10; ++i) NAMES.push(`hue${i}`);
for (let i = 0; i < 9; ++i) NAMES.push(`heat${i}`);

/**
 * The custom properties of page.css, for the canvas.
 * @param {Element} root
 * @returns {Record<string, string>}
 */
export function coloursOf(root) {
  const style = getComputedStyle(root);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/**
 * From light to dark or back.
 * @param {HTMLElement} root
 */
export function changeTheme(root) {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
}
