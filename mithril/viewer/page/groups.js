// Puts the nodes of a graph into a tree of boxes: by the parts that contain them, by the components
// of their names, and where a level is still too large by runs of consecutive nodes.

/** @typedef {import("./types").GraphData} GraphData */
/** @typedef {import("./types").GroupData} GroupData */
/** @typedef {import("./types").Kind} Kind */

/** The most boxes of a level. With its ports it stays below the 500 that a call of the layout gets. */
export const MOST_BOXES = 200;
/** Nodes of a run. */
const RUN = 150;

export class Box {
  /**
   * @param {string} name
   * @param {Kind} kind
   */
  constructor(name, kind = "op") {
    this.name = name;
    this.kind = kind;
    this.className = "";
    this.node = -1; // of a leaf
    /** @type {GroupData | null} */
    this.group = null; // of a part with parts
    this.isNamed = false; // by its user
    this.order = Infinity; // of its first node
    this.size = 1; // the nodes in it
    this.path = ""; // in the page: unique
    this.modelPath = ""; // the path of the part
    this.source = ""; // the line that added it: "net.py:12"
    /** @type {Box | null} */
    this.parent = null;
    /** @type {Box[]} */
    this.children = [];
    this.isOpen = false;
  }

  get isLeaf() {
    return this.node >= 0;
  }

  /** @param {Box} child */
  add(child) {
    child.parent = this;
    this.children.push(child);
  }

  /** The line that added it, or the part that it is in. */
  get line() {
    /** @type {Box | null} */
    let box = this;
    while (box && !box.source) box = box.parent;
    return box?.source ?? "";
  }

  /** The boxes that contain it, the outermost first, without the root. */
  ancestors() {
    const boxes = [];
    for (let box = this.parent; box?.parent; box = box.parent) boxes.unshift(box);
    return boxes;
  }
}

/**
 * @param {string} name
 * @returns {string[]} "/a/b.0/c" is three components, and so is "a.b.c"
 */
export function componentsOf(name) {
  const parts = name.split(name.includes("/") ? "/" : ".").filter((part) => part !== "");
  return parts.length ? parts : [name];
}

/**
 * @param {string[]} a
 * @param {string[]} b
 */
function commonPrefix(a, b) {
  let length = 0;
  while (length < a.length && a[length] === b[length]) ++length;
  return a.slice(0, length);
}

/**
 * For each box, the components of the group that it belongs to. A box without a name of its user is
 * where the named boxes before and after it both are.
 * @param {Box[]} boxes
 * @returns {string[][]}
 */
function prefixesOf(boxes) {
  const own = boxes.map((box) => {
    if (box.kind !== "op") return null;
    return box.isNamed ? componentsOf(box.name).slice(0, -1) : undefined;
  });
  const named = own.map((prefix, i) => (prefix ? i : -1)).filter((i) => i >= 0);
  let next = 0;
  return own.map((prefix, i) => {
    while (next < named.length && named[next] <= i) ++next;
    if (prefix) return prefix;
    if (prefix === null || next === 0 || next === named.length) return [];
    return commonPrefix(
      /** @type {string[]} */ (own[named[next - 1]]),
      /** @type {string[]} */ (own[named[next]]),
    );
  });
}

/**
 * Adds boxes for the components of the names of children.
 * @param {Box} box
 */
function splitNames(box) {
  const prefixes = prefixesOf(box.children);
  if (prefixes.every((prefix) => prefix.length === 0)) return;
  const children = box.children;
  box.children = [];
  /** @type {Map<string, Box>} */
  const made = new Map();
  children.forEach((child, i) => {
    let place = box;
    const key = [];
    for (const component of prefixes[i]) {
      key.push(component);
      const text = JSON.stringify(key);
      let inner = made.get(text);
      if (!inner) {
        inner = new Box(component);
        inner.order = child.order;
        made.set(text, inner);
        place.add(inner);
      }
      place = inner;
    }
    if (child.isNamed && prefixes[i].length) child.name = componentsOf(child.name).slice(-1)[0];
    place.add(child);
  });
  for (const inner of [...made.values()].reverse()) dissolveSingle(inner);
}

/**
 * A group of one box says nothing: the box takes its name and its place.
 * @param {Box} box
 */
function dissolveSingle(box) {
  if (box.children.length !== 1 || !box.parent) return;
  const [child] = box.children;
  child.name = `${box.name}.${child.name}`;
  child.parent = box.parent;
  box.parent.children[box.parent.children.indexOf(box)] = child;
}

