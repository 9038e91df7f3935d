/** The ISO 3166-1 alpha-2 code of an address in text form, `ZZ` if it has none (private, reserved, unknown). */
export type CountryOf = (address: string) => string;
