/** The column in which a store keeps a field. */
export const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The row of a record, as `json_populate_record` takes it. */
export const rowOf = (record: object) =>
  Object.fromEntries(Object.entries(record).map(([field, value]) => [columnOf(field), value]));
