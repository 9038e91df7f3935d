import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readSettings } from '@waypost/settings';
import { newFolder } from '@waypost/test-support/afterwards';
import { COUNTRY_DB, openCountries, readCountryDb } from '../src/countries.ts';
import { mmdb } from './mmdb.ts';

const folder = newFolder();

function file(name: string, bytes: Buffer): string {
  const at = path.join(folder, name);
  fs.writeFileSync(at, bytes);
  return at;
}
const COUNTRIES = { '192.0.2.0/24': 'NZ', '198.51.100.0/25': 'IS', '203.0.113.7/32': 'not a code' };

describe('the included database', () => {
  const countryOf = openCountries(readCountryDb());

  test.each([
    ['8.8.8.8', 'US'],
    ['193.0.6.139', 'NL'],
    ['200.160.2.3', 'BR'],
    ['2001:67c:2e8:22::c100:68b', 'NL'],
  ])('%s belongs to %s', (address, country) => {
    expect(countryOf(address)).toBe(country);
  });

  test.each([
    ...'127.0.0.1 10.1.2.3 172.31.255.255 192.168.0.1 169.254.1.1 100.64.0.1 0.0.0.0 255.255.255.255'.split(' '),
    ...['::', '::1', 'fe80::1%eth0', 'fc00::1', 'ff02::1', '2001:db8::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ...['', 'nonsense', '1.2.3', '1.2.3.4.5', '256.1.1.1', '1:2:3', ':::', '1::2::3', '::12345', '1.2.3.4::'],
  ])('"%s" has no country', (address) => {
    expect(countryOf(address)).toBe('ZZ');
  });
});

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
    const countryOf = openCountries(readCountryDb(file('own.mmdb', mmdb('Own-Country', COUNTRIES))));
    expect(countryOf(address)).toBe(country);
    expect(countryOf(address)).toBe(country); // the second answer comes from memory
  });

  test('is optional, and the start fails with its name if the file is unusable', () => {
    const read = (countryDb?: string) => readSettings({ COUNTRY_DB }, { COUNTRY_DB: countryDb });
    expect(read().countryDb).toBeUndefined();
    const own = file('own.mmdb', mmdb('Own-Country', COUNTRIES));
    expect(read(own).countryDb).toBe(own);
    expect(() => read(path.join(folder, 'nothing'))).toThrow('COUNTRY_DB cannot be read: ENOENT');
    expect(() => read(file('text', Buffer.from('a,b')))).toThrow('COUNTRY_DB is not a database in MaxMind format');
    expect(() => read(file('asn.mmdb', mmdb('GeoLite2-ASN', COUNTRIES)))).toThrow(
      'COUNTRY_DB is a database of type GeoLite2-ASN, not a database of countries',
    );
  });
});
