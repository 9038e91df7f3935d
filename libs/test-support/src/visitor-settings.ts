import { BlockList } from 'node:net';
import { readCountryDb } from '@waypost/origin/countries';

/** Settings of a redirector, without the folder of its click log. */
export const VISITOR_SETTINGS = {
  clickLogMaxBytes: 2 ** 30,
  visitorSecret: { current: Buffer.alloc(32, 1) },
  redirectBaseUrl: 'https://go.example.org',
  trustedProxies: new BlockList(),
  countries: readCountryDb(),
  microCache: { lifetimeMs: Number.POSITIVE_INFINITY, size: 1_000 },
  contact: 'security@example.org',
};
