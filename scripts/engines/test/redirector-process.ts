import { fileURLToPath } from 'node:url';
import { newFolder } from '@waypost/test-support/afterwards';
import { freePort, startProgram } from '../index.ts';

export interface RedirectorProcess {
  readonly logFile: string;
  /** Resolves to the status of the answer. */
  visit(slug: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a redirector without Kafka, so its clicks stay on disk. `engines` are the addresses of the other engines. */
export async function startRedirector(engines: Readonly<Record<string, string>>): Promise<RedirectorProcess> {
  const [port, internal] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const folder = newFolder();
  const logFile = `${folder}/redirector.log`;
  const run = await startProgram({
    name: 'redirector',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.resolve('@waypost/redirector/main'))],
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      INTERNAL_PORT: String(internal),
      REDIRECT_BASE_URL: `http://localhost:${port}`,
      CONTACT: 'mailto:us@example.org',
      KAFKA_BROKERS: '127.0.0.1:1',
      VISITOR_SECRET: 'ab'.repeat(32),
      CLICK_LOG_DIR: `${folder}/clicks`,
      ...engines,
    },
    logFile,
    isReady: async () => (await fetch(`${url}/healthz`)).ok,
    readyWithinMs: 30_000,
  });
  return {
    logFile,
    visit: async (slug) => (await fetch(`${url}/${slug}`, { redirect: 'manual' })).status,
    stop: async () => {
      run.end();
      await run.exited;
    },
  };
}