/**
 * @param {Box[]} boxes
 * @param {string} what
 * @returns {Box[]} groups of consecutive boxes
 */
function runsOf(boxes, what) {
  const count = Math.ceil(boxes.length / RUN);
  const length = Math.ceil(boxes.length / count);
  const runs = [];
  for (let at = 0; at < boxes.length; at += length) {
    const members = boxes.slice(at, at + length);
    const run = new Box(`${what} ${at + 1} to ${at + members.length}`);
    run.order = members[0].order;
    for (const member of members) run.add(member);
    runs.push(run);
  }
  return runs.length > MOST_BOXES ? runsOf(runs, "groups") : runs;
}

/** @param {Box} box */
function limitChildren(box) {
  const inputs = box.children.filter((child) => child.kind === "input" || child.kind === "state");
  const outputs = box.children.filter((child) => child.kind === "output");
  let ops = box.children.filter((child) => child.kind === "op");
  if (ops.length > MOST_BOXES) ops = runsOf(ops, "nodes");
  /** @param {Box[]} boxes @param {string} what */
  const limited = (boxes, what) => (boxes.length > 50 ? runsOf(boxes, what) : boxes);
  box.children = [];
  for (const child of [...limited(inputs, "inputs"), ...ops, ...limited(outputs, "outputs")]) box.add(child);
}

/**
 * Removes groups without nodes, and counts and sorts the others.
 * @param {Box} box
 */
function settle(box) {
  box.children.forEach(settle);
  if (box.isLeaf) return;
  box.children = box.children.filter((child) => child.isLeaf || child.children.length);
  box.size = box.children.reduce((sum, child) => sum + child.size, 0);
  box.order = box.children.reduce((least, child) => Math.min(least, child.order), Infinity);
  box.children.sort((a, b) => a.order - b.order);
}

/**
 * @param {Box} box
 * @param {(box: Box) => void} action
 */
export function eachBox(box, action) {
  const waiting = [box];
  while (waiting.length) {
    const next = /** @type {Box} */ (waiting.pop());
    action(next);
    for (let i = next.children.length; i-- > 0; ) waiting.push(next.children[i]);
  }
}

/** @param {Box} root */
function namePaths(root) {
  const taken = new Set();
  eachBox(root, (box) => {
    if (!box.parent) return;
    const path = box.parent.path ? `${box.parent.path}.${box.name}` : box.name;
    let free = path;
    for (let number = 2; taken.has(free); ++number) free = `${path}~${number}`;
    taken.add(free);
    box.path = free;
  });
}

/**
 * The tree of boxes of a graph. Its root is the model, open.
 * @param {GraphData} graph
 * @param {(node: number) => boolean} isShown
 * @returns {Box}
 */
export function treeOf(graph, isShown = () => true) {
  const root = new Box("");
  const groups = graph.groups.map((group) => {
    const box = new Box(group.name);
    box.group = group;
    box.className = group.class;
    box.source = group.source ?? "";
    box.isNamed = group.named ?? false;
    return box;
  });
  graph.groups.forEach((group, i) => {
    const parent = group.parent === undefined ? root : groups[group.parent];
    groups[i].modelPath = parent.modelPath ? `${parent.modelPath}.${group.name}` : group.name;
    parent.add(groups[i]);
  });
  graph.nodes.forEach((node, i) => {
    if (!isShown(i)) return;
    const box = new Box(node.name, node.kind ?? "op");
    const parent = node.group === undefined ? root : groups[node.group];
    box.node = i;
    box.className = node.class ?? "";
    box.source = node.source ?? "";
    box.isNamed = node.named ?? false;
    box.order = i;
    box.modelPath = parent.modelPath ? `${parent.modelPath}.${node.name}` : node.name;
    parent.add(box);
  });
  settle(root);
  const open = [root];
  while (open.length) {
    const box = /** @type {Box} */ (open.pop());
    for (const child of box.children) open.push(child);
    splitNames(box);
  }
  settle(root);
  const large = [root];
  while (large.length) {
    const box = /** @type {Box} */ (large.pop());
    for (const child of box.children) large.push(child);
    if (!box.isLeaf) limitChildren(box);
  }
  settle(root);
  namePaths(root);
  root.isOpen = true;
  return root;
}
