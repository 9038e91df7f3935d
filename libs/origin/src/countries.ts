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

/** A country database in memory that threads share: the shipped one has 8 MB. */
export interface CountryDb {
  readonly bytes: SharedArrayBuffer;
  /** The included database, not a file of the operator. */
  readonly isShipped: boolean;
}

/** Throws an error that says what is wrong with the file. */
export function readCountryDb(file?: string): CountryDb {
  const contents = contentsOf(file ?? createRequire(import.meta.url).resolve(SHIPPED));
  const bytes = new SharedArrayBuffer(contents.length);
  Buffer.from(bytes).set(contents);
  const { databaseType } = readerOf(bytes).metadata;
  if (!/country|city|enterprise/i.test(databaseType))
    throw new Error(`is a database of type ${databaseType}, not a database of countries`);
  return { bytes, isShipped: file === undefined };
}

export function openCountries({ bytes, isShipped }: CountryDb): CountryOf {
  const reader = readerOf(bytes);
  // The shipped database gives a country to some private addresses, for example 192.168.0.1.
  const isTaken = isShipped ? isPublic : isIP;
  return memo((address) => (isTaken(address) ? countryIn(reader, address) : UNKNOWN_COUNTRY), ADDRESSES_KEPT);
}

function isPublic(address: string): boolean {
  const ip = addressIn(address);
  return ip !== undefined && isPublicIp(ip);
}

function contentsOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function readerOf(bytes: SharedArrayBuffer): Reader<CountryRecord> {
  try {
    return new Reader<CountryRecord>(Buffer.from(bytes));
  } catch {
    throw new Error('is not a database in MaxMind format (.mmdb)');
  }
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
    readCountryDb(file);
    return file;
  })
  .optional('the included database');
