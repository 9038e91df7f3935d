import http from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { within } from '@waypost/test-support';
import { product } from '../product.ts';
import { comesTo, freshHost, onLoopback, visit } from '../support.ts';

/** This gateway on loopback imitates URLhaus. It answers nothing until the test sets what is listed. */
let listed: string | undefined;
const gateway = http.createServer(async (request, response) => {
  const url = new URLSearchParams(await text(request)).get('url');
  if (listed === undefined) return;
  response.setHeader('Connection', 'close');
  response.end(JSON.stringify(url === listed ? { query_status: 'ok', url } : { query_status: 'no_results' }));
});
const { waypost, api } = product({ URLHAUS_KEY: 'key', PROVIDERS_URL: await onLoopback(gateway) });

test('a link is created although a provider is away, and is judged again after a report', async () => {
  const destination_url = `https://${freshHost('away')}/`;
  let slug = '';
  await within(1_000, async () => {
    const { status, body } = await api('POST', '/api/v1/links', { destination_url });
    expect([status, body.link.status]).toEqual([201, 'active']);
    slug = body.link.slug;
  });
  listed = destination_url;
  const report = new URLSearchParams({ link: slug, about: 'report', category: 'malware', message: '' });
  const { status } = await fetch(`${waypost.api}/report`, { method: 'POST', redirect: 'manual', body: report });
  expect(status).toBe(303);
  const link = async () => (await api('GET', `/api/v1/links/${slug}`)).body;
  expect(await comesTo(link, { status: 'flagged' }, 20_000)).toMatchObject({ threat_type: 'malware' });
  expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(403);
});
