import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { readConfig } from './config.ts';

function named(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    const { message } = error as Error;
    return [...message.matchAll(/^ *([A-Z][A-Z_]+)\b/gm)].map(([, name]) => name!).sort();
  }
  return [];
}

test('by default, an account may create 300 links per hour', () => {
  expect(readConfig({}).creationsPerHour).toBe(300);
});

describe('readConfig refuses and names exactly', () => {
  test.each([
    {
      PORT: '80.5',
      CREATIONS_PER_HOUR: '0x10',
      TRUSTED_PROXIES: '10.0.0.0/8,,',
      REDIRECT_WORKERS: 'many',
      OWN_HOSTS: 'a..b',
      LOG_LEVEL: 'INFO',
      BASE_URL: 'https://user:pass@example.org',
    },
    { PORT: '1e3', CREATIONS_PER_HOUR: '1.5', TRUSTED_PROXIES: 'all', REDIRECT_BASE_URL: 'https://example.org/?x' },
    { PORT: ' 8080', CREATIONS_PER_HOUR: '0', TRUSTED_PROXIES: '300.1.1.1' },
    { REDIRECT_PORT: '-1' },
    // An empty value is refused, except in the lists of allowed hosts.
    ...['HOST', 'PORT', 'BASE_URL', 'TRUSTED_PROXIES', 'OWN_HOSTS', 'FEEDS', 'LOG_LEVEL', 'DATA_DIR'].map((name) => ({
      [name]: '',
    })),
  ])('%j', (environment) => {
    expect(named(environment)).toEqual(Object.keys(environment).sort());
  });

  test('the second of two listeners with the same port', () => {
    expect(named({ PORT: '18999', REDIRECT_PORT: '18999' })).toEqual(['REDIRECT_PORT']);
  });

  test('an invalid file of threat feeds', () => {
    const feed = { name: 'x', url: 'https://feeds.example.org/x', format: 'urls', threat_type: 'malware' };
    const FEEDS = path.join(newFolder(), 'feeds.json');
    for (const content of ['{', JSON.stringify([{ ...feed, every: '5 parsecs' }])]) {
      fs.writeFileSync(FEEDS, content);
      expect(named({ FEEDS })).toEqual(['FEEDS']);
    }
  });
});
