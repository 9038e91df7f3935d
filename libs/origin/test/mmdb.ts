/** Writes a small database in the format of MaxMind (maxmind.github.io/MaxMind-DB, version 2.0), for tests. */

type Value = string | number | { readonly [name: string]: Value };

const MARKER = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);
const TEXT = 2;
const UINT32 = 6;
const MAP = 7;

/** `countries` maps prefixes of IPv4 addresses, such as `192.0.2.0/24`, to ISO codes. */
export function mmdb(databaseType: string, countries: Readonly<Record<string, string>>): Buffer {
  const nodes: (number | undefined)[][] = [[]];
  const records: Buffer[] = [];
  let recordBytes = 0;
  const leaves: { node: number; side: number; at: number }[] = [];
  for (const [prefix, code] of Object.entries(countries)) {
    const [address = '', length] = prefix.split('/');
    const bits = address
      .split('.')
      .map((byte) => Number(byte).toString(2).padStart(8, '0'))
      .join('')
      .slice(0, Number(length));
    let node = 0;
    for (const bit of bits.slice(0, -1)) {
      nodes[node]![Number(bit)] ??= nodes.push([]) - 1;
      node = nodes[node]![Number(bit)]!;
    }
    leaves.push({ node, side: Number(bits.at(-1)), at: recordBytes });
    const record = encoded({ country: { iso_code: code } });
    records.push(record);
    recordBytes += record.length;
  }
  for (const { node, side, at } of leaves) nodes[node]![side] = nodes.length + 16 + at;
  const tree = Buffer.alloc(nodes.length * 8);
  for (const [i, node] of nodes.entries()) {
    for (const side of [0, 1]) tree.writeUInt32BE(node[side] ?? nodes.length, i * 8 + side * 4);
  }
  const metadata = encoded({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: databaseType,
    ip_version: 4,
    node_count: nodes.length,
    record_size: 32,
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...records, MARKER, metadata]);
}

function encoded(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([Buffer.from([(TEXT << 5) | value.length]), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(5);
    bytes[0] = (UINT32 << 5) | 4;
    bytes.writeUInt32BE(value, 1);
    return bytes;
  }
  const entries = Object.entries(value);
  const pairs = entries.flatMap(([name, one]) => [encoded(name), encoded(one)]);
  return Buffer.concat([Buffer.from([(MAP << 5) | entries.length]), ...pairs]);
}
