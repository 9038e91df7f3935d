/** Writes the tables of docs that come from declarations. `--check` only compares them. */
import { LIMIT_ROWS } from '../libs/domain/src/limits.ts';
import { EXIT_CODES } from '../services/cli/src/exit-codes.ts';
import { table, writeGenerated } from './generated.ts';

const SCRIPT = 'scripts/document-tables.ts';

writeGenerated(SCRIPT, 'docs/cli.md', [
  table(['Exit code', 'Meaning'], ...EXIT_CODES.map((meaning, code) => [String(code), meaning])),
]);
writeGenerated(SCRIPT, 'docs/contract.md', [table(['Limit', 'Value'], ...Object.entries(LIMIT_ROWS))]);
