/** Links that turn bad after their creation: a provider that learns of them, reports, clicks. */
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { until, within } from '@waypost/test-support';
import { product } from './product.ts';
import { comesTo, freshHost, newLink, onLoopback, visit } from './support.ts';
import type { Json } from './waypost-process.ts';

/** URLhaus, as a gateway on loopback. */
let answer: (url: string, response: ServerResponse) => void;
const gateway = createServer(async (request, response) => {
  response.setHeader('Connection', 'close');
  answer(new URLSearchParams(await text(request)).get('url') ?? '', response);
});
const { waypost, api } = product({ URLHAUS_KEY: 'key', PROVIDERS_URL: await onLoopback(gateway) });

const listing =
  (...bad: string[]) =>
  (url: string, response: ServerResponse) =>
    void response.end(JSON.stringify(bad.includes(url) ? { query_status: 'ok', url } : { query_status: 'no_results' }));
const get = async (slug: string): Promise<Json> => (await api('GET', `/api/v1/links/${slug}`)).body;
const flagged = (slug: string) => comesTo(() => get(slug), { status: 'flagged' }, 20_000);

test('a provider that does not answer delays no creation; a report has the link judged when it is back', async () => {
  const destination_url = `https://${freshHost('away')}/`;
  answer = () => {};
  let slug = '';
  await within(1_000, async () => {
    const { status, body } = await api('POST', '/api/v1/links', { destination_url });
    expect([status, body.link.status]).toEqual([201, 'active']);
    slug = body.link.slug;
  });
  answer = listing(destination_url);
  const report = new URLSearchParams({ link: slug, about: 'report', category: 'malware', message: '' });
  expect((await fetch(`${waypost.api}/report`, { method: 'POST', redirect: 'manual', body: report })).status).toBe(303);
  expect(await flagged(slug)).toMatchObject({ threat_type: 'malware' });
  expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(403);
});

test('a click has the destination looked at again', async () => {
  const destination_url = `https://${freshHost('clicked')}/`;
  let asked = 0;
  answer = (url, response) => {
    asked++;
    listing()(url, response);
  };
  const { slug } = await newLink(api, { destination_url });
  await until(() => asked > 0, 10_000);
  answer = listing(destination_url);
  expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
  expect(await flagged(slug)).toMatchObject({ threat_type: 'malware' });
});
