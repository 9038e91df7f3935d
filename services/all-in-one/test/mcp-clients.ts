import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterwards } from '@waypost/test-support/afterwards';
import { CLIENT, NODE } from './programs.ts';

export type Transport = StdioClientTransport | StreamableHTTPClientTransport;
/** `auto` speaks the revision of 2026, `legacy` the earlier ones. */
export type Mode = 'auto' | 'legacy';

export function overHttp(api: string, key: string): Transport {
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  return new StreamableHTTPClientTransport(new URL(`${api}/mcp`), { requestInit });
}

export function overStdio(environment: Record<string, string>): StdioClientTransport {
  const env = { PATH: process.env.PATH!, ...environment };
  return new StdioClientTransport({ command: NODE, args: [CLIENT, 'mcp'], env, stderr: 'pipe' });
}

/** Connects a client and closes it after the test. */
export async function connected(transport: Transport, mode: Mode = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  afterwards(() => client.close());
  await client.connect(transport);
  return client;
}

export const call = async (client: Client, name: string, args: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: args })) as CallToolResult;
