/**
 * Each metric for Prometheus is declared once. docs/observability.md is generated from the declarations, and /metrics
 * shows their names and help.
 */
import { readFileSync } from 'node:fs';
import { within } from '@waypost/resilience';
import { Counter, collectDefaultMetrics, Histogram, type Metric, Registry } from 'prom-client';

export type { Counter, Histogram } from 'prom-client';

type Type = 'counter' | 'gauge' | 'histogram';

export interface MetricDeclaration<Label extends string = string, T extends Type = Type> {
  readonly type: T;
  /** The name ends with the unit (`_seconds`, `_bytes`); that of a counter ends with `_total`. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  readonly buckets?: readonly number[];
}

/** A label must have few values, all known in advance: never a slug, a URL, an account or a visitor's address. */
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

/** The values of a histogram: `counts` has one count per bucket, and a last one for the values above all buckets. */
export interface Distribution {
  readonly counts: ArrayLike<number>;
  readonly sum: number;
}

interface Sample<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number | boolean;
}

/** Undefined means that the value is unknown now, so /metrics omits it. */
type Reading<Label extends string, T extends Type> =
  | undefined
  | (T extends 'histogram' ? Distribution : [Label] extends [never] ? number | boolean : readonly Sample<Label>[]);

type Declarations = Readonly<Record<string, MetricDeclaration>>;

type AnyReading = Reading<string, Type> | Reading<never, Type>;

export type Readings<D extends Declarations> = {
  readonly [Key in keyof D]: D[Key] extends MetricDeclaration<infer Label, infer T> ? Reading<Label, T> : never;
};

export interface Metrics {
  counter<Label extends string>(declared: MetricDeclaration<Label, 'counter'>): Counter<Label>;
  histogram<Label extends string>(declared: MetricDeclaration<Label, 'histogram'>): Histogram<Label>;
  /**
   * Adds metrics whose values are stored elsewhere. `read` returns the values at each scrape. If it fails or takes too
   * long, the scrape omits them, because old values would hide the problem.
   */
  read<D extends Declarations>(declared: D, read: () => Readings<D> | Promise<Readings<D>>): void;
  /** Adds metrics of Node and the operating system for this process, and `waypost_build_info`. */
  collectProcess(): void;
  /** Resolves to the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

export const PROCESS_METRICS = {
  build: metric.gauge('waypost_build_info', 'Always 1. The label is the running version.', 'version'),
};

/** The names of these gauges end with `_total`, which is reserved for counters. Other metrics have the same figures. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];
/** The default of ten milliseconds would wake an idle process a hundred times a second. */
const EVENT_LOOP_PRECISION_MS = 20;
/** Prometheus gives up a scrape after ten seconds. */
const READ_WITHIN_MS = 2_000;

export function createMetrics(): Metrics {
  const registry = new Registry();

  function read<D extends Declarations>(declared: D, readAll: () => Readings<D> | Promise<Readings<D>>): void {
    let pending: Promise<Partial<Readings<D>>> | undefined;
    /** All metrics of a scrape share one call of `readAll`. */
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

/** prom-client has no metric whose values are stored elsewhere. A registry calls nothing but `get` of a metric. */
function registerReading(
  registry: Registry,
  { type, name, help, buckets = [] }: MetricDeclaration,
  read: () => Promise<AnyReading>,
): void {
  const valuesOf = type === 'histogram' ? (reading: AnyReading) => distributionOf(name, buckets, reading) : samplesOf;
  const get = async () => ({ name, help, type, values: valuesOf(await read()), aggregator: 'sum' });
  registry.registerMetric({ name, get } as unknown as Metric);
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
