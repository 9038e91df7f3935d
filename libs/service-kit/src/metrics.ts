import { Gauge, Registry } from 'prom-client';

export interface Metrics {
  /** Numbers read anew at each scrape. Names become `waypost_<group>_<name>`, in snake_case. */
  gauges(group: string, read: () => Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>): void;
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
          for (const [name, value] of Object.entries(values as Record<string, number>)) {
            set(`waypost_${group}_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`, value);
          }
        }),
      );
      return registry.metrics();
    },
  };
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
