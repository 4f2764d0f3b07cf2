// The types of the page's data, which C++ writes (mithril/viewer/view_graph.cpp), and of its layouts.

export type TextPairs = [string, string][];
export type Port = [port: string, value: number];
// name, shape, dtype, whether it is a tensor, and pairs of what is known and the index of its origin.
export type ValueData = [string, string, string, boolean, (string | number)[]?];
export type Kind = "op" | "input" | "state" | "output";

export interface NodeData {
  name: string;
  kind?: Kind;
  class?: string;
  group?: number;
  named?: boolean;
  source?: string;
  arguments?: TextPairs;
  inputs?: Port[];
  outputs?: Port[];
  parameters?: [port: string, key: string, value: number][];
}

export interface GroupData {
  name: string;
  class: string;
  parent?: number;
  named?: boolean;
  composed?: boolean;
  source?: string;
  options?: TextPairs;
}

export interface GraphData {
  id: string;
  title: string;
  groups: GroupData[];
  values: ValueData[];
  origins: string[];
  nodes: NodeData[];
}

export interface HistogramData {
  elements: number;
  counted: number;
  notFinite: number;
  low: number;
  high: number;
  mean: number;
  deviation: number;
  bins: number[];
}

export interface PageData {
  schema: number;
  title: string;
  graphs: GraphData[];
  histograms: Record<string, HistogramData>;
  measured: Record<string, Record<string, number>>;
}

export interface LayoutNode {
  v: string;
  width: number;
  height: number;
  x?: number;
  y?: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface LayoutEdge {
  v: string;
  w: string;
  width: number;
  height: number;
  labelpos: string;
  labeloffset: number;
  points?: Point[];
  x?: number;
  y?: number;
}

export interface LayoutRequest {
  nodes: LayoutNode[];
  edges: LayoutEdge[];
}

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

// Where a pane looks: the point of the drawing at its corner, and pixels per unit.
export interface Camera {
  x: number;
  y: number;
  scale: number;
}

export type Mark = "added" | "removed" | "changed";

declare global {
  // Older than the types of some releases of TypeScript.
  interface CanvasRenderingContext2D {
    roundRect(x: number, y: number, width: number, height: number, radius: number): void;
  }
}
