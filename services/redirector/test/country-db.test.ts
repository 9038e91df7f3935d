import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readSettings } from '@waypost/settings';
import { newFolder } from '@waypost/test-support/afterwards';
import { openCountryDb } from '../src/country/country-db.ts';
import { COUNTRY_DB } from '../src/index.ts';
import { mmdb } from './mmdb.ts';

const folder = newFolder();

function file(name: string, bytes: Buffer): string {
  const at = path.join(folder, name);
  fs.writeFileSync(at, bytes);
  return at;
}
const COUNTRIES = { '192.0.2.0/24': 'NZ', '198.51.100.0/25': 'IS', '203.0.113.7/32': 'not a code' };

describe('COUNTRY_DB', () => {
  test.each([
    ['192.0.2.1', 'NZ'],
    ['192.0.2.255', 'NZ'],
    ['198.51.100.127', 'IS'],
    ['198.51.100.128', 'ZZ'],
    ['203.0.113.7', 'ZZ'],
    ['8.8.8.8', 'ZZ'],
    ['2001:db8::1', 'ZZ'],
    ['', 'ZZ'],
    ['nonsense', 'ZZ'],
  ])('finds %s in %s', (address, country) => {
    const countryOf = openCountryDb(file('own.mmdb', mmdb('Own-Country', COUNTRIES)));
    expect(countryOf(address)).toBe(country);
    expect(countryOf(address)).toBe(country); // remembered
  });

  test('is optional, and the start ends with its name if the file is of no use', () => {
    const read = (countryDb?: string) => readSettings({ COUNTRY_DB }, { COUNTRY_DB: countryDb });
    expect(read().countryDb).toBeUndefined();
    const own = file('own.mmdb', mmdb('Own-Country', COUNTRIES));
    expect(read(own).countryDb).toBe(own);
    expect(() => read(path.join(folder, 'nothing'))).toThrow('COUNTRY_DB cannot be read: ENOENT');
    expect(() => read(file('text', Buffer.from('a,b')))).toThrow(
      'COUNTRY_DB is not a database in the format of MaxMind',
    );
    expect(() => read(file('asn.mmdb', mmdb('GeoLite2-ASN', COUNTRIES)))).toThrow(
      'COUNTRY_DB is a database of GeoLite2-ASN, not of countries',
    );
  });
});
