import fs from 'node:fs';
import path from 'node:path';
import { internalApp, listenForOperator, type Service, serve, socketPathIn } from '@waypost/process';
import type { Config } from './config.ts';
import { RUN_FILE } from './data-dir.ts';
import type { Services } from './services.ts';

const OPERATOR_SOCKET = 'operator.sock';

export async function startListeners(
  config: Config,
  { scanner, linkApi, redirector, metrics, health }: Services,
  { stack }: Pick<Service, 'stack'>,
): Promise<void> {
  metrics.collectProcess();
  for (const [app, port, host, proxies] of [
    [internalApp({ metrics, health, routers: [scanner.router] }), config.internalPort, '127.0.0.1'],
    [linkApi.app, config.port, config.host, config.trustedProxies],
  ] as const) {
    const serving = await serve(app, port, host, proxies);
    stack.defer(() => serving.stop());
  }
  stack.defer(() => redirector.stop());
  await redirector.start();
}

/** Resolves to the path of the socket. If it is public, other processes can find it. */
export async function answerOperator(
  dataDir: string,
  { operator }: Pick<Services, 'operator'>,
  { onError, stack }: Pick<Service, 'onError' | 'stack'>,
  { isPublic }: { readonly isPublic: boolean },
): Promise<string> {
  const socket = socketPathIn(dataDir, OPERATOR_SOCKET);
  const listening = await listenForOperator(socket, operator, onError('operator command failed'));
  stack.defer(() => listening.stop());
  if (path.dirname(socket) !== dataDir) stack.defer(() => fs.rmSync(path.dirname(socket), { recursive: true }));
  const runFile = path.join(dataDir, RUN_FILE);
  // A killed process leaves its file behind.
  fs.rmSync(runFile, { force: true });
  if (!isPublic) return socket;
  fs.writeFileSync(runFile, `${JSON.stringify({ pid: process.pid, operator: socket })}\n`, { mode: 0o600 });
  stack.defer(() => fs.rmSync(runFile, { force: true }));
  return socket;
}
