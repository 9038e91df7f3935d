/** `COUNTRY_DB`: an operator's own database of countries, in the format of MaxMind, instead of the shipped table. */
import { readFileSync } from 'node:fs';
import { memo } from '@waypost/resilience';
import { setting } from '@waypost/settings';
import { Reader, type Response } from 'mmdb-lib';
import { type CountryOf, UNKNOWN_COUNTRY } from './country-table.ts';

/** A walk through the tree takes microseconds; many clicks come from few addresses. */
const ADDRESSES_KEPT = 10_000;

/** Throws an error that says what is wrong with the file. The whole file stays in memory. */
export function openCountryDb(file: string): CountryOf {
  const reader = readerOf(file);
  return memo((address) => countryIn(reader, address), ADDRESSES_KEPT);
}

function readerOf(file: string): Reader<Response> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  let reader: Reader<Response>;
  try {
    reader = new Reader<Response>(bytes);
  } catch {
    throw new Error('is not a database in the format of MaxMind (.mmdb)');
  }
  const { databaseType } = reader.metadata;
  if (!/country|city|enterprise/i.test(databaseType))
    throw new Error(`is a database of ${databaseType}, not of countries`);
  return reader;
}

function countryIn(reader: Reader<Response>, address: string): string {
  try {
    const found = reader.get(address);
    const country = found !== null && 'country' in found ? found.country?.iso_code : undefined;
    return country !== undefined && /^[A-Z]{2}$/.test(country) ? country : UNKNOWN_COUNTRY;
  } catch {
    return UNKNOWN_COUNTRY; // no address, or a damaged part of the file
  }
}

export const COUNTRY_DB = setting
  .parsed('path of a .mmdb file', 'database of countries in the format of MaxMind', (file) => {
    openCountryDb(file);
    return file;
  })
  .optional('the shipped table');
