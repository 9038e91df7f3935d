import { Gauge, Registry } from 'prom-client';

export interface Metrics {
  /**
   * Read anew at each scrape: what is a number or a boolean, groups within it included. Names become
   * `waypost_<group>_<name>`, in snake_case.
   */
  gauges(group: string, read: () => object | Promise<object>): void;
  /** Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const groups: { group: string; read: () => unknown }[] = [];
  const known = new Map<string, Gauge>();

  const set = (name: string, value: number) => {
    let gauge = known.get(name);
    if (gauge === undefined) {
      gauge = new Gauge({ name, help: name.replaceAll('_', ' '), registers: [registry] });
      known.set(name, gauge);
    }
    gauge.set(value);
  };

  return {
    contentType: registry.contentType,
    gauges: (group, read) => {
      groups.push({ group, read });
    },
    text: async () => {
      await Promise.all(
        groups.map(async ({ group, read }) => {
          // A part that cannot be asked is missing from the answer; the others are not.
          const values = await Promise.resolve()
            .then(read)
            .catch(() => ({}));
          for (const [name, value] of numbers(values)) {
            set(`waypost_${group}_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`, value);
          }
        }),
      );
      return registry.metrics();
    },
  };
}

function numbers(status: unknown, prefix = ''): [name: string, value: number][] {
  if (typeof status !== 'object' || status === null || Array.isArray(status)) return [];
  return Object.entries(status).flatMap(([name, value]): [string, number][] => {
    if (typeof value === 'number' || typeof value === 'boolean') return [[`${prefix}${name}`, Number(value)]];
    return numbers(value, `${prefix}${name}_`);
  });
}

/** What every process tells of itself. */
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
