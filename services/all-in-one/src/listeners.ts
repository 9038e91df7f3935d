import fs from 'node:fs';
import path from 'node:path';
import { internalApp, listenForOperator, type Service, serve, socketPathIn } from '@waypost/process';
import type { Config } from './config.ts';
import { RUN_FILE } from './data-dir.ts';
import type { Services } from './services.ts';

const OPERATOR_SOCKET = 'operator.sock';

export async function startListeners(
  config: Config,
  { scanner, linkApi, redirector, metrics, operator, health }: Services,
  { onError, stack }: Pick<Service, 'onError' | 'stack'>,
): Promise<void> {
  metrics.collectProcess();
  for (const [app, port, host, proxies] of [
    [internalApp({ metrics, health, routers: [scanner.router] }), config.internalPort, '127.0.0.1'],
    [linkApi.app, config.port, config.host, config.trustedProxies],
  ] as const) {
    const serving = await serve(app, port, host, proxies);
    stack.push(() => serving.stop());
  }
  stack.push(() => redirector.stop());
  await redirector.start();

  const socket = socketPathIn(config.dataDir, OPERATOR_SOCKET);
  const commands = await listenForOperator(socket, operator, onError('operator command failed'));
  stack.push(() => commands.stop());
  if (path.dirname(socket) !== config.dataDir) stack.push(() => fs.rmSync(path.dirname(socket), { recursive: true }));
  const runFile = path.join(config.dataDir, RUN_FILE);
  fs.writeFileSync(runFile, `${JSON.stringify({ pid: process.pid, operator: socket })}\n`, { mode: 0o600 });
  stack.push(() => fs.rmSync(runFile, { force: true }));
}
