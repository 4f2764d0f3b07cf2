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

let isChosen = false; // by changeTheme

/**
 * Takes the theme of the browser, now and after each change, until changeTheme.
 * @param {HTMLElement} root
 */
export function followTheme(root) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const take = () => {
    if (!isChosen) root.dataset.theme = dark.matches ? "dark" : "light";
  };
  dark.addEventListener("change", take);
  take();
}

/**
 * From light to dark or back.
 * @param {HTMLElement} root
 */
export function changeTheme(root) {
  isChosen = true;
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
}
