// The page: its graphs, panes and panels, and the controls above them.

import { addressOf, fragmentOf } from "./address.js";
import { comparisonText, countMarks, differences, identityOf } from "./compare.js";
import { byId, connectControls, field, fillControls } from "./controls.js";
import { Details } from "./details.js";
import { countText } from "./format.js";
import { Graph } from "./graph.js";
import { Heat } from "./heat.js";
import { LayoutEngine } from "./layout.js";
import { Pane } from "./pane.js";
import { SearchBox } from "./search_box.js";
import { coloursOf } from "./theme.js";
import { Tree } from "./tree.js";

/** @typedef {import("./groups.js").Box} Box */
/** @typedef {import("./types").PageData} PageData */
/** @typedef {import("./types").LayoutRequest} LayoutRequest */
/** @typedef {import("./types").Point} Point */

export class Page {
  /**
   * @param {PageData} data
   * @param {string} script of the layout
   * @param {(request: LayoutRequest) => LayoutRequest} layOutHere
   */
  constructor(data, script, layOutHere) {
    this.data = data;
    this.engine = new LayoutEngine(script, layOutHere);
    /** @type {Map<string, Graph>} */
    this.graphs = new Map();
    this.colours = coloursOf(document.documentElement);
    this.showsValues = false; // ops that compute shapes
    this.fragment = ""; // the address that is shown
    const actions = {
      selectBox: (/** @type {Pane} */ pane, /** @type {Box | null} */ box) => this.selectBox(pane, box),
      selectValues: (/** @type {Pane} */ pane, /** @type {number[]} */ values) => this.selectValues(pane, values),
      toggle: (/** @type {Pane} */ pane, /** @type {Box} */ box) => this.toggle(pane, box),
      zoomed: (/** @type {Pane} */ pane, /** @type {Point} */ at, /** @type {number} */ factor) => {
        for (const each of this.#moving(pane)) each.zoom(at, factor);
      },
      panned: (/** @type {Pane} */ pane, /** @type {number} */ dx, /** @type {number} */ dy) => {
        for (const each of this.#moving(pane)) each.pan(dx, dy);
      },
      colours: () => this.colours,
    };
    this.left = new Pane(byId("left"), this.engine, actions);
    this.right = new Pane(byId("right"), this.engine, actions);
    this.active = this.left;
    /** @type {Map<string, Map<number, number>>} */
    this.measured = new Map();
    this.details = new Details(byId("details"), {
      data,
      measured: this.measured,
      open: (box) => this.open(box, true),
      toggle: (box) => this.toggle(this.active, box),
      markOf: (box) => this.markOf(box),
    });
    this.tree = new Tree(byId("tree"), {
      select: (box) => this.open(box),
      toggle: (box) => this.toggle(this.active, box),
      markOf: (box) => this.markOf(box),
    });
    this.search = new SearchBox(/** @type {any} */ (field("search")), byId("found"), {
      graph: () => /** @type {Graph} */ (this.active.graph),
      open: (box) => this.open(box, true),
      say: (text) => this.say(text),
      changed: (isSearching) => (byId("tree").hidden = isSearching),
    });
    fillControls(data);
    connectControls(this);
  }

  /** @param {string} id */
  graph(id) {
    const data = this.data.graphs.find((each) => each.id === id) ?? this.data.graphs[0];
    let graph = this.graphs.get(data.id);
    if (!graph) this.graphs.set(data.id, (graph = new Graph(data, this.showsValues)));
    return graph;
  }

  get compares() {
    return !byId("right").hidden;
  }

  /**
   * With or without the ops that compute shapes and other values.
   * @param {boolean} shows
   */
  async showValues(shows) {
    const selected = this.active.selected?.path ?? "";
    this.#remakeGraphs(shows);
    await this.showSelected();
    const box = this.active.graph?.byPath.get(selected);
    if (box) await this.open(box);
    this.#sayHidden();
  }

  /** @param {boolean} showsValues */
  #remakeGraphs(showsValues) {
    const before = this.graphs;
    this.showsValues = showsValues;
    byId("values").setAttribute("aria-pressed", String(showsValues));
    this.graphs = new Map();
    for (const [id, graph] of before) {
      const now = this.graph(id);
      for (const [path, box] of now.byPath) {
        if (!box.isLeaf) box.isOpen = graph.byPath.get(path)?.isOpen ?? false;
      }
    }
  }

  #sayHidden() {
    const hidden = this.active.graph?.hidden ?? 0;
    if (hidden) this.say(`${countText(hidden)} ops that compute shapes and other values are hidden`);
  }

