import type { Link, LinkChange } from '@waypost/domain';
import { rows, type Transaction } from '@waypost/postgres';
import { type LinkRow, linkOf, linksAfter } from './link-lists.sql.ts';
import type { LinkPlace } from './link-store.port.ts';
import { queueEvents, storeLinks } from './links.sql.ts';

/**
 * Changes the next links of an account and queues their events. Also deletes their verdicts, reviews and imported
 * clicks. Resolves to the changed links, oldest first.
 */
export async function eraseNextLinks(
  tx: Transaction,
  accountId: string,
  { after, limit }: { readonly after: LinkPlace | undefined; readonly limit: number },
  change: (current: Link) => LinkChange | undefined,
): Promise<readonly Link[]> {
  const page = linksAfter(accountId, after, limit);
  const linkRows = await rows<LinkRow>(tx, `${page.text} FOR UPDATE`, page.values);
  const links = linkRows.map(linkOf);
  const changes = links.map(change);
  const ids = linkRows.map(({ id }) => id);
  const updates = changes.flatMap((next, i) => (next === undefined ? [] : [{ id: ids[i]!, ...next }]));
  await storeLinks(tx, updates);
  await queueEvents(tx, updates);
  for (const table of ['link_verdicts', 'link_reviews'])
    await tx.query(`DELETE FROM ${table} WHERE link_id = ANY($1::bigint[])`, [ids]);
  const slugs = links.map(({ slug }) => slug);
  await tx.query('DELETE FROM imported_clicks WHERE slug = ANY($1::text[])', [slugs]);
  await tx.query('DELETE FROM imported_days WHERE owner_id = $1', [accountId]);
  return changes.map((next, i) => next?.link ?? links[i]!);
}
