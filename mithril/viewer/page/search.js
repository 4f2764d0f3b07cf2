// Finds boxes by the words of their names, ops and shapes.

/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./groups.js").Box} Box */

/** The text that is searched for a box, in lower case. */
class Entry {
  /**
   * @param {Graph} graph
   * @param {Box} box
   */
  constructor(graph, box) {
    this.box = box;
    this.name = box.name.toLowerCase();
    const shapes = box.isLeaf ? shapesOf(graph, box) : [];
    this.text = [box.path, box.modelPath, box.className, ...shapes].join("\n").toLowerCase();
  }
}

/**
 * @param {Graph} graph
 * @param {Box} box
 */
function shapesOf(graph, box) {
  const { outputs = [], inputs = [], parameters = [] } = graph.node(box);
  const ports = outputs.length ? outputs : inputs;
  const texts = ports.map(([, value]) => graph.data.values[value].slice(0, 3).join(" "));
  return [...texts, ...parameters.map(([, key, value]) => `${key} ${graph.data.values[value][1]}`)];
}

export class SearchIndex {
  /** @param {Graph} graph */
  constructor(graph) {
    this.entries = [...graph.byPath.values()].map((box) => new Entry(graph, box));
  }

  /**
   * The boxes that have all words of a query, those whose names are nearest first. "[N, 64]" is one
   * word: commas and brackets hold words together.
   * @param {string} query
   * @param {number} most
   * @returns {{boxes: Box[], count: number}}
   */
  find(query, most = 60) {
    const words = query.toLowerCase().match(/\[[^\]]*\]?|\S+/g) ?? [];
    if (!words.length) return { boxes: [], count: 0 };
    const found = this.entries.filter(({ text }) => words.every((word) => text.includes(word)));
    /** @param {Entry} entry */
    const rank = ({ name }) => {
      if (name === words[0]) return 0;
      if (name.startsWith(words[0])) return 1;
      return name.includes(words[0]) ? 2 : 3;
    };
    const ranked = found.map((entry, i) => ({ entry, i, rank: rank(entry) }));
    ranked.sort((a, b) => a.rank - b.rank || a.i - b.i);
    return { boxes: ranked.slice(0, most).map(({ entry }) => entry.box), count: found.length };
  }
}