  /** @param {string} text for the line of messages, which screen readers read */
  say(text) {
    byId("status").textContent = text;
  }

  panes() {
    return this.compares ? [this.left, this.right] : [this.left];
  }

  /** @param {Pane} pane */
  other(pane) {
    return pane === this.left ? this.right : this.left;
  }

  /** @param {Pane} pane */
  activate(pane) {
    if (this.active === pane || !pane.graph) return;
    this.active = pane;
    for (const each of [this.left, this.right]) each.holder.classList.toggle("active", this.compares && each === pane);
    this.#measure();
    this.tree.show(pane.graph);
  }

  /**
   * The numbers of the active graph, for the details.
   */
  #measure() {
    this.measured.clear();
    const graph = this.active.graph;
    if (!graph) return;
    for (const [name, numbers] of Object.entries(this.data.measured)) {
      this.measured.set(name, graph.measuredByNode(numbers));
    }
  }

  /**
   * Colours and sizes of boxes by what was measured; "": by their classes.
   * @param {string} name
   */
  async colourBy(name) {
    field("colour").value = name;
    for (const pane of this.panes()) {
      if (!pane.graph) continue;
      const heat = new Heat(pane.graph, name, this.data.measured[name] ?? {});
      pane.share = (box) => heat.share(box);
      pane.heat = name ? (box) => heat.look(box) : null;
      await pane.layOutAgain();
    }
  }

  async showSelected() {
    await this.show(field("graph").value, field("beside").value);
    this.#note("");
  }

  /**
   * @param {string} id of the graph at the left
   * @param {string} besideId of that at the right; "": none
   */
  async show(id, besideId) {
    const graph = this.graph(id);
    const beside = besideId ? this.graph(besideId) : null;
    field("graph").value = graph.id;
    field("beside").value = beside?.id ?? "";
    byId("right").hidden = !beside;
    this.left.marks = beside ? countMarks(differences(graph, beside, "removed")) : new Map();
    this.right.marks = beside ? countMarks(differences(beside, graph, "added")) : new Map();
    this.active = this.left;
    this.left.holder.classList.toggle("active", beside !== null);
    this.right.holder.classList.remove("active");
    this.left.setName(beside ? graph.title : "");
    await this.left.show(graph);
    if (beside) {
      this.right.setName(beside.title);
      await this.right.show(beside);
      this.#foldAlike(this.left, this.right);
      await this.right.layOutAgain();
      this.right.fit();
    }
    this.#measure();
    this.tree.show(graph);
    await this.colourBy(field("colour").value);
    this.details.showBox(graph, graph.root);
    if (beside) this.say(comparisonText(this.left.marks, this.right.marks));
    else this.#sayHidden();
  }

  /**
   * What a comparison says about a box: "added", "2 added, 1 changed".
   * @param {Box} box
   */
  markOf(box) {
    const counts = this.active.marks.get(box);
    if (!counts) return "";
    return [...counts].map(([mark, count]) => (box.isLeaf ? mark : `${count} ${mark}`)).join(", ");
  }

  /**
   * Opens the boxes of a pane that are open in the other, by their paths.
   * @param {Pane} from
   * @param {Pane} to
   */
  #foldAlike(from, to) {
    if (!from.graph || !to.graph || from.graph === to.graph) return;
    for (const [path, box] of to.graph.byPath) {
      if (!box.isLeaf) box.isOpen = from.graph.byPath.get(path)?.isOpen ?? false;
    }
  }

  /**
   * Panes that are beside each other move together.
   * @param {Pane} pane
   */
  #moving(pane) {
    return this.compares ? [pane, this.other(pane)] : [pane];
  }

  /**
   * @param {Pane} pane
   * @param {Box} box
   */
  async toggle(pane, box) {
    if (box.isLeaf || !box.parent) return;
    this.activate(pane);
    box.isOpen = !box.isOpen;
    await pane.changed(box);
    this.tree.update(box);
    this.tree.select(pane.selected);
    if (pane.selected === box && pane.graph) this.details.showBox(pane.graph, box);
    this.say(`${box.name} ${box.isOpen ? `unfolded: ${countText(box.children.length)} boxes` : "folded"}`);
    const other = this.other(pane);
    const twin = this.compares ? other.graph?.byPath.get(box.path) : undefined;
    if (!twin || twin.isLeaf) return;
    if (twin !== box && twin.isOpen === box.isOpen) return;
    twin.isOpen = box.isOpen;
    await other.changed(twin);
  }

  /**
   * Opens all boxes of a list, and lays out once.
   * @param {Box[]} boxes
   */
  async unfold(boxes) {
    const closed = boxes.filter((box) => !box.isOpen && !box.isLeaf);
    if (!closed.length) return;
    const pane = this.active;
    for (const box of closed) {
      box.isOpen = true;
      pane.layout.invalidate(box);
    }
    await pane.layout.update();
    pane.draw();
    // Those around others first: the tree makes the items of the inner ones.
    for (const box of closed) this.tree.update(box);
    if (!this.compares) return;
    const other = this.other(pane);
    this.#foldAlike(pane, other);
    await other.layOutAgain();
  }

  /** Opens one more level. */
  async unfoldNext() {
    const { graph } = this.active;
    if (!graph) return;
    const closed = [...graph.byPath.values()].filter((box) => !box.isLeaf && !box.isOpen && box.ancestors().every((each) => each.isOpen));
    await this.unfold(closed);
    for (const pane of this.panes()) pane.fit();
    this.say(closed.length ? `${countText(closed.length)} boxes unfolded` : "all is unfolded");
  }

  async foldAll() {
    const { graph } = this.active;
    if (!graph) return;
    for (const pane of this.panes()) {
      for (const box of pane.graph?.byPath.values() ?? []) box.isOpen = false;
      await pane.layOutAgain();
      pane.fit();
    }
    this.tree.show(graph);
    this.say("all is folded");
  }

  /**
   * @param {Pane} pane
   * @param {Box | null} box
   */
  selectBox(pane, box) {
    this.activate(pane);
    const graph = /** @type {Graph} */ (pane.graph);
    pane.select(box);
    this.tree.select(box);
    this.details.showBox(graph, box ?? graph.root);
    this.#note(box?.path ?? "");
    if (this.compares) this.#selectTwin(pane, box);
  }

  /**
   * Selects the same node in the other pane.
   * @param {Pane} pane
   * @param {Box | null} box
   */
  #selectTwin(pane, box) {
    const other = this.other(pane);
    if (!other.graph || !pane.graph || other.graph === pane.graph) return;
    let twin = box ? other.graph.byPath.get(box.path) : undefined;
    if (box?.isLeaf) {
      const name = identityOf(pane.graph, pane.graph.node(box));
      const { graph } = other;
      const node = graph.data.nodes.findIndex((each) => identityOf(graph, each) === name);
      twin = graph.leaves[node];
    }
    other.select(twin ? other.graph.shown(twin) : null);
  }

  /**
   * @param {Pane} pane
   * @param {number[]} values
   */
  selectValues(pane, values) {
    this.activate(pane);
    pane.select(null);
    this.tree.select(null);
    this.details.showValues(/** @type {Graph} */ (pane.graph), values);
  }

  /**
   * Opens what contains a box, and selects it.
   * @param {Box} box
   * @param {boolean} movesFocus to the title of the details
   */
  async open(box, movesFocus = false) {
    await this.unfold(box.ancestors());
    this.selectBox(this.active, box);
    this.active.reveal(box);
    if (movesFocus) byId("details").querySelector("h2")?.focus();
  }

  /** @param {string} at the path of the selected box */
  #note(at) {
    const [graph, beside] = [field("graph").value, field("beside").value];
    const fragment = fragmentOf({ graph, beside, at, values: this.showsValues });
    this.fragment = fragment;
    // A page in a frame has no address of its own.
    if (location.protocol !== "about:") history.replaceState(null, "", fragment || "#");
  }

  /**
   * Shows the place of an address.
   * @param {string} fragment
   */
  async follow(fragment) {
    if (fragment !== this.fragment) await this.goTo(fragment);
  }

  /** @param {string} fragment */
  async goTo(fragment) {
    const { graph, beside, at, values } = addressOf(fragment);
    this.fragment = fragment;
    if (values !== this.showsValues) this.#remakeGraphs(values);
    await this.show(graph, beside);
    const box = this.active.graph?.byPath.get(at);
    if (box) await this.open(box);
    else if (at) this.say(`there is no ${at} in this graph`);
  }

  save() {
    const svg = this.active.svg();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    link.download = `${this.data.title.replace(/[^\w.-]+/g, "_")}.svg`;
    link.click();
    URL.revokeObjectURL(link.href);
    this.say(`saved ${link.download}`);
  }

  recolour() {
    this.colours = coloursOf(document.documentElement);
    this.panes().forEach((pane) => pane.draw());
  }
}
