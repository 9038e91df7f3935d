/**
 * Tests POST /scan on the internal port. services/scanner/test/scan-endpoint.test.ts tests each row of its contract.
 */
import { expect, test } from '@jest/globals';
import { type ApiClient, product } from '../product.ts';
import { DESTINATION } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const { waypost, newClient } = product();
const internal = (...request: Parameters<ApiClient>) => apiClient(waypost.internal)(...request);
const scan = (urls: unknown) => internal('POST', '/scan', { urls });
const verdictOf = async (url: string): Promise<Json> => (await scan([url])).body.verdicts[0];

test.each([
  '',
  'https://user:pass@www.wikipedia.org/',
  'http://127.0.0.1/',
  'https://www.wikipedia.org/\u0000',
  'https://www.wikipedia.org/\ud800',
  `https://www.wikipedia.org/${'a'.repeat(2_100)}`,
  'https://www.wikipedia.org/\u202e',
])('POST /scan refuses %j exactly as a creation would', async (url) => {
  const { outcome, threat_type } = await verdictOf(url);
  expect([outcome, threat_type]).toEqual(['refused', null]);
  const api = await newClient();
  expect((await api('POST', '/api/v1/links', { destination_url: url })).status).toBe(400);
});

test('POST /scan does not exist on a public port', async () => {
  const api = await newClient('admin', { admin: true });
  expect((await api('POST', '/scan', { urls: [DESTINATION] })).status).toBe(404);
  expect((await fetch(`${waypost.redirect}/scan`)).status).toBe(404);
});
