/**
 * Metrics for Prometheus. Each is declared once, as data: docs/observability.md is made from the declarations, and
 * /metrics shows their names and help.
 */
import { readFileSync } from 'node:fs';
import { within } from '@waypost/resilience';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type { Counter, Histogram } from 'prom-client';

type Type = 'counter' | 'gauge' | 'histogram';

export interface MetricDeclaration<Label extends string = string, T extends Type = Type> {
  readonly type: T;
  /** In base units, with the unit at its end: `_seconds`, `_bytes`; a counter ends with `_total`. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  /** The upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

/** Labels have few values, known before: never a slug, a URL, an account or an address of a visitor. */
export const metric = {
  counter: <Label extends string = never>(
    name: `${string}_total`,
    help: string,
    ...labels: Label[]
  ): MetricDeclaration<Label, 'counter'> => ({ type: 'counter', name, help, labels }),
  gauge: <Label extends string = never>(
    name: string,
    help: string,
    ...labels: Label[]
  ): MetricDeclaration<Label, 'gauge'> => ({ type: 'gauge', name, help, labels }),
  histogram: <Label extends string = never>(
    name: `${string}_seconds`,
    help: string,
    buckets: readonly number[],
    ...labels: Label[]
  ): MetricDeclaration<Label, 'histogram'> => ({ type: 'histogram', name, help, labels, buckets }),
} as const;

/** What a histogram holds: how many values fell into each bucket and, last, above all of them; and their sum. */
export interface Distribution {
  readonly counts: ArrayLike<number>;
  readonly sum: number;
}

interface Sample<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number | boolean;
}

/** Undefined: not known now, so /metrics does not show it. */
type Reading<Label extends string, T extends Type> =
  | undefined
  | (T extends 'histogram' ? Distribution : [Label] extends [never] ? number | boolean : readonly Sample<Label>[]);

type Declarations = Readonly<Record<string, MetricDeclaration>>;

type AnyReading = Reading<string, Type> | Reading<never, Type>;

/** Current values, by the keys of their declarations. */
export type Readings<D extends Declarations> = {
  readonly [Key in keyof D]: D[Key] extends MetricDeclaration<infer Label, infer T> ? Reading<Label, T> : never;
};

export interface Metrics {
  counter<Label extends string>(declared: MetricDeclaration<Label, 'counter'>): Counter<Label>;
  histogram<Label extends string>(declared: MetricDeclaration<Label, 'histogram'>): Histogram<Label>;
  /**
   * Metrics whose values are elsewhere: `read` gives them at each scrape. When it fails, or takes too long, they are
   * missing from the scrape: an old value would hide that.
   */
  read<D extends Declarations>(declared: D, read: () => Readings<D> | Promise<Readings<D>>): void;
  /** What Node and the operating system tell of this process, and `waypost_build_info`. */
  collectProcess(): void;
  /** Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

export const PROCESS_METRICS = {
  build: metric.gauge('waypost_build_info', 'Always 1; the label tells which version runs.', 'version'),
};

/** Gauges whose names end with `_total`, which only those of counters may. Others tell the same by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];
/** Ten milliseconds, the default, wake an idle process a hundred times a second. */
const EVENT_LOOP_PRECISION_MS = 20;
/** A scraper gives up after ten seconds. */
const READ_WITHIN_MS = 2_000;

export function createMetrics(): Metrics {
  const registry = new Registry();

  function read<D extends Declarations>(declared: D, readAll: () => Readings<D> | Promise<Readings<D>>): void {
    let pending: Promise<Partial<Readings<D>>> | undefined;
    /** One reading for all metrics of a scrape. */
    const current = (): Promise<Partial<Readings<D>>> =>
      (pending ??= within(Promise.resolve().then(readAll), READ_WITHIN_MS, {})
        .catch((): Partial<Readings<D>> => ({}))
        .finally(() => {
          pending = undefined;
        }));
    for (const [key, declaration] of Object.entries(declared)) {
      registerReading(registry, declaration, async () => (await current())[key]);
    }
  }

  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    counter: ({ name, help, labels }) => new Counter({ name, help, labelNames: labels, registers: [registry] }),
    histogram: ({ name, help, labels, buckets = [] }) =>
      new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [registry] }),
    read,
    collectProcess() {
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
      for (const name of MISNAMED) registry.removeSingleMetric(name);
      const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
      read(PROCESS_METRICS, () => ({ build: [{ labels: { version }, value: 1 }] }));
    },
    text: () => registry.metrics(),
  };
}

/** A metric of prom-client whose values come from `read` instead of its own store. */
function registerReading(
  registry: Registry,
  { type, name, help, labels, buckets = [] }: MetricDeclaration,
  read: () => Promise<AnyReading>,
): void {
  const options = { name, help, labelNames: labels, registers: [registry] };
  if (type === 'histogram') {
    // A histogram of prom-client prints its own buckets, whatever its `get` says; a gauge prints what it is given.
    const shape = new Histogram({ ...options, buckets: [...buckets], registers: [] });
    const shown = new Gauge(options);
    shown.get = async () => ({ ...(await shape.get()), values: distributionOf(name, buckets, await read()) });
    return;
  }
  const store = type === 'counter' ? new Counter(options) : new Gauge(options);
  const own = store.get.bind(store);
  store.get = async () => ({ ...(await own()), values: samplesOf(await read()) });
}

function samplesOf(reading: AnyReading) {
  if (typeof reading === 'number' || typeof reading === 'boolean') return [{ value: Number(reading), labels: {} }];
  if (reading === undefined || 'counts' in reading) return [];
  return reading.map(({ labels, value }) => ({ value: Number(value), labels }));
}

function distributionOf(name: string, buckets: readonly number[], reading: AnyReading) {
  if (typeof reading !== 'object' || !('counts' in reading)) return [];
  let count = 0;
  const upTo = [...buckets, '+Inf'].map((le, i) => {
    count += reading.counts[i] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le }, value: count };
  });
  return [
    ...upTo,
    { metricName: `${name}_sum`, labels: {}, value: reading.sum },
    { metricName: `${name}_count`, labels: {}, value: count },
  ];
}
