import { Gauge, Registry } from 'prom-client';

export interface Metrics {
  /**
   * Called at each scrape: every number or boolean of the result, nested groups included, is a gauge. Names become
   * `waypost_<group>_<name>`, in snake_case. The elements of a list with a `name`, such as `feeds`, become labels:
   * `waypost_scanner_feed_entries{feed="…"}`.
   */
  gauges(group: string, read: () => object | Promise<object>): void;
  /** Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function createMetrics(): Metrics {
  const groups: { group: string; read: () => unknown }[] = [];
  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    gauges: (group, read) => {
      groups.push({ group, read });
    },
    text: async () => {
      // A new registry per scrape: an old value must not stay when its group no longer reports it.
      const registry = new Registry();
      const gauges = new Map<string, Gauge>();
      const current = await Promise.all(
        groups.map(async ({ group, read }) => {
          // A group that fails is missing from the response; the others are not.
          const values = await Promise.resolve()
            .then(read)
            .catch(() => ({}));
          return samples(values, `waypost_${group}_`);
        }),
      );
      for (const { name, labels, value } of current.flat()) {
        let gauge = gauges.get(name);
        if (gauge === undefined) {
          gauge = new Gauge({
            name,
            help: name.replaceAll('_', ' '),
            labelNames: Object.keys(labels),
            registers: [registry],
          });
          gauges.set(name, gauge);
        }
        gauge.set({ ...labels }, value);
      }
      return registry.metrics();
    },
  };
}

function samples(status: unknown, prefix: string, labels: Sample['labels'] = {}): Sample[] {
  if (typeof status !== 'object' || status === null) return [];
  return Object.entries(status).flatMap(([field, value]): Sample[] => {
    const name = `${prefix}${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
    if (typeof value === 'number' || typeof value === 'boolean') return [{ name, labels, value: Number(value) }];
    if (!Array.isArray(value)) return samples(value, `${name}_`, labels);
    const one = field.replace(/s$/, '');
    return value.flatMap((each) =>
      typeof each?.name === 'string' ? samples(each, `${prefix}${one}_`, { ...labels, [one]: each.name }) : [],
    );
  });
}

/** Gauges that every process reports. */
export function processGauges(): Record<string, number> {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    rss_bytes: rss,
    heap_used_bytes: heapUsed,
    cpu_seconds: (user + system) / 1e6,
    uptime_seconds: process.uptime(),
  };
}
