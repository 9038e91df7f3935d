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
  const keys: Record<string, string> = { 'is missing': '' };
  beforeAll(async () => {
    for (const scopes of ['read', 'write', 'read,write']) keys[`may ${scopes}`] = (await waypost.newKey(scopes)).key;
    keys['may admin'] = (await waypost.newKey('admin', { admin: true })).key;
    const gone = await waypost.newKey();
    await waypost.admin('delete-key', { id: gone.id });
    keys['is deleted'] = gone.key;
  });

  const refusalOf = (kind: string, operation: Operation): 401 | 403 | undefined => {
    if (!kind.startsWith('may ')) return 401;
    return kind === 'may admin' || kind.includes(SCOPES[operation]) ? undefined : 403;
  };
  const kinds = ['is missing', 'is deleted', 'may read', 'may write', 'may read,write', 'may admin'];
  test.each(kinds.flatMap((kind) => CLIENTS.map(([name, of]) => [kind, name, of] as const)))(
    'that %s, with %s',
    async (kind, _name, of) => {
      const client = await of(waypost.api, keys[kind]!);
      for (const [name, way] of Object.entries(client.ways)) {
        const { status } = await way(HARMLESS[name as Operation]);
        const refusal = [401, 403].includes(status) ? status : undefined;
        expect([name, refusal]).toEqual([name, refusalOf(kind, name as Operation)]);
      }
      await client.close?.();
    },
  );
});
