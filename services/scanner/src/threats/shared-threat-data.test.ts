import { expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import { connectTo, newDatabase } from '@waypost/test-support/database';
import { postgresSharedThreatData } from './shared-threat-data.sql.ts';

test('another leader replaces one that is silent on an open connection, and the old leader notices it', async () => {
  const database = await newDatabase();
  const scanner = async () => {
    const db = await connectTo(database);
    const shared = postgresSharedThreatData(() => db, 1_000);
    afterwards(() => shared.resign());
    return shared;
  };
  const [a, b] = [await scanner(), await scanner()];
  expect([await a.leads(), await b.leads()]).toEqual([true, false]);
  await until(() => b.leads());
  await expect(a.leads()).rejects.toMatchObject({ code: 'unavailable' });
  expect([await b.leads(), await a.leads()]).toEqual([true, false]);
  await b.resign();
  await until(() => a.leads());
});
