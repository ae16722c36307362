// SPDX-License-Identifier: BSD-3-Clause
// The shapes of what Python hands to the viewer's page (src/ramify/viewer/page_data.py), and of
// what the scripts pass among themselves. Read by the type checker alone.

/** One entry per column: a number, the code of a category, -1 if unseen, NaN if missing. */
type Row = number[];

type CategoryName = string | number | boolean;

interface Column {
  name: string;
  kind: "number" | "category";
  categories: CategoryName[]; // of a category column
  frequent?: number[]; // codes, most frequent first
  scale: number; // of a number column, as all below
  middle: number;
  whole?: boolean;
  low?: number;
  high?: number;
  date?: boolean;
  unit?: "days" | "seconds"; // of a column of dates, else not there
  bounds?: [number, string][];
  boundTexts?: Map<number, string>;
}

/** The terms of an oblique split; `category[k]` is -1 for the value of a column. */
interface Terms {
  column: number[];
  category: number[];
  weight: number[];
  fill: number[];
  share: number[];
}

/** The line of a node of a model tree: terms, what their sum is clipped to, and words. */
interface NodeLine {
  intercept: number;
  column: number[];
  slope: number[];
  low: number[];
  high: number[];
  fill: number[];
  bottom: number;
  top: number;
  text: string;
}

/** Categories or bounds of intervals, and the branch of each. */
interface Listed {
  values: (number | null)[];
  branches: number[];
}

interface TreeData {
  name: string;
  estimator: string;
  about: { summary?: string; formula?: string; [key: string]: any };
  left: number[];
  next: number[];
  feature: number[];
  kind: number[];
  threshold: (number | null)[];
  missing: number[];
  other: number[];
  listed: Record<number, Listed>;
  terms: Record<number, Terms>;
  gain: (number | null)[];
  impurity: (number | null)[];
  rows: number[];
  weight: number[];
  price: (number | null)[];
  unseen: string;
  refusesMissing: boolean;
  value: number[]; // of a regression tree
  lines?: NodeLine[]; // of a model tree, where `value` is the mean
  best: number[]; // of a classification tree, as `shares`
  shares: number[][];
  ledger?: any;
  pictures?: any;
  span?: any;
  hits?: number[];
  errors?: number[];
  dataRows?: any;
  missingRows?: Record<number, number>;
  newCategories?: Record<number, number>;
}

/** A tree has the data it was made of as its own fields. */
interface TreeModel extends TreeData {
  slots: number[];
  nSlots: number;
  heat?: [number, number];
}

/** What a branch asks of one column: an interval, or a set of categories. */
interface ColumnDemand {
  column: number;
  node?: undefined;
  missing: boolean;
  low?: number;
  high?: number;
  codes?: number[];
  excluded?: boolean;
}

/** What a branch of an oblique split asks of a sum. */
interface SumDemand {
  column?: undefined;
  codes?: undefined;
  missing?: undefined;
  node: number;
  above: boolean;
  bound: number;
}

type Demand = ColumnDemand | SumDemand;

interface Prediction {
  best?: number;
  shares?: Map<number, number>;
  value?: number;
  leaves: [number, number][];
  passed: number[];
}

interface LeafTask {
  leaf: number;
  planes: SumDemand[];
  plain: ColumnDemand[];
  hasMissing: boolean;
  bound: number;
}

interface Change {
  column: number;
  from: number;
  to: number;
  demand?: Demand;
}

interface Counterfactual {
  leaf: number;
  row: Row;
  changes: Change[];
  distance: number;
}

/** The codes that a weighed category column may take. */
interface Choice {
  column: number;
  codes: number[];
}

/** A prediction of the row that is traced on the page. */
interface Traced extends Omit<Prediction, "passed"> {
  row: Row;
  passed: Set<number>;
}

interface StageOptions {
  label?: string;
  isSmall?: boolean;
  partnerOf?: (g: number) => number;
  ribbons?: (stage: any) => SVGElement[];
}

/** A level of the tree as it is shown: how tall, in what detail, and the same with less. */
interface MeasuredLevel {
  most: number;
  tall: number;
  detail: number;
  gap: number;
  worth: number;
  less?: MeasuredLevel;
}

interface Outline {
  left: number[];
  right: number[];
}

/** The fields that a drawing is given by `build`, which its constructor calls. */
interface Drawing {
  layers: Record<string, SVGElement>;
  mapScale: { fx: number; fy: number };
}

interface App {
  tabs: Record<string, HTMLElement>;
}

interface Window {
  app: any;
}
