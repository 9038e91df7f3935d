import http from 'node:http';
import { BROWSER } from '../user-agent.ts';

export interface Visit {
  readonly slug: string;
  readonly status: number;
  readonly location: string | undefined;
  /** Times of `performance.now()` when the request began and when its answer was complete. */
  readonly began: number;
  readonly ended: number;
}

/** Resolves to one visit, or to undefined if the connection broke before the answer was complete. */
export function visit(redirect: string, slug: string, agent: http.Agent): Promise<Visit | undefined> {
  return new Promise((resolve) => {
    const began = performance.now();
    const request = http.get(`${redirect}/${slug}`, { agent, headers: { 'User-Agent': BROWSER } }, (response) => {
      response.resume();
      response.once('close', () => {
        if (!response.complete) return resolve(undefined);
        const { statusCode = 0, headers } = response;
        resolve({ slug, status: statusCode, location: headers.location, began, ended: performance.now() });
      });
    });
    request.once('error', () => resolve(undefined));
  });
}

/** Runs `connections` visitors together. Each visits the slug that `more` returns, until it returns undefined. */
export async function visitors(
  redirect: string,
  connections: number,
  more: () => string | undefined,
): Promise<Visit[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const visits: Visit[] = [];
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let slug = more(); slug !== undefined; slug = more()) {
        const seen = await visit(redirect, slug, agent);
        if (seen !== undefined) visits.push(seen);
      }
    }),
  );
  agent.destroy();
  return visits;
}

/** A seeded generator (mulberry32), so that a failed round can be repeated. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
