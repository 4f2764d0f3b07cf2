// Errors of the driver, and checks of the options that its callers give.

export class LMError extends Error {
  constructor(message, cause = undefined) {
    super(message);
    this.name = "LMError";
    this.cause = cause;
  }
}

// A value as messages print it.
export function shown(value) {
  if (typeof value === "string") return `'${value}'`;
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  try {
    return JSON.stringify(value) ?? Object.prototype.toString.call(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

export function check(name, value, isRight, expected) {
  if (!isRight(value)) throw new LMError(`${name} is ${shown(value)}, expected ${expected}`);
}

export const isWhole = (value) => Number.isSafeInteger(value) && value >= 0;
export const isCount = (value) => Number.isSafeInteger(value) && value >= 1;
export const isSeed = (value) => value === undefined || Number.isSafeInteger(value);
export const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// The options, with defaults in place of what is missing. `place` has them, such as "generate()".
export function optionsOf(place, given, defaults) {
  if (!isObject(given))
    throw new LMError(`the options of ${place} are ${shown(given)}, expected an object`);
  for (const [key, value] of Object.entries(given)) {
    if (Object.hasOwn(defaults, key)) continue;
    const known = Object.keys(defaults).join(", ");
    throw new LMError(`${place} has no option '${key}' (${shown(value)}), expected ${known}`);
  }
  const chosen = { ...defaults };
  for (const [key, value] of Object.entries(given)) if (value !== undefined) chosen[key] = value;
  return chosen;
}

const devices = ["cpu", "webgl", "webgpu"];

// Another device is never used in place of the one that was asked for.
export function checkDevice(name, device) {
  check(name, device, (value) => devices.includes(value), `one of ${devices.join(", ")}`);
  if (device !== "cpu")
    throw new LMError(`${name} is '${device}', which is not available: this driver runs on 'cpu'`);
}
