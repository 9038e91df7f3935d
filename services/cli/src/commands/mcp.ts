import type { Command } from '@commander-js/extra-typings';
import { addQuietCommand } from '../program.ts';
import type { Session } from '../session.ts';

const HELP = `Run the MCP server over stdin and stdout, for clients that start a program. Its tools are those of the address /mcp, which clients can also use directly.`;

export function addMcp(program: Command, { connection, fetchFor, terminal }: Session): void {
  addQuietCommand(program, 'mcp', HELP, [
    'claude mcp add waypost -- npx --yes waypost@0.1.0 mcp --profile work',
    'npx @modelcontextprotocol/inspector@2.12.0 waypost mcp',
  ])
    .summary('Run the MCP server over stdin and stdout.')
    .action(async (options) => {
      // This module is imported here, because loading it takes longer than most commands.
      const { bridge } = await import('../mcp-bridge.ts');
      await bridge({
        connection: () => connection(options),
        fetchFor,
        out: terminal.out,
        onFault: () => terminal.err('Ignored a line on stdin that is not an MCP message.\n'),
      });
    });
}
