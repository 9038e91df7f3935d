import http from 'node:http';
import { expect } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { BROWSER } from '../user-agent.ts';

export interface Visit {
  readonly slug: string;
  readonly status: number;
  readonly location: string | undefined;
  /** Times of `performance.now()` when the request began and when its answer was complete. */
  readonly began: number;
  readonly ended: number;
  /** When the request was about to be sent, in Unix milliseconds. */
  readonly sentAt: number;
}

/** Resolves to one visit, or to undefined if the connection broke before the answer was complete. */
export function visit(redirect: string, slug: string, agent: http.Agent): Promise<Visit | undefined> {
  return new Promise((resolve) => {
    const began = performance.now();
    const sentAt = Date.now();
    const request = http.get(`${redirect}/${slug}`, { agent, headers: { 'User-Agent': BROWSER } }, (response) => {
      response.resume();
      response.once('close', () => {
        if (!response.complete) return resolve(undefined);
        const { statusCode = 0, headers } = response;
        resolve({ slug, status: statusCode, location: headers.location, began, ended: performance.now(), sentAt });
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

const AROUND_MS = [-200, -50, -1, 1, 50, 400];

/** Lets this number of visitors visit the link at once, several times: also 1 ms before this time and 1 ms after it. */
export async function visitorsAround(redirect: string, together: number, slug: string, end: number): Promise<Visit[]> {
  const agent = new http.Agent({ keepAlive: true });
  const visits: Promise<Visit | undefined>[] = [];
  for (const ms of AROUND_MS) {
    await pause(Math.max(0, end + ms - Date.now()));
    for (let i = 0; i < together; i++) visits.push(visit(redirect, slug, agent));
  }
  const seen = await Promise.all(visits);
  agent.destroy();
  return seen.filter((each) => each !== undefined);
}

/** Expects these answers before the end and after it. A request sent before the end may have either. */
export function expectEnds(
  visits: readonly Visit[],
  end: number,
  { before = [302], after = [410] }: { readonly before?: readonly number[]; readonly after?: readonly number[] } = {},
): void {
  const statuses = (some: readonly Visit[]) => [...new Set(some.map(({ status }) => status))];
  const sentAfter = visits.filter(({ sentAt }) => sentAt >= end);
  const answeredBefore = visits.filter(({ sentAt, began, ended }) => sentAt + Math.ceil(ended - began) < end);
  expect(sentAfter.length).toBeGreaterThan(0);
  expect(statuses(sentAfter).filter((status) => !after.includes(status))).toEqual([]);
  expect(statuses(answeredBefore).filter((status) => !before.includes(status))).toEqual([]);
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
