/** Writes the lists of docs that come from declarations. `--check` only compares them. */
import { sizeTables } from '../bench/simulate.ts';
import { LIMIT_ROWS } from '../libs/domain/src/limits.ts';
import { EXIT_CODES } from '../services/cli/src/exit-codes.ts';
import { writeGenerated } from './generated.ts';

const list = (rows: Iterable<readonly [name: string | number, meaning: string]>): string =>
  [...rows].map(([name, meaning]) => `- ${name}: ${meaning}\n`).join('');

writeGenerated('scripts/document-tables.ts', 'docs/cli.md', [list(EXIT_CODES.entries())]);
writeGenerated('scripts/document-tables.ts', 'docs/contract.md', [list(Object.entries(LIMIT_ROWS))]);
writeGenerated('scripts/document-tables.ts', 'deploy/size.md', sizeTables());
