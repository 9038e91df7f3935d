import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { addressIn, isPublicIp } from '@waypost/domain';
import type { CountryOf } from '@waypost/ports';
import { memo } from '@waypost/resilience';
import { setting } from '@waypost/settings';
import { Reader, type Response } from 'mmdb-lib';

const SHIPPED = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';
/** A look-up in the database takes microseconds, and many clicks come from few addresses. */
const ADDRESSES_KEPT = 10_000;
const UNKNOWN_COUNTRY = 'ZZ';

/** Throws an error that says what is wrong with the file. The whole file stays in memory. */
export function openCountries(file?: string): CountryOf {
  const reader = readerOf(file ?? createRequire(import.meta.url).resolve(SHIPPED));
  // The shipped database gives a country to some private addresses, for example 192.168.0.1.
  const isTaken = file === undefined ? isPublic : isIP;
  return memo((address) => (isTaken(address) ? countryIn(reader, address) : UNKNOWN_COUNTRY), ADDRESSES_KEPT);
}

function isPublic(address: string): boolean {
  const ip = addressIn(address);
  return ip !== undefined && isPublicIp(ip);
}

function readerOf(file: string): Reader<CountryRecord> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  let reader: Reader<CountryRecord>;
  try {
    reader = new Reader<CountryRecord>(bytes);
  } catch {
    throw new Error('is not a database in MaxMind format (.mmdb)');
  }
  const { databaseType } = reader.metadata;
  if (!/country|city|enterprise/i.test(databaseType))
    throw new Error(`is a database of type ${databaseType}, not a database of countries`);
  return reader;
}

/** MaxMind's own databases have `country`, the shipped one has `country_code`. */
type CountryRecord = Response & { readonly country?: { readonly iso_code?: string }; readonly country_code?: string };

function countryIn(reader: Reader<CountryRecord>, address: string): string {
  try {
    const row = reader.get(address);
    const country = row?.country?.iso_code ?? row?.country_code;
    return country !== undefined && /^[A-Z]{2}$/.test(country) ? country : UNKNOWN_COUNTRY;
  } catch {
    return UNKNOWN_COUNTRY; // The file is damaged here.
  }
}

export const COUNTRY_DB = setting
  .parsed('path to an .mmdb file', 'Country database in MaxMind format.', (file) => {
    openCountries(file);
    return file;
  })
  .optional('the included database');
