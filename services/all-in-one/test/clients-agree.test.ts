/** One journey, and every scope, by each client: curl, the SDK, the command line, MCP over HTTP and MCP over stdio. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CLIENTS, curl, journeyBy, type Operation, SCOPES } from './clients.ts';
import { product } from './product.ts';
import type { Json } from './waypost-process.ts';

const { waypost } = product();

describe('one journey', () => {
  const taken = async (of: (typeof CLIENTS)[number][1]) => journeyBy(of, waypost.api, (await waypost.newKey()).key);
  let expected: Json[];
  beforeAll(async () => {
    expected = await taken(curl);
  });

  test('by curl has the facts and the errors of the contract', () => {
    expect(expected.map(({ status, error }) => error ?? status ?? 'done')).toEqual([
      'done',
      'conflict',
      'bad_request',
      'done',
      'done',
      'done',
      'revoked',
      'bad_request',
      'done',
      'done',
      'not_found',
    ]);
    expect(expected[2].details).toEqual({ 'links[1].destination_url': expect.stringMatching(/\S/) });
    expect(expected[3].total).toBe(1);
  });

  test.each(CLIENTS.slice(1))('by %s has the same', async (_name, of) => {
    expect(await taken(of)).toEqual(expected);
  });
});

// Every scope: authentication.test.ts and mcp.test.ts. A deleted key: those, and mcp-stdio.test.ts.
describe('a key', () => {
  /** Refused, if its key may not ask, before anything is looked at. */
  const HARMLESS: Record<Operation, Json> = {
    create_short_link: { destination_url: 'nowhere' },
    bulk_create_links: { links: [{ destination_url: 'nowhere' }] },
    revoke_link: { slug: 'nobodys-slug' },
    list_links: {},
    get_link: { slug: 'nobodys-slug' },
    get_analytics: { slug: 'nobodys-slug' },
    generate_qr: { slug: 'nobodys-slug' },
    set_limit: { email: 'nobody@example.org', creations_per_hour: 1 },
  };

  test.each(
    ['none', 'read', 'write'].flatMap((scope) => CLIENTS.slice(1).map(([name, of]) => [scope, name, of] as const)),
  )('with the scope %s, by %s, is refused what it may not do, and nothing else', async (scope, _name, of) => {
    const client = await of(waypost.api, scope === 'none' ? '' : (await waypost.newKey(scope)).key);
    for (const [name, way] of Object.entries(client.ways)) {
      const { status } = await way(HARMLESS[name as Operation]);
      const refusal = [401, 403].includes(status) ? status : undefined;
      const expected = SCOPES[name as Operation] === scope ? undefined : scope === 'none' ? 401 : 403;
      expect([name, refusal]).toEqual([name, expected]);
    }
    await client.close?.();
  });
});
